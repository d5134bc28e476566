import { copyFileSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Change } from '../../src/companion/client.ts';
import {
  EMPTY,
  isOwn,
  type Kept,
  type Lock,
  type Notebook,
  overlap,
  recordsOf,
  refusedToken,
  type Shelf,
  taken,
  tried,
  unread,
  type Write,
} from '../../src/companion/notebook.ts';
import { Offline } from '../../src/companion/offline.ts';
import { type RunningServer, startServer } from '../../src/http/server.ts';
import { prepareRestore } from '../../src/store/maintenance/restore.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { freshPath, nora, session } from '../helpers.ts';
import { workerFile } from '../http/helpers.ts';

/** The offline client of docs/companion-app.md, against the real service, with all that can go wrong, in any order. */

/** A notebook in memory. What is read from it is a copy, as from a database. */
class Memory implements Shelf {
  kept: Notebook = EMPTY;
  async read() {
    return structuredClone(this.kept);
  }
  async update(work: (kept: Notebook) => Notebook) {
    this.kept = structuredClone(work(structuredClone(this.kept)));
    return structuredClone(this.kept);
  }
}

/** Locks as a browser's: one after the other. */
function locks(): Lock {
  const last = new Map<string, Promise<unknown>>();
  return (name, work) => {
    const next = (last.get(name) ?? Promise.resolve()).then(work, work);
    last.set(name, next);
    return next;
  };
}

/** A service whose database is backed up, restored and edited, and a phone with two tabs. */
class World {
  readonly path = freshPath();
  readonly phone = new Memory();
  readonly tabs: readonly Offline[];
  readonly #backups: string[] = [];
  store: Store;
  server!: RunningServer;
  #port = 0;
  #tokens = 0;

  constructor(private readonly random: () => number) {
    const lock = locks();
    this.tabs = [new Offline(this.phone, lock), new Offline(this.phone, lock)];
    this.store = openStore(this.path);
    this.store.users.create({ ...nora, firstName: 'Other' });
    this.store.users.create(nora);
  }

  async start() {
    this.server = await startServer(this.store, {
      host: '127.0.0.1',
      port: this.#port,
      origins: { allowHosts: [], allowOrigins: [] },
      auth: { burst: 100_000, perSecond: 100_000 },
      workerFile,
      log: () => {},
    });
    this.#port = this.server.port;
  }

  /** Ten calls with invalid tokens are all that an address may make: a new service does not know of them. */
  async restart() {
    await this.server.stop();
    await this.start();
  }

  async stop() {
    await this.server.stop();
    this.store.close();
  }

  backUp() {
    this.store.checkpoint();
    const copy = `${this.path}.${this.#backups.length}`;
    copyFileSync(this.path, copy);
    this.#backups.push(copy);
  }

  /** @returns whether there was a backup */
  async restore(): Promise<boolean> {
    const copy = this.#backups[Math.floor(this.random() * this.#backups.length)];
    if (copy === undefined) return false;
    await this.stop();
    const prepared = prepareRestore(copy, this.path);
    prepared.apply(`${performance.now()}`);
    prepared.close();
    this.store = openStore(this.path);
    await this.start();
    return true;
  }

  forgetBackups() {
    this.#backups.length = 0;
  }

  /** Pairs the phone with the latest user. */
  async pair(lifetime: number | null = null) {
    const users = [this.latest];
    const name = `phone ${this.#tokens++} ${performance.now()}`.replace('.', '-');
    const { token } = this.store.tokens.create({ name, role: 'patient', users, lifetime });
    await this.phone.update(({ ended: _, ...kept }) => ({
      ...kept,
      token,
      url: `http://127.0.0.1:${this.#port}`,
    }));
    return name;
  }

  get latest(): number {
    return this.store.users.list({ sort: '-id', limit: 1 })[0]?.id ?? 0;
  }

  get logs() {
    return this.store.logs.list({ userId: this.latest });
  }
}

/** Lets some requests fail on the way there, or their answers on the way back. */
function unreliable(random: () => number) {
  const network = { loss: 0 };
  const reliable = globalThis.fetch;
  vi.stubGlobal('fetch', async (...request: Parameters<typeof fetch>) => {
    if (random() < network.loss) throw new TypeError('fetch failed');
    // A connection that a service before closed is no fault of the network.
    const response = await reliable(...request).catch(() => reliable(...request));
    if (random() < network.loss) throw new TypeError('fetch failed');
    return response;
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  return network;
}

/** Linear congruential generator (Numerical Recipes). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const bare = ({ etag: _, ...record }: Kept) => record;
const path = '/userExerciseLogs';

/** What is expected of a log that the phone recorded, by its notes. */
type Expected = { after: number } | 'gone' | 'anything';

test.each([1, 2, 3])(
  '300 steps at random (%i): the copy is the service’s, nothing answered is lost, nothing erased is kept, nothing is there twice',
  async (seed) => {
    const random = generator(seed);
    const network = unreliable(random);
    const world = new World(random);
    await world.start();
    onTestFinished(() => world.stop());
    await world.pair();
    let expected = new Map<string, Expected>();
    let count = 0;
    const seen: Record<string, number> = {};
    const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
    const sync = async () => {
      const outcomes = await Promise.allSettled(
        world.tabs.filter(() => random() < 0.7).map((tab) => tab.sync()),
      );
      for (const outcome of outcomes)
        if (outcome.status === 'rejected') expect(String(outcome.reason)).toContain('fetch failed');
    };
    const know = (log: Kept, what: Expected) => {
      const notes = String(log['notes']);
      if (expected.has(notes) && expected.get(notes) !== 'anything') expected.set(notes, what);
    };
    const anything = (notes: string) => expected.has(notes) && expected.set(notes, 'anything');

    const steps: Record<string, () => Promise<unknown> | unknown> = {
      create: () => {
        const notes = `person ${world.latest} log ${count++}`;
        expected.set(notes, { after: 4 });
        const body = { ...session, userId: world.latest, notes, painAfter: 4 };
        return pick(world.tabs)?.create('log', path, world.latest, body);
      },
      change: async () => {
        const log = pick(recordsOf(world.phone.kept, 'log'));
        if (!log) return;
        const after = 1 + Math.floor(random() * 10);
        know(log, { after });
        await pick(world.tabs)?.change('log', path, log.id, { painAfter: after });
      },
      delete: async () => {
        const log = pick(recordsOf(world.phone.kept, 'log'));
        if (!log || random() < 0.5) return;
        know(log, 'gone');
        await pick(world.tabs)?.change('log', path, log.id);
      },
      sync,
      'lossy sync': async () => {
        network.loss = 0.15;
        await sync();
        network.loss = 0;
      },
      'edit by another': () => {
        const log = pick(world.logs);
        if (!log) return;
        anything(log.notes);
        if (random() < 0.3) world.store.logs.delete(log.id);
        else if (random() < 0.5) world.store.logs.update(log.id, { exerciseName: `other ${count++}` });
        else world.store.logs.update(log.id, { painAfter: 10 });
      },
      'record by another': () =>
        world.store.logs.create({ ...session, userId: world.latest, notes: `terminal ${count++}` }),
      backup: () => world.backUp(),
      restore: async () => {
        if (random() < 0.4 && (await world.restore())) await world.pair();
      },
      revoke: async () => {
        const name = await world.pair();
        await sync();
        world.store.tokens.revoke(name);
        await Promise.all(world.tabs.map((tab) => tab.sync()));
        expect(world.phone.kept.ended).toBe('token-revoked');
        await world.restart();
        await world.pair();
      },
      expire: async () => {
        await world.pair(1);
        await new Promise((resolve) => setTimeout(resolve, 5));
        await Promise.all(world.tabs.map((tab) => tab.sync()));
        expect(world.phone.kept.ended).toBe('token-expired');
        await world.restart();
        await world.pair();
      },
      erase: async () => {
        if (random() < 0.6) return;
        await sync();
        const person = world.latest;
        world.store.erase(person);
        // A backup would bring the person back: who erases deletes it as well.
        world.forgetBackups();
        await Promise.all(world.tabs.map((tab) => tab.sync()));
        expect(world.phone.kept).toMatchObject({
          ended: 'person-erased',
          waiting: [],
          answered: [],
          records: {},
        });
        expect(JSON.stringify(world.phone.kept)).not.toContain(`person ${person} `);
        world.store.users.create(nora);
        expected = new Map();
        await world.restart();
        await world.pair();
      },
    };
    for (let step = 0; step < 300; step++) {
      const often = ['create', 'create', 'change', 'sync', 'lossy sync'];
      const name = pick([...Object.keys(steps), ...often]) ?? 'sync';
      seen[name] = (seen[name] ?? 0) + 1;
      await steps[name]?.();
      if (step % 7 !== 0) continue;
      await world.tabs[0]?.sync();
      const { kept } = world.phone;
      const where = `step ${step}, after ${name}`;
      expect(kept.waiting, where).toEqual([]);
      expect(
        recordsOf(kept, 'log')
          .map(bare)
          .sort((a, b) => a.id - b.id),
        where,
      ).toEqual(world.logs);
      const notes = world.logs.map((log) => log.notes);
      expect(new Set(notes).size, where).toBe(notes.length);
      for (const { before } of kept.refused) anything(String(before?.['notes']));
      for (const [name, what] of expected) {
        if (what === 'anything') continue;
        const log = world.logs.find((one) => one.notes === name);
        expect(log && { after: log.painAfter }, `${where}: ${name}`).toEqual(
          what === 'gone' ? undefined : what,
        );
      }
    }
    expect(Object.keys(seen).sort()).toEqual(Object.keys(steps).sort());
  },
  60_000,
);

test('no more waits than is kept, and what was not sent yet is changed in its place', async () => {
  const phone = new Memory();
  const offline = new Offline(phone, locks());
  const body = { ...session, userId: 1 };
  const id = await offline.create('log', path, 1, body);
  // Many at once: each on its own would copy all of them.
  await phone.update((kept) => {
    const [first] = kept.waiting as [Write];
    const others = Array.from({ length: 998 }, (_, i) => ({ ...first, key: `${i}`, id: -2 - i }));
    return { ...kept, waiting: [first, ...others], made: 999 };
  });
  await offline.create('log', path, 1, body);
  await expect(offline.create('log', path, 1, body)).rejects.toThrow('1000 entries wait to be sent');
  await offline.change('log', path, id, { notes: 'a' });
  await offline.change('log', path, id, { notes: 'b', painAfter: 1 });
  expect(phone.kept.waiting.length).toBe(1_000);
  expect(phone.kept.waiting[0]?.body).toEqual({ ...body, notes: 'b', painAfter: 1 });
  await offline.change('log', path, id);
  expect(phone.kept.waiting.length).toBe(999);
  // Nor is a deletion sent that was taken back before.
  const record: Kept = { id: 7, userId: 1 };
  await phone.update((kept) => ({ ...kept, records: { log: { 7: record } }, waiting: [] }));
  await offline.change('log', path, 7);
  await offline.restore('log', path, record);
  expect(phone.kept.waiting).toEqual([]);
  await offline.change('log', path, 7);
  await phone.update((kept) => ({
    ...kept,
    waiting: kept.waiting.map((one) => ({ ...one, wasTried: true })),
  }));
  await offline.restore('log', path, record);
  expect(phone.kept.waiting.map(({ what }) => what)).toEqual(['delete', 'restore']);
  // What may have arrived stays as it was sent.
  await phone.update((kept) => ({ ...kept, waiting: [] }));
  const arrived = await offline.create('log', path, 1, body);
  await phone.update(tried);
  await offline.change('log', path, arrived, { notes: 'c' });
  await offline.change('log', path, arrived);
  const said = phone.kept.waiting.map((write) => [write.what, write.body]);
  expect(said).toEqual([
    ['create', body],
    ['change', { notes: 'c' }],
    ['delete', undefined],
  ]);
});

test('what waits for one person is never sent as another’s, and is shown', async () => {
  const world = new World(generator(1));
  await world.start();
  onTestFinished(() => world.stop());
  await world.pair();
  const [tab] = world.tabs;
  await tab?.create('log', path, 2, { ...session, userId: 2, notes: 'answered' });
  await tab?.sync();
  await tab?.create('log', path, 2, { ...session, userId: 2, notes: 'mine' });
  const { token } = world.store.tokens.create({ name: 'o', role: 'patient', users: [1], lifetime: null });
  await world.phone.update((kept) => ({ ...kept, token }));
  await tab?.sync();
  const { waiting, answered, refused, records } = world.phone.kept;
  expect([waiting, answered, refused.map(({ body }) => body?.['notes'])]).toEqual([[], [], ['mine']]);
  expect(Object.keys(records['user'] ?? {})).toEqual(['1']);
  expect(world.store.logs.count()).toBe(1);
  // The same person in another database is somebody else.
  await tab?.create('log', path, 1, { ...session, userId: 1, notes: 'elsewhere' });
  await world.phone.update((kept) => ({ ...kept, database: 'another' }));
  await tab?.sync();
  const others = world.phone.kept.refused;
  expect(others.map(({ body }) => body?.['notes'])).toEqual(['mine', 'elsewhere']);
  // One is understood, and the other still to be read.
  await tab?.dismiss(others[0]?.key ?? '');
  expect(world.phone.kept.refused).toEqual([others[1]]);
  expect(world.store.logs.count()).toBe(1);
});

/** A phone that is paired with the latest user and has everything. */
async function paired() {
  unreliable(generator(1));
  const world = new World(generator(1));
  await world.start();
  onTestFinished(() => world.stop());
  const name = await world.pair();
  const [tab] = world.tabs as [Offline];
  await tab.sync();
  return { world, tab, name };
}

/** What one answer of a sync may be in place of the right one. */
const faults: Record<
  string,
  (really: () => Promise<Response>, world: World, name: string) => Promise<Response>
> = {
  'no network': async () => {
    throw new TypeError('fetch failed');
  },
  'an answer that is lost': async (really) => {
    await really();
    throw new TypeError('fetch failed');
  },
  'a page of a proxy that asks who calls': async () => new Response('<h1>Who?</h1>', { status: 401 }),
  'a page of a proxy that is not reached': async () => new Response('<h1>No.</h1>', { status: 502 }),
  'a page of a captive portal': async () => new Response('<h1>Pay</h1>', { status: 200 }),
  'too many requests': async () => Response.json({ status: 429 }, { status: 429 }),
  'a service that restarts': async (really, world) => {
    await world.restart();
    return really();
  },
  'a token that was revoked': async (really, world, name) => {
    world.store.tokens.revoke(name);
    return really();
  },
  'a person who was erased': async (really, world) => {
    world.store.erase(world.latest);
    return really();
  },
};

test.each(Object.entries(faults))(
  '%s, at whichever request, loses nothing and stops nothing',
  async (fault, answer) => {
    for (let at = 0; ; at++) {
      const { world, tab, name } = await paired();
      const user = world.latest;
      const reliable = globalThis.fetch;
      const notes = ['kept', 'gone', 'back'];
      const [kept = 0, gone = 0, back = 0] = notes.map(
        (notes) => world.store.logs.create({ ...session, userId: user, notes }).id,
      );
      world.store.logs.delete(back);
      // Everything is read anew, so that every way there is gets a fault.
      await world.phone.update(({ since: _, ...all }) => all);
      await tab.sync();
      await tab.create('log', path, user, { ...session, userId: user, notes: 'new' });
      await tab.change('log', path, kept, { painAfter: 1 });
      await tab.change('log', path, gone);
      await tab.restore('log', path, { ...session, id: back, userId: user, notes: 'back' });
      await world.phone.update(({ since: _, ...all }) => all);
      let asked = 0;
      vi.stubGlobal('fetch', (...request: Parameters<typeof fetch>) => {
        const really = () => reliable(...request);
        return asked++ === at ? answer(really, world, name) : really();
      });
      await tab.sync().catch(() => {});
      vi.stubGlobal('fetch', reliable);
      // Every request had its turn.
      if (asked <= at) return expect(at).toBe(11);
      await tab.sync();
      const { refused, ended } = world.phone.kept;
      const where = `at request ${at}`;
      if (fault === 'a person who was erased') {
        expect(world.phone.kept, where).toEqual({ ...EMPTY, ended: 'person-erased' });
        continue;
      }
      if (fault === 'a token that was revoked') {
        expect(ended, where).toBe('token-revoked');
        await world.pair();
        await tab.sync();
      } else expect(ended, where).toBeUndefined();
      expect([world.phone.kept.waiting, refused], where).toEqual([[], []]);
      expect(
        world.logs.map(({ notes, painAfter }) => [notes, painAfter]),
        where,
      ).toEqual([
        ['kept', 1],
        ['back', session.painAfter],
        ['new', session.painAfter],
      ]);
    }
  },
);

const pains = '/painEntries';

test('what waits for a session is not taken for that of a pain entry with the same id', async () => {
  const { world, tab } = await paired();
  const user = world.latest;
  const log = world.store.logs.create({ ...session, userId: user });
  const entries = world.store.of('painEntry');
  const entry = entries.create({ userId: user, date: session.date, pain: 7 });
  expect(log.id).toBe(entry.id);
  await tab.sync();
  await tab.change('log', path, log.id, { notes: 'edited' });
  await tab.change('painEntry', pains, entry.id, { pain: 3 });
  await tab.sync();
  expect(world.phone.kept.refused).toEqual([]);
  expect([world.store.logs.get(log.id).notes, entries.get(entry.id).pain]).toEqual(['edited', 3]);
  // Deleted long ago, and brought back while the deletion of the other waits.
  await tab.change('painEntry', pains, entry.id);
  await tab.sync();
  await tab.change('log', path, log.id);
  await tab.restore('painEntry', pains, { ...entry });
  await tab.sync();
  expect([world.store.logs.count(), entries.count()]).toEqual([0, 1]);
});

test('a session that has another id after a restore takes no pain entry of its old id with it', async () => {
  const { world, tab } = await paired();
  const user = world.latest;
  const entries = world.store.of('painEntry');
  const [first] = [5, 6].map((pain) => entries.create({ userId: user, date: session.date, pain }));
  world.backUp();
  await tab.create('log', path, user, { ...session, userId: user });
  await tab.sync();
  const [log] = world.logs;
  expect(log?.id).toBe(first?.id);
  await tab.change('painEntry', pains, first?.id ?? 0, { pain: 1 });
  await world.restore();
  await world.pair();
  await tab.sync();
  expect(world.logs[0]?.id).not.toBe(log?.id);
  expect(
    world.store
      .of('painEntry')
      .list()
      .map(({ pain }) => pain),
  ).toEqual([1, 6]);
});

test('what was changed here and then deleted is deleted, without a question', async () => {
  const { world, tab } = await paired();
  await tab.create('log', path, world.latest, { ...session, userId: world.latest, medication: 'a' });
  await tab.sync();
  const [log] = world.logs;
  await tab.change('log', path, log?.id ?? 0, { notes: 'by mistake', medication: null });
  await tab.change('log', path, log?.id ?? 0);
  await tab.sync();
  expect([world.phone.kept.refused, world.logs]).toEqual([[], []]);
  // What somebody else has changed meanwhile is not.
  const other = world.store.logs.create({ ...session, userId: world.latest });
  await tab.sync();
  await tab.change('log', path, other.id);
  world.store.logs.update(other.id, { notes: 'important' });
  await tab.sync();
  expect([world.phone.kept.refused.length, world.logs.length]).toEqual([1, 1]);
});

test('a first answer that comes again brings back neither what is deleted since nor what was said before', async () => {
  const { world, tab } = await paired();
  const create = () =>
    tab.create('log', path, world.latest, { ...session, userId: world.latest, notes: 'first' });
  const logs = () => recordsOf(world.phone.kept, 'log').map(bare);
  /** Syncs, and loses the answer to what waits. */
  const loseAnswer = async () => {
    const reliable = globalThis.fetch;
    vi.stubGlobal('fetch', async (...request: Parameters<typeof fetch>) => {
      const response = await reliable(...request);
      if (request[1]?.method === 'POST') throw new TypeError('fetch failed');
      return response;
    });
    await expect(tab.sync()).rejects.toThrow('fetch failed');
    vi.stubGlobal('fetch', reliable);
  };
  await create();
  await loseAnswer();
  const id = world.logs[0]?.id ?? 0;
  world.store.logs.update(id, { notes: 'second' });
  await tab.sync();
  expect(logs()).toEqual(world.logs);
  await tab.change('log', path, id, { painAfter: 1 });
  await loseAnswer();
  world.store.logs.update(id, { painAfter: 9 });
  await tab.sync();
  expect(logs()).toEqual(world.logs);
  await tab.change('log', path, id, { painAfter: 2 });
  await loseAnswer();
  world.store.logs.delete(id);
  await tab.sync();
  expect([logs(), world.phone.kept.waiting]).toEqual([[], []]);
  const { length } = world.phone.kept.refused;
  await create();
  await loseAnswer();
  const again = world.logs[0]?.id ?? 0;
  await tab.sync();
  // What others did meanwhile just so is no fault: deleted, brought back, and deleted before it was told of.
  await tab.change('log', path, again);
  world.store.logs.delete(again);
  await tab.sync();
  await tab.restore('log', path, { ...session, userId: world.latest, id: again });
  world.store.logs.restore({ ...session, userId: world.latest, id: again });
  await tab.sync();
  await create();
  await loseAnswer();
  world.store.logs.delete(world.logs.at(-1)?.id ?? 0);
  await tab.sync();
  expect([world.phone.kept.refused.length, world.phone.kept.waiting]).toEqual([length, []]);
});

test('of the people whom a provider sees nothing is kept, whatever waits', async () => {
  const { world, tab } = await paired();
  await tab.create('log', path, world.latest, { ...session, userId: world.latest, notes: 'mine' });
  const { token } = world.store.tokens.create({ name: 'p', role: 'provider', users: null, lifetime: null });
  await world.phone.update(({ role: _, ...kept }) => ({ ...kept, token }));
  await tab.sync();
  const { records, since, waiting, refused } = world.phone.kept;
  expect([records, since, waiting.length, refused]).toEqual([{}, undefined, 1, []]);
  expect(world.store.logs.count()).toBe(0);
  // It goes on waiting for its person.
  await world.pair();
  await tab.sync();
  expect([world.logs.length, world.phone.kept.role, world.phone.kept.refused]).toEqual([1, 'patient', []]);
});

test.each<[before: object, current: object, body: Write['body'], isSame: boolean]>([
  [{ painAfter: 4 }, { painAfter: 3 }, { painAfter: 5 }, true],
  [{ painAfter: 4 }, { painAfter: 3 }, { notes: 'a' }, false],
  // What helped was said of the pain as it was.
  [{ painAfter: 4 }, { painAfter: 3 }, { effective: true }, true],
  [{ effective: true }, { effective: false }, { painBefore: 3 }, true],
  // Both said the same.
  [{ painAfter: 4 }, { painAfter: 3 }, { painAfter: 3 }, false],
  [{ painAfter: 4 }, { painAfter: 3, effective: true }, { painAfter: 3, effective: false }, true],
  [{ notes: 'a' }, {}, { notes: null }, false],
  [{ painAfter: 4 }, { painAfter: 3 }, undefined, true],
])('of %j somebody made %j: whether %j changes the same: %s', (before, current, body, isSame) => {
  const [one, other] = [before, current].map((fields): Kept => ({ id: 1, ...fields })) as [Kept, Kept];
  expect(overlap(one, other, body)).toBe(isSame);
});

const write = (given: Partial<Write>): Write => ({
  key: 'a',
  what: 'change',
  path,
  kind: 'log',
  userId: 1,
  id: 5,
  ...given,
});

test.each<[Partial<Write>, seen: object[]]>([
  [{ what: 'create', id: -1, body: { notes: 'a' } }, [{ id: -1, userId: 1, notes: 'a' }]],
  [
    { body: { notes: 'a' }, before: { id: 5, userId: 1, painAfter: 2 } },
    [{ id: 5, notes: 'a', painAfter: 2 }],
  ],
  [{ what: 'restore', before: { id: 5, userId: 1 } }, [{ id: 5, userId: 1 }]],
  [{ what: 'delete', before: { id: 5, userId: 1 } }, []],
])('what waits is seen, where the service has nothing of it: %j', (given, seen) => {
  expect(recordsOf({ ...EMPTY, waiting: [write(given)] }, 'log')).toMatchObject(seen);
});

test('nothing stays of an erased person, nor of what became somebody else’s', () => {
  const writes = [write({ userId: 1 }), write({ userId: 2 })];
  const kept: Notebook = {
    ...EMPTY,
    person: 1,
    records: {
      user: { 1: { id: 1 }, 2: { id: 2 } },
      log: { 2: { id: 2, userId: 1 }, 8: { id: 8, userId: 2 } },
    },
    waiting: writes,
    answered: writes,
    refused: writes,
  };
  const own = [writes[0]];
  expect(taken(kept, { action: 'erase', record: 'user', id: 2 } as Change)).toEqual({
    ...kept,
    records: { user: { 1: { id: 1 } }, log: { 2: { id: 2, userId: 1 } } },
    waiting: own,
    answered: own,
    refused: own,
  });
  const after = { id: 2, ...session, userId: 2 };
  const moved = { action: 'update', record: 'log', id: 2, after } as Change;
  expect(Object.keys(taken(kept, moved).records['log'] ?? {})).toEqual(['8']);
  // Nor does a token that is given up end the one that came meanwhile.
  expect(refusedToken({ ...kept, token: 'new' }, 'old', 'token-revoked').ended).toBeUndefined();
});

test('what was answered is kept for 90 days', async () => {
  const { world, tab } = await paired();
  const days = (count: number) => Date.now() - count * 24 * 60 * 60 * 1000;
  const answered = [89, 91].map((count) => write({ key: `${count}`, at: days(count) }));
  await world.phone.update((kept) => ({ ...kept, answered }));
  await tab.create('log', path, world.latest, { ...session, userId: world.latest });
  await tab.sync();
  expect(world.phone.kept.answered.map(({ key }) => key)).toEqual(['89', expect.stringMatching(/^.{36}$/)]);
});

test('what the service cannot do now goes on waiting', async () => {
  const { world, tab } = await paired();
  await tab.create('log', path, world.latest, { ...session, userId: world.latest });
  const reliable = globalThis.fetch;
  for (const status of [408, 429, 500, 502, 503, 504, 507]) {
    vi.stubGlobal('fetch', async (...request: Parameters<typeof fetch>) =>
      request[1]?.method === 'POST'
        ? new Response(JSON.stringify({ type: 'about:blank', status, detail: 'later' }), { status })
        : reliable(...request),
    );
    await expect(tab.sync(), `${status}`).rejects.toThrow('later');
    expect([status, world.phone.kept.waiting.length, world.phone.kept.refused]).toEqual([status, 1, []]);
  }
});

test('what is read for one token is not kept for another that came meanwhile', async () => {
  const { world, tab } = await paired();
  const { token } = world.store.tokens.create({ name: 'o', role: 'patient', users: [1], lifetime: null });
  await world.phone.update(({ since: _, ...kept }) => ({ ...kept, records: {} }));
  const reliable = globalThis.fetch;
  vi.stubGlobal('fetch', async (...request: Parameters<typeof fetch>) => {
    const response = await reliable(...request);
    await world.phone.update((kept) => ({ ...kept, token }));
    return response;
  });
  await tab.sync();
  expect(world.phone.kept.records).toEqual({});
});

/** Lets something happen around a request: `before` it arrives, or `after` it was answered. */
function around(
  isIt: (method: string, url: string) => boolean,
  { before, after }: { before?: () => unknown; after?: () => unknown },
) {
  const reliable = globalThis.fetch;
  vi.stubGlobal('fetch', async (...request: Parameters<typeof fetch>) => {
    const isThis = isIt(request[1]?.method ?? 'GET', String(request[0]));
    if (isThis) await before?.();
    const response = await reliable(...request);
    if (isThis) await after?.();
    return response;
  });
}

test('changes that do not fit on one page are all taken over', async () => {
  const { world, tab } = await paired();
  const userId = world.latest;
  world.store.change(() => {
    for (let i = 0; i < 1_001; i++) world.store.logs.create({ ...session, userId });
  });
  await tab.sync();
  expect(recordsOf(world.phone.kept, 'log').length).toBe(1_001);
});

test('what happens while everything is read is not missed', async () => {
  const { world, tab } = await paired();
  const userId = world.latest;
  await world.phone.update(({ since: _, ...kept }) => kept);
  const after = () => world.store.logs.create({ ...session, userId, notes: 'meanwhile' });
  around((_, url) => url.includes('/painEntries'), { after });
  await tab.sync();
  expect(recordsOf(world.phone.kept, 'log')).toMatchObject([{ notes: 'meanwhile' }]);
});

test('a user who is deleted while everything is read is no fault', async () => {
  const { world, tab } = await paired();
  const user = world.latest;
  await world.phone.update(({ since: _, ...kept }) => kept);
  around((_, url) => url.includes('/users?'), { after: () => world.store.users.delete(user) });
  await tab.sync();
  expect(recordsOf(world.phone.kept, 'user')).toEqual([]);
});

test('what is changed while it is sent is sent as well', async () => {
  const { world, tab } = await paired();
  const id = await tab.create('log', path, world.latest, { ...session, userId: world.latest });
  const before = () => world.tabs[1]?.change('log', path, id, { notes: 'meanwhile' });
  around((method, url) => method === 'POST' && url.endsWith(path), { before });
  await tab.sync();
  expect(world.logs).toMatchObject([{ notes: 'meanwhile' }]);
});

test('what is changed elsewhere after a conflict, and before the next try, is asked about', async () => {
  const { world, tab } = await paired();
  const { id } = world.store.logs.create({ ...session, userId: world.latest });
  await tab.sync();
  await tab.change('log', path, id, { painAfter: 1 });
  world.store.logs.update(id, { notes: 'theirs' });
  let tries = 0;
  const before = () => tries++ === 1 && world.store.logs.update(id, { painAfter: 9 });
  around((_, url) => url.endsWith('/batch'), { before });
  await tab.sync();
  expect([tries, world.logs[0]?.painAfter]).toEqual([2, 9]);
  expect(world.phone.kept.refused).toMatchObject([{ body: { painAfter: 1 }, problem: { status: 412 } }]);
});

test('what a restored backup lacks is sent again later where the service cannot take it now', async () => {
  const { world, tab } = await paired();
  world.backUp();
  await tab.create('log', path, world.latest, { ...session, userId: world.latest, notes: 'new' });
  await tab.sync();
  await world.restore();
  await world.pair();
  const reliable = globalThis.fetch;
  vi.stubGlobal('fetch', async (...request: Parameters<typeof fetch>) =>
    request[1]?.method === 'POST'
      ? Response.json({ type: 'about:blank', status: 503, detail: 'later' }, { status: 503 })
      : reliable(...request),
  );
  await expect(tab.sync()).rejects.toThrow('later');
  vi.stubGlobal('fetch', reliable);
  await tab.sync();
  expect(world.logs).toMatchObject([{ notes: 'new' }]);
});

test('a phone that is not paired any more asks for nothing', async () => {
  const { world, tab } = await paired();
  await world.phone.update((kept) => ({ ...kept, ended: 'token-revoked' }));
  let asked = 0;
  around(() => true, { before: () => asked++ });
  await tab.sync();
  await tab.follow(new AbortController().signal);
  expect(asked).toBe(0);
});

test('no browser adds cookies to a request, or answers it from what it keeps', async () => {
  const { tab } = await paired();
  const reliable = globalThis.fetch;
  const seen = new Set<string>();
  vi.stubGlobal('fetch', (...request: Parameters<typeof fetch>) => {
    const { credentials, cache } = request[1] as unknown as Record<string, string>;
    seen.add(`${credentials} ${cache}`);
    return reliable(...request);
  });
  await tab.sync();
  expect([...seen]).toEqual(['omit no-store']);
});

test.each<[Partial<Notebook>, isOwn: boolean]>([
  [{ token: 'a' }, true],
  [{ token: 'a', role: null }, true],
  [{ token: 'a', role: 'patient' }, true],
  [{ token: 'a', role: 'provider', person: 1 }, false],
  [{ person: 1 }, true],
  [{}, false],
])('whether a diary is one’s own, with %j: %j', (given, expected) => {
  expect(isOwn({ ...EMPTY, ...given })).toBe(expected);
});

test('nothing that was read stays of another diary, and what waits does', () => {
  const own: Notebook = { ...EMPTY, token: 'a', waiting: [write({})], refused: [write({})] };
  const read = {
    since: 1,
    names: [],
    summary: { at: '', figures: {} as never },
    trial: { date: '', isLate: false, words: '' },
  };
  expect(unread({ ...own, ...read, records: { log: {} } })).toEqual(own);
});
