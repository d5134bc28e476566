import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openStore } from '../../src/store/store.ts';
import { keys, NOW, nora, noraWith, practiceDb, prepared, records, run, session } from '../helpers.ts';

const bin = fileURLToPath(new URL('../../bin/sciatica.js', import.meta.url));

/** A database in which a log was recorded, corrected and deleted. */
async function corrected(): Promise<string> {
  const db = noraWith({});
  await run(['log', 'edit', '1', '--after', '1', '--notes', 'a\u202eb'], { db });
  return db;
}

describe('history', () => {
  test('shows at once what changed', async () => {
    const { code, stdout } = await run(['history'], { db: await corrected(), columns: 120 });
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^Change 3, 2026-03-02 \d\d:\d\d, command line\n {2}log 1: painAfter \d+ → 1, notes .* → a\\u202eb\n/,
    );
    expect(stdout).toMatch(/\nChange 2, .*, command line\n {2}added log 1: /);
  });

  test.each([
    [1, 'Only the latest is shown. For more: --limit N.\n'],
    [2, 'Only the latest 2 are shown. For more: --limit N.\n'],
    [3, ''],
  ])('in a terminal, with --limit %i of 3, says whether there is more', async (limit, said) => {
    const { stderr } = await run(['history', '--limit', `${limit}`], { db: await corrected(), columns: 80 });
    expect(stderr).toBe(said);
  });

  test('has no more than --limit, also where that is as much as is read at once', async () => {
    const db = noraWith(...Array<object>(1001).fill({}));
    const { stdout } = await run(['history', '--limit', '1000'], { db });
    expect(stdout.split('\n')).toHaveLength(1 + 1000 + 1);
  });

  test('in a pipe is a line for each entry', async () => {
    const { stdout, stderr } = await run(['history', '--limit', '1'], { db: await corrected() });
    expect(stderr).toBe('');
    const [header, line = '', ...others] = stdout.split('\n');
    expect(header).toBe('seq\tchange\tat\tsource\tcaller\tundoes\trecord\tid\taction\tbefore\tafter');
    expect(line.split('\t').slice(1, 9)).toEqual([
      '3',
      NOW.toISOString(),
      'cli',
      '',
      '',
      'log',
      '1',
      'update',
    ]);
    expect(JSON.parse(line.split('\t')[10]?.replaceAll('\\\\', '\\') ?? '')).toMatchObject({ painAfter: 1 });
    expect(others).toEqual(['']);
  });

  test('as JSON is what the API gives', async () => {
    const db = await corrected();
    const { stdout } = await run(['history', '--log', '1', '--json'], { db });
    expect(JSON.parse(stdout)).toMatchObject([
      { change: 3, action: 'update', after: { painAfter: 1 } },
      { change: 2, action: 'create' },
    ]);
  });

  test.each([
    [['--user', '7'], '', 0],
    [['--user', 'x'], '--user must be', 2],
    [['--since', '2026-02-30'], '--since', 2],
    [['--limit', '0'], '--limit', 2],
  ] as const)('%j', async (flags, said, code) => {
    const result = await run(['history', ...flags], { db: await corrected() });
    expect(result.code).toBe(code);
    expect(result.stderr).toContain(said);
  });

  test('--since begins with the local day', async () => {
    vi.stubEnv('TZ', 'Asia/Kolkata');
    onTestFinished(() => void vi.unstubAllEnvs());
    const db = noraWith({});
    await run(['log', 'edit', '1', '--after', '1'], { db, now: new Date('2026-03-01T19:00Z') });
    const of = async (day: string) =>
      JSON.parse((await run(['history', '--log', '1', '--since', day, '--json'], { db })).stdout).length;
    expect((await of('2026-03-02')) - (await of('2026-03-03'))).toBe(1);
  });

  test('of an empty database is no error', async () => {
    expect(await run(['history'])).toMatchObject({ code: 0, stdout: '' });
  });

  test('is cut at --limit, and says so', async () => {
    const { stdout, stderr } = await run(['history', '--limit', '1'], { db: await corrected(), columns: 80 });
    expect(stdout.match(/^Change/gm)).toHaveLength(1);
    expect(stderr).toContain('For more: --limit N.');
  });
});

describe('undo', () => {
  test('takes back the last change, and redo gives it back', async () => {
    const db = await corrected();
    const before = records(db);
    const { stderr, stdout } = await run(['undo', '--yes'], { db });
    expect(stderr).toMatch(
      /^To undo change 3, made 2026-03-02 12:00 by command line, of Nora Lind \(user 1\):\n {2}log 1: painAfter 1 → /,
    );
    expect(stdout).toBe('Undid change 3. To have it back: sciatica undo 4\n');
    expect(records(db).logs[0]).toMatchObject(session);
    const redone = await run(['redo', '--yes'], { db });
    expect(redone.stderr).toMatch(
      /^To redo change 3, made .* by command line, of Nora Lind \(user 1\):\n {2}log 1: painAfter 4 → 1/,
    );
    expect(redone.stdout).toBe('Redid change 3. To take it back again: sciatica undo 3\n');
    expect(records(db)).toEqual(before);
  });

  test('once more takes back the change before it, and says whose it was', async () => {
    const db = await corrected();
    const store = openStore(db);
    store.as({ origin: { source: 'api', caller: 'phone' } }).users.update(1, { age: 50 });
    store.close();
    expect((await run(['undo', '--yes'], { db })).stderr).toContain('by app (phone), of Nora Lind (user 1):');
    expect((await run(['undo', '--yes'], { db })).stdout).toContain('Undid change 3.');
    expect((await run(['undo', '--yes'], { db })).stdout).toContain('Undid change 2.');
    expect(records(db).logs).toEqual([]);
    expect((await run(['redo', '--yes'], { db })).stdout).toContain('Redid change 2.');
  });

  test('of an undo by its number says when that was, not the change that it took back', async () => {
    const db = await corrected();
    await run(['undo', '--yes'], { db, now: new Date('2026-03-05T09:30:00') });
    const { stderr } = await run(['undo', '4', '--yes'], { db });
    expect(stderr).toMatch(/^To undo change 4, made 2026-03-05 09:30 by undo of 3, of Nora Lind/);
  });

  test('tells how to go back with a number, because plain undo and redo are about another change soon', async () => {
    const db = noraWith({}, {});
    await run(['log', 'edit', '1', '--after', '1'], { db });
    await run(['log', 'edit', '2', '--after', '2'], { db });
    const history = JSON.parse((await run(['history', '--json'], { db })).stdout);
    const changes = history.map(({ change }: { change: number }) => change);
    const earlier = Math.max(...changes) - 1;
    const words = (text: string) => text.split(': ').at(-1)?.trim().split(' ').slice(1) ?? [];
    const undone = await run(['undo', String(earlier), '--yes'], { db });
    expect(undone.stdout).toBe(`Undid change ${earlier}. To have it back: sciatica undo ${earlier + 2}\n`);
    await run(['user', 'edit', '--age', '50'], { db });
    const redone = await run([...words(undone.stdout), '--yes'], { db });
    expect(records(db).logs.map(({ painAfter }) => painAfter)).toEqual([1, 2]);
    expect(redone.stdout).toBe(
      `Undid change ${earlier + 2}. To have it back: sciatica undo ${earlier + 4}\n`,
    );
    expect((await run([...words(redone.stdout), '--yes'], { db })).code).toBe(0);
    expect(records(db).logs.map(({ painAfter }) => painAfter)).toEqual([4, 2]);
  });

  test('of a change that is undone already says so at once, and how to have it back', async () => {
    const db = await corrected();
    await run(['undo', '--yes'], { db });
    for (const columns of [undefined, 120])
      expect(await run(['undo', '3'], { db, ...(columns && { columns }) })).toMatchObject({
        code: 4,
        stderr: 'sciatica: Change 3 was undone by change 4 already. To have it back: sciatica undo 4\n',
      });
    // Redone, it can be undone.
    await run(['redo', '--yes'], { db });
    expect((await run(['undo', '3', '--yes'], { db })).stdout).toContain('Undid change 3.');
  });

  test.each([
    [
      'undo',
      'Undo change 3?',
      3,
      'Change 3 was undone by change 4 already. To have it back: sciatica undo 4',
    ],
    [
      'redo',
      'Redo change 3?',
      4,
      'Change 4, the undo of change 3, was undone by change 5 already. To have it back: sciatica undo 5',
    ],
  ])('two at once: the second %s says what happened', async (verb, question, change, words) => {
    const db = await corrected();
    if (verb === 'redo') await run(['undo', '--yes'], { db });
    const meanwhile = () => {
      const store = openStore(db);
      store.undo(change);
      store.close();
      return 'y\r';
    };
    const { code, stderr } = await run([verb], { db, answers: [[question, meanwhile]] });
    expect([code, stderr.replaceAll('\n', ' ')]).toEqual([4, expect.stringContaining(`sciatica: ${words}`)]);
  });

  test('a new change ends redo', async () => {
    const db = await corrected();
    await run(['undo', '--yes'], { db });
    await run(['user', 'edit', '--age', '50'], { db });
    expect(await run(['redo', '--yes'], { db })).toMatchObject({
      code: 3,
      stderr: 'sciatica: There is nothing to redo: nothing was undone since the last change.\n',
    });
  });

  test('asks first, and no is the answer that Enter gives', async () => {
    const db = await corrected();
    const before = records(db);
    const { code, stderr } = await run(['undo'], { db, answers: [['Undo change 3?', keys.enter]] });
    expect([code, stderr]).toEqual([1, expect.stringContaining('Nothing was changed.')]);
    expect(records(db)).toEqual(before);
  });

  test.each<[string, string[], number, string]>([
    ['unasked without a terminal', ['undo'], 2, 'add --yes'],
    ['of what is not there', ['undo', '99', '--yes'], 3, 'There is no change 99'],
    ['of what was changed again', ['undo', '2', '--yes'], 4, 'log 1 was changed again by change 3'],
    ['of a word', ['undo', 'all'], 3, 'No import of a file named all'],
  ])('%s', async (_, argv, code, words) => {
    const db = await corrected();
    const before = records(db);
    const result = await run(argv, { db });
    expect([result.code, result.stderr]).toEqual([code, expect.stringContaining(words)]);
    expect(records(db)).toEqual(before);
  });

  test('of an import is one step', async () => {
    const db = await practiceDb();
    await run(['user', 'rm', '3', '--yes'], { db });
    await run(['undo', '--yes'], { db });
    expect(records(db).logs).toHaveLength(400);
    await run(['undo', '1', '--yes'], { db });
    expect(records(db)).toEqual({ users: [], logs: [] });
  });

  test('when there is nothing yet', async () => {
    expect(await run(['undo'])).toMatchObject({ code: 3 });
  });
});

describe('user erase', () => {
  test('says what it means, forgets, and names the copies that do not', async () => {
    const db = await corrected();
    const { stdout: copy } = await run(['backup'], { db });
    const { code, stdout, stderr } = await run(['user', 'erase', '1'], {
      db,
      answers: [['Erase Nora', 'y\r']],
    });
    expect([code, stdout]).toEqual([1, 'Erased user 1.\n']);
    expect(stderr).toContain(`This copy may still hold them:\n${copy.trim()}\n`);
    expect(stderr).toContain('User 1 is erased, but not everywhere');
    expect((await run(['history'], { db, columns: 80 })).stdout).toMatch(/erasure\n {2}user 1 was erased/);
    expect(await run(['undo', '--yes'], { db })).toMatchObject({ code: 3 });
  });

  test('takes nobody along who was merged while the question stood', async () => {
    const db = prepared((store) => {
      store.users.create(nora);
      store.users.create({ ...nora, firstName: 'Ben', email: 'ben@example.org' });
      store.logs.create({ ...session, userId: 2 });
    });
    const merge = () => {
      spawnSync(process.execPath, [bin, 'user', 'merge', '2', '--into', '1', '--yes', '--db', db]);
      return 'y\r';
    };
    const { code, stderr } = await run(['user', 'erase', '1'], { db, answers: [['Erase Nora', merge]] });
    expect([code, stderr]).toEqual([4, expect.stringContaining('Nothing was erased')]);
    expect(records(db).logs).toHaveLength(1);
  });

  test('needs --yes without a terminal', async () => {
    const db = await corrected();
    expect((await run(['user', 'erase', '1'], { db })).code).toBe(2);
    expect((await run(['user', 'erase', '9', '--yes'], { db })).code).toBe(3);
  });
});

test('undo names three users of a change and counts the others', async () => {
  const db = prepared((store) =>
    store.change(() => {
      for (const firstName of ['Nora', 'Zoe', 'Pat', 'Kim']) store.users.create({ ...nora, firstName });
    }),
  );
  const { stderr } = await run(['undo', '--yes'], { db });
  expect(stderr).toContain('of Nora Lind (user 1), Zoe Lind (user 2), Pat Lind (user 3) and 1 more:\n');
});

test('undo lists five entries of a change and counts the others', async () => {
  const { stderr } = await run(['undo', '--yes'], { db: noraWith(...Array<object>(6).fill({})) });
  expect(stderr.match(/^ {2}.*$/gm)?.slice(5)).toEqual(['  and 1 more']);
});
