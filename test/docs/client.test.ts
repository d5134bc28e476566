import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import ts from 'typescript';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { type Change, type ExerciseLog, Refused, Sciatica, takeOver } from '../../src/companion/client.ts';
import { freshFolder, nora, practiceDb, session } from '../helpers.ts';
import { freshApp } from '../http/helpers.ts';
import { root } from './pages.ts';
import { Terminal } from './replay.ts';

/** The example client of docs/companion-app.md: with the types that a generator makes, and against the real service. */

const wrongUse = `
export const during = (log: ExerciseLog) => log.painDuring;
export const added = new Sciatica().add({ userId: 1 });
export const changed = new Sciatica().change(1, () => ({ painAfter: '4' }));
export const entry = (change: Change) => (change.record === 'goal' ? change.after?.notes : undefined);
export const created = (change: Change) => change.action === 'create' && change.before.id;
`;

const folder = mkdtempSync(join(tmpdir(), 'client-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes the client into the folder, and beside it the types made from what the service says of itself. */
async function writeClient(): Promise<void> {
  const [document, types] = [join(folder, 'openapi.json'), join(folder, 'sciatica-api.d.ts')];
  writeFileSync(document, (await freshApp().call('GET', '/openapi.json')).text);
  execFileSync(join(root, 'node_modules/.bin/openapi-typescript'), [document, '-o', types]);
  const client = readFileSync(join(root, 'src/companion/client.ts'), 'utf8');
  writeFileSync(join(folder, 'client.ts'), client);
  writeFileSync(join(folder, 'wrong.ts'), client + wrongUse);
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
}

/** What the compiler says of files when it is strict. */
function faultsOf(...names: string[]) {
  const program = ts.createProgram(
    names.map((name) => join(folder, name)),
    {
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noUnusedLocals: true,
      verbatimModuleSyntax: true,
      noEmit: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      types: [],
    },
  );
  return ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => ({
    file: file && basename(file.fileName),
    fault: ts.flattenDiagnosticMessageText(messageText, '\n'),
  }));
}

test('the file of its types is generated; it compiles, and would not, did it use the records wrongly', async () => {
  await writeClient();
  const types = readFileSync(join(folder, 'sciatica-api.d.ts'), 'utf8');
  await expect(types).toMatchFileSnapshot('../../src/companion/sciatica-api.d.ts');
  const wrong = (fault: string) => ({ file: 'wrong.ts', fault: expect.stringContaining(fault) });
  expect(faultsOf('client.ts', 'wrong.ts')).toEqual([
    wrong("'painDuring' does not exist"),
    wrong('missing the following properties'),
    wrong("'string' is not assignable to type 'number'"),
    wrong("'notes' does not exist"),
    wrong("'change.before' is possibly 'null'"),
  ]);
});

test('it works', async () => {
  const terminal = new Terminal(freshFolder());
  const base = `http://localhost:${await terminal.port()}`;
  const headers = { 'Content-Type': 'application/json' };
  await fetch(`${base}/users`, { method: 'POST', headers, body: JSON.stringify(nora) });
  const client = new Sciatica(base);
  const first = await client.add(session);
  await client.add({ ...session, date: '2026-03-02' });
  expect(first).toEqual({ ...session, id: 1 });

  let tries = 0;
  const changed = await client.change(1, ({ painAfter }) => {
    // Somebody else is quicker, once.
    if (tries++ === 0)
      void fetch(`${base}/userExerciseLogs/1`, { method: 'PATCH', headers, body: '{"painAfter":5}' });
    return { painAfter: painAfter - 1 };
  });
  expect([3, 4]).toContain(changed.painAfter);

  const dates: string[] = [];
  for await (const { date } of client.logs(1, 1)) dates.push(date);
  expect(dates).toEqual(['2026-03-02', '2026-03-01']);

  const refused = await client.add({ ...session, painAfter: 11, userId: 9 }).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(Refused);
  expect((refused as Refused).problem.errors?.map(({ field }) => field)).toEqual(['painAfter', 'userId']);

  const missing = await client.change(9, () => ({})).catch((error: unknown) => error);
  expect((missing as Refused).problem.status).toBe(404);
});

test('it creates a log once over a network that loses answers, and learns what changed', async () => {
  const terminal = new Terminal(freshFolder());
  await practiceDb(terminal.db);
  const client = new Sciatica(`http://localhost:${await terminal.port()}`);
  const since = await client.now();

  const reliable = globalThis.fetch;
  let lost = 0;
  vi.stubGlobal('fetch', async (...request: Parameters<typeof fetch>) => {
    const response = await reliable(...request);
    if (lost++ < 2) throw new TypeError('fetch failed');
    return response;
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  const added = await client.add({ ...session, userId: 3 });
  expect([added.id, lost]).toEqual([401, 3]);

  await terminal.run('sciatica log edit 401 --after 5');
  const changes: Change[] = [];
  for await (const change of client.changes(since)) changes.push(change);
  expect(changes).toMatchObject([
    { action: 'create', id: 401, after: added },
    { action: 'update', id: 401, after: { painAfter: 5 }, source: 'cli' },
  ]);
  const logs = new Map<number, ExerciseLog>();
  for (const change of changes) takeOver(logs, change);
  expect([...logs]).toEqual([[401, { ...added, painAfter: 5 }]]);
  await terminal.run('sciatica log rm 401 --yes');
  for await (const change of client.changes(since)) takeOver(logs, change);
  expect(logs.size).toBe(0);
  lost = 0;
  await expect(client.add({ ...session, userId: 3 }, 'a key', 2)).rejects.toThrow('fetch failed');
});

test('without a token it is refused where one is asked for', async () => {
  const terminal = new Terminal(freshFolder());
  await practiceDb(terminal.db);
  const base = `http://localhost:${await terminal.port(['--auth'])}`;
  const token = (await terminal.run('sciatica token add phone --role patient --user 3')).match(
    /sciatica_\S+/,
  )?.[0];
  await expect(new Sciatica(base).now()).rejects.toThrow('Unauthorized');
  expect(await new Sciatica(base, token).now()).toBe(405);
});
