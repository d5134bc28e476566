import { expect, onTestFinished, test, vi } from 'vitest';
import { NOW, prepared, run } from '../helpers.ts';
import { auditRecord } from '../samples.ts';

const db = () =>
  prepared(({ audit }) =>
    audit.add([{ ...auditRecord, at: NOW.getTime(), status: 401, address: '\u202e::1' }]),
  );

const when = NOW.toISOString();

test('in a terminal it is a table', async () =>
  expect((await run(['audit'], { db: db(), columns: 120 })).stdout).toBe(
    [
      'When (UTC)           Who     What             Records  Status  From\n',
      `${when.slice(0, 19).replace('T', ' ')}  nobody  GET /users/{id}  user 1      401  \\u202e::1\n`,
    ].join(''),
  ));

test('in a pipe it is a line for each entry', async () =>
  expect((await run(['audit'], { db: db() })).stdout).toBe(
    [
      'at\ttoken\twho\tmethod\troute\trecord\tuserId\tfirst\tlast\tcount\tstatus\taddress\n',
      `${when}\t\t\tGET\t/users/{id}\tuser\t1\t1\t1\t1\t401\t\\u202e::1\n`,
    ].join(''),
  ));

test.each([
  ['2026-02-30', 2, '', 'sciatica: --since is no day: 30 February 2026 does not exist\n'],
  ['today', 0, `${when} `, ''],
  ['last friday', 0, `${when} `, ''],
])('--since %s is a day as in every command', async (day, code, line, stderr) => {
  const result = await run(['audit', '--since', day], { db: db() });
  expect({ code: result.code, stderr: result.stderr }).toEqual({ code, stderr });
  expect(result.stdout.replaceAll('\t', ' ')).toContain(line);
});

test('--since begins with the local day', async () => {
  vi.stubEnv('TZ', 'Asia/Kolkata');
  onTestFinished(() => void vi.unstubAllEnvs());
  const db = prepared(({ audit }) => audit.add([{ ...auditRecord, at: Date.parse('2026-03-01T19:00Z') }]));
  const since = async (day: string) =>
    JSON.parse((await run(['audit', '--since', day, '--json'], { db })).stdout || '[]').length;
  expect([await since('2026-03-02'), await since('2026-03-03')]).toEqual([1, 0]);
});

test('shows the latest 100', async () => {
  const db = prepared(({ audit }) =>
    audit.add(Array.from({ length: 101 }, (_, i) => ({ ...auditRecord, at: NOW.getTime() + i, first: i }))),
  );
  const { stdout } = await run(['audit', '--json'], { db });
  expect(JSON.parse(stdout)).toHaveLength(100);
});
