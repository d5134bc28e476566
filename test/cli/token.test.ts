import { describe, expect, test } from 'vitest';
import { nora, prepared, run } from '../helpers.ts';

const withUsers = () =>
  prepared((store) => {
    store.users.create(nora);
    store.users.create(nora);
  });

describe('sciatica token', () => {
  test('add shows the token alone on stdout', async () => {
    const db = withUsers();
    const { code, stdout, stderr } = await run(
      ['token', 'add', 'phone', '--role', 'patient', '--user', '2'],
      { db },
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/^sciatica_[\w-]{43}\n$/);
    expect(stderr).toBe('Token 1, phone: patient, user 2. It is not shown again:\n');
  });

  test('add --json has everything, ls --json all but the token', async () => {
    const db = withUsers();
    const argv = [
      'token',
      'add',
      'clinic',
      '--role',
      'provider',
      '--user',
      '2,1,2',
      '--expires',
      '90d',
      '--json',
    ];
    const { token, ...made } = JSON.parse((await run(argv, { db })).stdout);
    expect(made).toMatchObject({ id: 1, name: 'clinic', role: 'provider', users: [2, 1], lastUsedAt: null });
    expect(Date.parse(made.expiresAt) - Date.parse(made.createdAt)).toBe(90 * 86_400_000);
    const { stdout } = await run(['token', 'ls', '--json'], { db });
    expect(JSON.parse(stdout)).toEqual([{ ...made, state: 'valid' }]);
    expect(stdout).not.toContain(token);
  });

  test('--expires takes hours too', async () => {
    const argv = ['token', 'add', 'kiosk', '--role', 'admin', '--expires', '12h', '--json'];
    const { createdAt, expiresAt } = JSON.parse((await run(argv, { db: withUsers() })).stdout);
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(12 * 3_600_000);
  });

  test('ls is a table', async () => {
    const db = withUsers();
    expect((await run(['token', 'ls'], { db })).stderr).toContain('There is no token yet');
    await run(['token', 'add', 'boss', '--role', 'admin'], { db });
    await run(['token', 'add', 'clinic', '--role', 'provider', '--user', '1,2'], { db });
    await run(['token', 'rm', 'clinic', '--yes'], { db });
    const narrow = (await run(['token', 'ls'], { db, columns: 24 })).stdout;
    expect(narrow).toMatch(/^Id +1\nName +boss\nRole +admin\n/);
    const lines = (await run(['token', 'ls'], { db, columns: 100 })).stdout.split('\n');
    expect(lines[1]).toMatch(/1 +boss +admin +all users +never +for good/);
    expect(lines[2]).toMatch(/2 +clinic +provider +users 1, 2 +never +revoked/);
  });

  test('ls in a pipe has a line for each token', async () => {
    const db = withUsers();
    await run(['token', 'add', 'clinic', '--role', 'provider', '--user', '1,2'], { db });
    const { stdout } = await run(['token', 'ls'], { db });
    expect(stdout.replace(/2\d{3}-[^\t]+Z/, 'TIME')).toBe(
      `id\tname\trole\tusers\tcreatedAt\texpiresAt\tlastUsedAt\trevokedAt\tstate\n1\tclinic\tprovider\t[1,2]\tTIME\t\t\t\tvalid\n`,
    );
  });

  test('rm takes a name or an id', async () => {
    const db = withUsers();
    await run(['token', 'add', 'boss', '--role', 'admin'], { db });
    const done = { code: 0, stdout: 'Token 1, boss, is refused from now on.\n' };
    expect(await run(['token', 'rm', '1'], { db })).toEqual({
      code: 2,
      stdout: '',
      stderr: 'sciatica: This asks first, which takes a terminal. To do it unasked, add --yes.\n',
    });
    const no = await run(['token', 'rm', '1'], { db, answers: [['Take back the token boss?', '\r']] });
    expect(no).toMatchObject({ code: 1, stdout: '' });
    expect(await run(['token', 'rm', '1', '--yes'], { db })).toMatchObject(done);
    expect(await run(['token', 'rm', 'boss'], { db })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^Token 1, boss, was taken back already, on \d{4}-\d\d-\d\d: it is refused\.\n$/,
      ),
    });
    expect((await run(['token', 'rm', 'nobody'], { db })).code).toBe(3);
  });

  test.each([
    [['a', '--role', 'patient'], '--user must be the id of the one user'],
    [['a'], '--role'],
    [['a', '--role', 'king'], 'patient, provider, admin'],
    [['a', '--role', 'patient', '--user', 'x'], 'Each of --user'],
    [['a', '--role', 'admin', '--expires', 'soon'], '90d or 12h'],
    [['a', '--role', 'admin', '--expires', '0d'], '90d or 12h'],
  ])('add %j is refused', async (words, told) => {
    const { code, stderr, stdout } = await run(['token', 'add', ...words], { db: withUsers() });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(told);
  });
});
