import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { migrations } from '../../src/store/sqlite/migrations/index.ts';
import { openStore } from '../../src/store/store.ts';
import { userFlags } from '../helpers.ts';
import { call, copied, type OpenApi, recipeOf } from './copy.ts';

/**
 * Follows the recipe for a new kind of record in docs/CONTRIBUTING.md: an appointment, in a copy of the program. What does
 * not know it then has a list of kinds of its own.
 */

const recipe = (name: string) =>
  readFileSync(new URL(`../fixtures/appointment/${name}`, import.meta.url), 'utf8');

const copy = copied();

beforeAll(() => {
  copy.create('src/domain/appointment.ts', recipe('appointment.ts.txt'));
  copy.create('src/cli/commands/appointment.ts', recipe('command.ts.txt'));
  copy.addMigration(recipe('migration.ts.txt'));
  copy.addBefore(
    'src/domain/kinds.ts',
    "from './goal.ts'",
    "import { appointmentKind } from './appointment.ts';",
  );
  copy.addBefore('src/domain/kinds.ts', '} as const;', '  appointment: appointmentKind,');
  copy.addBefore('src/exchange/records.ts', '  goal: false', '  appointment: false,');
  copy.addBefore('src/cli/program.ts', '  goal: async', ...recipe('program.txt').trimEnd().split('\n'));
});

const appointment = { userId: 1, date: '2026-04-02', place: 'Dr. Lang', notes: 'brought the diary' };
const stored = { id: 1, ...appointment };

/** A diary of the copied program, in a folder of its own. */
function diary() {
  const made = copy.diary();
  const add = () =>
    made.sciatica(
      'appointment',
      'add',
      '--date',
      appointment.date,
      '--place',
      appointment.place,
      '--notes',
      appointment.notes,
    );
  const listed = async (...words: string[]) =>
    JSON.parse(await made.sciatica('appointments', '--json', ...words));
  return { ...made, add, listed };
}

/** A diary of Nora with one appointment. */
async function filled() {
  const made = diary();
  await made.sciatica('user', 'add', ...userFlags());
  await made.add();
  return made;
}

test('the recipe names what these tests touch', () => {
  for (const file of [
    'src/domain/',
    'src/domain/kinds.ts',
    'src/store/sqlite/migrations/',
    'src/exchange/records.ts',
    'src/companion/more.tsx',
    'src/cli/commands/',
    'src/cli/program.ts',
    'DROP TABLE',
  ])
    expect(recipeOf('A kind of record')).toContain(file);
});

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
  const { id: _, ...other } = { ...stored, place: 'Dr. Wu' };
  expect(await call(base, 'GET', '/appointments?userId=1&place_like=lang')).toEqual([200, [stored]]);
  expect(await call(base, 'POST', '/appointments', other)).toEqual([201, { id: 2, ...other }]);
  expect(await call(base, 'PATCH', '/appointments/2', { notes: '' })).toEqual([
    200,
    { id: 2, ...other, notes: '' },
  ]);
  expect(await call(base, 'PUT', '/appointments/2', other)).toEqual([200, { id: 2, ...other }]);
  expect(await call(base, 'DELETE', '/appointments/2')).toEqual([200, {}]);
  expect(await call(base, 'POST', '/appointments/2/restore')).toEqual([201, { id: 2, ...other }]);
  expect(await call(base, 'GET', '/appointments/7')).toMatchObject([404, { status: 404 }]);
  expect(await call(base, 'POST', '/appointments', { ...other, userId: 9, place: '' })).toMatchObject([
    400,
    { errors: [{ field: 'place' }, { field: 'userId' }] },
  ]);
  const openapi = (await call(base, 'GET', '/openapi.json'))[1] as OpenApi;
  expect(Object.keys(openapi.paths)).toEqual(expect.arrayContaining(['/appointments', '/appointments/{id}']));
  expect(Object.keys(openapi.components.schemas)).toEqual(
    expect.arrayContaining(['Appointment', 'AppointmentInput', 'AppointmentEntry']),
  );
});

test('a sync takes it over, and sends it', async () => {
  const home = await filled();
  const token = await home.sciatica('token', 'add', 'laptop', '--role', 'admin');
  const base = await home.serve({ auth: true });
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

test('a kind can be removed again, and the rest of the diary stays', async () => {
  const { sciatica, file } = await filled();
  await sciatica('appointment', 'edit', '1', '--place', 'Dr. Wu');
  await sciatica('user', 'edit', '1', '--age', '45');
  copyFileSync(file('diary.db'), file('removed.db'));
  // The program as it is, without the kind, and with the migrations that a release with it and one without it brought.
  const formats = migrations as string[];
  formats.push(sqlOf('migration.ts.txt'), sqlOf('removal.ts.txt'));
  const store = openStore(file('removed.db'));
  try {
    expect(store.users.get(1).age).toBe(45);
    expect(store.history.list({}).map(({ record }) => record)).toEqual(['user', 'user']);
    store.undo(Math.max(...store.history.list({}).map(({ change }) => change)));
    expect(store.users.get(1).age).toBe(44);
  } finally {
    store.close();
    formats.splice(-2);
  }
  expect(readFileSync(file('removed.db')).includes('Dr. Wu')).toBe(false);
});

/** The SQL of a migration among the fixtures. */
const sqlOf = (name: string) => recipe(name).split('`')[1] ?? '';
