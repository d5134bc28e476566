import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checksOf } from '../../src/domain/schema.ts';
import { sizeOf } from '../../src/lib/files.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { integrityFaults } from '../../src/store/sqlite/verify.ts';
import { openStore, storeOn } from '../../src/store/store.ts';
import { log, user } from '../domain/samples.ts';

/** `sciatica serve` as a process of its own, watched from outside. */
export class Server {
  #stderr = '';
  peak = 0;

  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
    readonly port: number,
    /** With authentication, the token of an administrator. */
    readonly token: string | undefined,
    /** With authentication, the tokens of two patients, the users 1 and 2. */
    readonly patients: readonly string[],
  ) {
    child.stderr?.on('data', (data) => {
      this.#stderr = (this.#stderr + data).slice(-4_000);
    });
  }

  /** Starts it on a database with 100 users, of whom so many have so many logs, each the logs of one change. @param options.quota in MiB an hour */
  static async start({ auth = false, logs = 5, users = 100, quota = 64 } = {}): Promise<Server> {
    const folder = mkdtempSync(join(tmpdir(), 'sciatica-harden-'));
    const path = join(folder, 'test.db');
    const store = openStore(path);
    store.change(() => {
      for (let userId = 1; userId <= 100; userId += 1) store.users.create(user);
    });
    for (let userId = 1; userId <= users; userId += 1)
      store.change(() => {
        for (let i = 0; i < logs; i += 1) store.logs.create({ ...log, userId });
      });
    const token = auth
      ? store.tokens.create({ name: 'a', role: 'admin', users: null, lifetime: null }).token
      : undefined;
    const patients = auth
      ? [1, 2].map((id) => {
          const who = { name: `patient ${id}`, role: 'patient', users: [id], lifetime: null } as const;
          return store.tokens.create(who).token;
        })
      : [];
    store.close();
    const limits = auth
      ? ['--auth', '--rate', '1000000', '--burst', '1000000', '--quota', String(quota)]
      : [];
    const args = ['bin/sciatica.js', 'serve', '--port', '0', '--db', path, ...limits];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    return new Server(child, folder, Number(/:(\d+)\s*$/.exec(String(line))?.[1]), token, patients);
  }

  /** Whether the process is there; else what it said last. */
  get state(): string {
    const { exitCode, signalCode } = this.child;
    return exitCode === null && signalCode === null ? 'alive' : `${exitCode ?? signalCode}: ${this.#stderr}`;
  }

  /** What it said of failures that were not foreseen. */
  get failures(): string[] {
    return this.#stderr.split('\n').filter((line) => /^\S+ error: /.test(line));
  }

  get files(): number {
    return readdirSync(`/proc/${this.child.pid}/fd`).length;
  }

  get sockets(): number {
    const folder = `/proc/${this.child.pid}/fd`;
    const targets = readdirSync(folder).map((name) => {
      try {
        return readlinkSync(join(folder, name));
      } catch {
        return 'closed meanwhile';
      }
    });
    return targets.filter((target) => target.startsWith('socket:')).length;
  }

  /** Resident memory in MiB. */
  get memory(): number {
    const status = readFileSync(`/proc/${this.child.pid}/status`, 'utf8');
    const now = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
    this.peak = Math.max(this.peak, now);
    return now;
  }

  /** The size of the database with its log, in MiB. */
  get size(): number {
    return (sizeOf(join(this.folder, 'test.db')) + sizeOf(join(this.folder, 'test.db-wal'))) / 1024 / 1024;
  }

  async health(): Promise<number> {
    return (await fetch(`http://127.0.0.1:${this.port}/health`)).status;
  }

  /** What is wrong with the file and the rows in it. */
  faults(): string[] {
    const database = openDatabase(join(this.folder, 'test.db'));
    const store = storeOn(database);
    try {
      const faults = integrityFaults(database);
      const checks: [Iterable<object[]>, (row: unknown) => unknown][] = [
        [store.users.chunks({}), checksOf('user').record],
        [store.logs.chunks({}), checksOf('log').record],
      ];
      for (const [chunks, check] of checks)
        for (const row of [...chunks].flat())
          try {
            check(row);
          } catch {
            faults.push(JSON.stringify(row));
          }
      return faults;
    } finally {
      store.close();
    }
  }

  async stop(): Promise<void> {
    if (this.state === 'alive') {
      this.child.kill();
      await once(this.child, 'exit');
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}
