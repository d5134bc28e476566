import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { freshFolder, userFlags } from '../helpers.ts';

/**
 * Follows the recipe for a new kind of record in docs/CONTRIBUTING.md: an appointment, in a copy of the program. What does
 * not know it then has a list of kinds of its own.
 */

const root = fileURLToPath(new URL('../..', import.meta.url));
const recipe = (name: string) =>
  readFileSync(new URL(`../fixtures/appointment/${name}`, import.meta.url), 'utf8');
const run = promisify(execFile);

/** What of an OpenAPI document is looked at. */
interface OpenApi {
  paths: object;
  components: { schemas: object };
}

let copy: string;

/** Adds a line to a file of the copy, before the first line that has a text. */
function addBefore(file: string, text: string, line: string): void {
  const path = join(copy, file);
  const lines = readFileSync(path, 'utf8').split('\n');
  const at = lines.findIndex((one) => one.includes(text));
  if (at < 0)
    throw new Error(`${file} has no line with ${text}: does docs/CONTRIBUTING.md still tell the recipe?`);
  writeFileSync(path, lines.toSpliced(at, 0, line).join('\n'));
}

beforeAll(async () => {
  copy = mkdtempSync(join(tmpdir(), 'sciatica-kind-'));
  for (const name of ['src', 'bin', 'docs', 'package.json', 'LICENSE', 'tsconfig.json'])
    cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));

  // The recipe: three new files and a line in each of three lists.
  const migrations = 'src/store/sqlite/migrations';
  const number = String(readdirSync(join(copy, migrations)).length).padStart(4, '0');
  writeFileSync(join(copy, 'src/domain/appointment.ts'), recipe('appointment.ts.txt'));
  writeFileSync(join(copy, migrations, `${number}-appointments.ts`), recipe('migration.ts.txt'));
  writeFileSync(join(copy, 'src/cli/commands/appointment.ts'), recipe('command.ts.txt'));
  addBefore('src/domain/kinds.ts', "from './goal.ts'", "import { appointmentKind } from './appointment.ts';");
  addBefore('src/domain/kinds.ts', '} as const;', '  appointment: appointmentKind,');
  addBefore(
    `${migrations}/index.ts`,
    "from './0001",
    `import { sql as appointments } from './${number}-appointments.ts';`,
  );
  addBefore(`${migrations}/index.ts`, '];', '  appointments,');
  for (const line of recipe('program.txt').trimEnd().split('\n'))
    addBefore('src/cli/program.ts', '  goal: async', line);
  await run(process.execPath, ['src/build.mjs'], { cwd: copy });
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

const appointment = { userId: 1, date: '2026-04-02', place: 'Dr. Lang', notes: 'brought the diary' };
const stored = { id: 1, ...appointment };

/** A diary of the copied program, in a folder of its own. */
function diary() {
  const folder = freshFolder();
  const file = (name: string) => join(folder, name);
  const env = { PATH: process.env['PATH'], SCIATICA_DB: file('diary.db'), HOME: folder, TZ: 'UTC' };
  const bin = join(copy, 'bin/sciatica.js');
  const sciatica = async (...words: string[]) => {
    const { stdout } = await run(process.execPath, [bin, ...words], { env, cwd: folder });
    return stdout;
  };
  const add = () =>
    sciatica(
      'appointment',
      'add',
      '--date',
      appointment.date,
      '--place',
      appointment.place,
      '--notes',
      appointment.notes,
    );
  const listed = async (...words: string[]) => JSON.parse(await sciatica('appointments', '--json', ...words));
  const serve = async (...words: string[]) => {
    const service = spawn(process.execPath, [bin, 'serve', '--port', '0', ...words], { env, cwd: folder });
    onTestFinished(async () => {
      service.kill();
      await once(service, 'exit');
    });
    const [line] = await once(service.stdout, 'data');
    return /http:\/\/\S+/.exec(String(line))?.[0] ?? '';
  };
  return { file, sciatica, add, listed, serve };
}

/** A diary of Nora with one appointment. */
async function filled() {
  const made = diary();
  await made.sciatica('user', 'add', ...userFlags());
  await made.add();
  return made;
}

test('commands add, list, show, change, remove, undo and redo it', async () => {
  const { sciatica, listed } = await filled();
  expect(await listed()).toEqual([stored]);
  expect(await listed('--sort', 'place')).toEqual([stored]);
  expect(JSON.parse(await sciatica('appointment', 'show', '1', '--json'))).toEqual(stored);
  await sciatica('appointment', 'edit', '1', '--place', 'Dr. Wu');
  expect(await listed('--where', 'place=Dr. Wu')).toEqual([{ ...stored, place: 'Dr. Wu' }]);
  expect(await sciatica('history', '--limit', '1')).toContain('Dr. Wu');
  await sciatica('appointment', 'rm', '1', '--yes');
  expect(await listed()).toEqual([]);
  await sciatica('undo', '--yes');
  await sciatica('undo', '--yes');
  expect(await listed()).toEqual([stored]);
  await sciatica('redo', '--yes');
  expect(await listed()).toEqual([{ ...stored, place: 'Dr. Wu' }]);
});

test('it goes with its user, comes back with the user, and is erased with the user', async () => {
  const { sciatica, listed, file } = await filled();
  await sciatica('user', 'rm', '1', '--yes');
  expect(await listed('--user', 'all')).toEqual([]);
  await sciatica('undo', '--yes');
  expect(await listed()).toEqual([stored]);
  await sciatica('user', 'erase', '1', '--yes');
  expect(readFileSync(file('diary.db')).includes(appointment.place)).toBe(false);
});

test('a backup holds it, and a rescue brings it out', async () => {
  const { sciatica, listed, file } = await filled();
  await sciatica('backup', file('copy.db'));
  await sciatica('appointment', 'rm', '1', '--yes');
  await sciatica('restore', file('copy.db'), '--yes');
  expect(await listed()).toEqual([stored]);
  expect(await sciatica('doctor')).toMatch(/1 appointment/);
  await sciatica('doctor', '--rescue', file('saved.json'));
  expect(JSON.parse(readFileSync(file('saved.json'), 'utf8')).appointments).toEqual([stored]);
});

test.each(['json', 'ndjson'])('an export as %s holds it, and an import brings it in', async (format) => {
  const { sciatica, file } = await filled();
  await sciatica('export', '-o', file(`all.${format}`));
  const other = diary();
  await other.sciatica('import', file(`all.${format}`));
  expect(await other.listed()).toEqual([stored]);
});

test('its list as CSV is an export that an import reads', async () => {
  const { sciatica, listed, file } = await filled();
  await sciatica('export', 'appointments', '-o', file('all.csv'));
  expect(readFileSync(file('all.csv'), 'utf8')).toBe(`${await sciatica('appointments', '--csv')}`);
  await sciatica('appointment', 'rm', '1', '--yes');
  await sciatica('import', file('all.csv'));
  expect((await listed()).map(({ place }: { place: string }) => place)).toEqual([appointment.place]);
});

test('home and completion know it', async () => {
  const { sciatica } = await filled();
  expect(await sciatica('complete', 'zsh', '--', 'appo')).toMatch(/^appointments\b/m);
  expect(await sciatica('complete', 'zsh', '--', 'appointment', 'show', '')).toMatch(/^1\b/m);
});

test('the service reads, writes, describes and restores it', async () => {
  const { serve } = await filled();
  const base = await serve();
  const call = async (method: string, path: string, body?: object) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(base + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return [answer.status, await answer.json()];
  };
  const { id: _, ...other } = { ...stored, place: 'Dr. Wu' };
  expect(await call('GET', '/appointments?userId=1&place_like=lang')).toEqual([200, [stored]]);
  expect(await call('POST', '/appointments', other)).toEqual([201, { id: 2, ...other }]);
  expect(await call('PATCH', '/appointments/2', { notes: '' })).toEqual([
    200,
    { id: 2, ...other, notes: '' },
  ]);
  expect(await call('PUT', '/appointments/2', other)).toEqual([200, { id: 2, ...other }]);
  expect(await call('DELETE', '/appointments/2')).toEqual([200, {}]);
  expect(await call('POST', '/appointments/2/restore')).toEqual([201, { id: 2, ...other }]);
  expect(await call('GET', '/appointments/7')).toMatchObject([404, { status: 404 }]);
  expect(await call('POST', '/appointments', { ...other, userId: 9, place: '' })).toMatchObject([
    400,
    { errors: [{ field: 'place' }, { field: 'userId' }] },
  ]);
  const openapi = (await call('GET', '/openapi.json'))[1] as OpenApi;
  expect(Object.keys(openapi.paths)).toEqual(expect.arrayContaining(['/appointments', '/appointments/{id}']));
  expect(Object.keys(openapi.components.schemas)).toEqual(
    expect.arrayContaining(['Appointment', 'AppointmentInput', 'AppointmentEntry']),
  );
});

test('a sync takes it over, and sends it', async () => {
  const home = await filled();
  const token = await home.sciatica('token', 'add', 'laptop', '--role', 'admin');
  const base = await home.serve('--auth');
  const laptop = diary();
  writeFileSync(laptop.file('token'), token.match(/\S{30,}/)?.[0] ?? '', { mode: 0o600 });
  await laptop.sciatica('remote', 'add', 'home', base, '--token-file', laptop.file('token'));
  await laptop.sciatica('sync');
  expect(await laptop.listed()).toEqual([stored]);
  await laptop.sciatica('appointment', 'edit', '1', '--place', 'Dr. Wu');
  await laptop.add();
  await laptop.sciatica('sync');
  expect(await home.listed()).toEqual([
    { ...stored, place: 'Dr. Wu' },
    { ...stored, id: 2 },
  ]);
});
