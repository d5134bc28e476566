import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { HistoryEntry } from '../../src/domain/history.ts';
import type { Log } from '../../src/domain/log.ts';
import type { Store } from '../../src/store/store.ts';
import { type Answer, type Call, guardedApp, nora, stretch } from './helpers.ts';

/** Each phone of one of these users, a clinic's computer for two of them, and one for all. */
const callers = {
  nora: { role: 'patient', users: [1] },
  ole: { role: 'patient', users: [2] },
  clinic: { role: 'provider', users: [1, 2] },
  boss: { role: 'admin', users: null },
} as const;

type Records = Map<string, unknown>;

/** A device that keeps records of its own, over a network that loses, repeats and reorders. */
class Device {
  records: Records = new Map();
  /** Up to where it has the changes; nothing before it first read everything. */
  since: number | undefined;
  readonly #late: Answer[] = [];

  constructor(
    private readonly call: Call,
    readonly headers: Record<string, string>,
  ) {}

  get(target: string): Promise<Answer> {
    return this.call('GET', target, { headers: this.headers });
  }

  async sync(limit: number, fate: 'arrives' | 'is lost' | 'comes twice' | 'comes late'): Promise<void> {
    if ((await this.get('/users')).status === 401) return this.#isErased();
    if (this.since === undefined) return this.readEverything();
    const answer = await this.get(`/changes?since=${this.since}&limit=${limit}`);
    if (fate === 'comes late') this.#late.push(answer);
    if (fate === 'arrives' || fate === 'comes twice') await this.#take(answer);
    if (fate === 'comes twice') await this.#take(answer);
  }

  async lateAnswersArrive(): Promise<void> {
    for (const answer of this.#late.splice(0).reverse()) await this.#take(answer);
  }

  /** Its user was erased, and its token is gone. */
  #isErased(): void {
    this.records = new Map();
    this.since = undefined;
  }

  /** First where the history ends, then the lists: what changes in between comes once more, and does no harm. */
  async readEverything(): Promise<void> {
    const { status, headers } = await this.call('HEAD', '/changes', { headers: this.headers });
    if (status === 401) return this.#isErased();
    this.records = new Map();
    for (const [record, target] of [
      ['user', '/users'],
      ['log', '/userExerciseLogs'],
    ]) {
      for (const one of (await this.get(target ?? '')).body as { id: number }[])
        this.records.set(`${record} ${one.id}`, one);
    }
    this.since = Number(headers['x-last-seq']);
  }

  async #take({ status, body, headers }: Answer): Promise<void> {
    if (status === 410) return this.readEverything();
    expect(status).toBe(200);
    for (const entry of body as HistoryEntry[]) this.#apply(entry);
    this.since = Math.max(this.since ?? 0, Number(headers['x-last-seq']));
  }

  #apply({ seq, record, id, action, after }: HistoryEntry): void {
    if (seq <= (this.since ?? 0)) return;
    this.since = seq;
    if (after) this.records.set(`${record} ${id}`, after);
    else this.records.delete(`${record} ${id}`);
    if (action !== 'erase') return;
    for (const [key, one] of this.records)
      if (key.startsWith('log ') && (one as Log).userId === id) this.records.delete(key);
  }
}

interface World {
  store: Store;
  call: Call;
  devices: Record<keyof typeof callers, Device>;
  /** The keys of the requests that were sent, with what was answered. */
  sent: Map<string, string>;
}

function fresh(): World {
  const { call, store } = guardedApp({ rate: { burst: 1e6, perSecond: 1e6 } });
  store.users.create({ ...nora, firstName: 'Ole' });
  store.users.create({ ...nora, firstName: 'Pia' });
  for (const userId of [1, 2, 2, 3]) store.logs.create({ ...stretch, userId });
  const device = ([name, token]: [string, (typeof callers)[keyof typeof callers]]) => {
    const { token: secret } = store.tokens.create({ name, ...token, lifetime: null });
    return [name, new Device(call, { authorization: `Bearer ${secret}` })];
  };
  return { store, call, devices: Object.fromEntries(Object.entries(callers).map(device)), sent: new Map() };
}

/** A POST that the device sends until it has an answer: how often it gets through before one does. */
async function post({ call, devices, sent, store }: World, who: 'nora' | 'boss', times: number, key: string) {
  const owner = store.users.has(1) ? 1 : 3;
  const body = [{ ...stretch, userId: owner, notes: key }];
  if (!store.users.has(owner)) return;
  const headers = { ...devices[who].headers, 'idempotency-key': key };
  const answers = await Promise.all(
    Array.from({ length: times }, () => call('POST', '/userExerciseLogs', { headers, body })),
  );
  for (const { status, text } of answers) {
    if (status !== 201) continue;
    expect(sent.get(key) ?? text).toBe(text);
    sent.set(key, text);
  }
}

const who = fc.constantFrom(...(Object.keys(callers) as (keyof typeof callers)[]));
const pick = fc.nat({ max: 99 });
const chosen = <T>(all: T[], at: number): T | undefined => all[at % Math.max(1, all.length)];

/** What may happen, anywhere. */
const happenings = fc.oneof(
  fc
    .tuple(
      who,
      fc.integer({ min: 1, max: 5 }),
      fc.constantFrom('arrives', 'is lost', 'comes twice', 'comes late'),
    )
    .map(([name, limit, fate]) => ({
      what: `${name} asks for ${limit}: it ${fate}`,
      run: ({ devices }: World) => devices[name].sync(limit, fate as 'arrives'),
    })),
  who.map((name) => ({
    what: `late answers reach ${name}`,
    run: ({ devices }: World) => devices[name].lateAnswersArrive(),
  })),
  fc
    .tuple(fc.constantFrom('nora', 'boss'), fc.integer({ min: 1, max: 3 }), fc.uuid())
    .map(([name, times, key]) => ({
      what: `${name} posts ${times} times with ${key}`,
      run: (world: World) => post(world, name as 'nora', times, key),
    })),
  fc.tuple(pick, fc.constantFrom(1, 2, 3)).map(([at, userId]) => ({
    what: `log ${at} goes to user ${userId}`,
    run: async ({ store }: World) => {
      const log = chosen(store.logs.list(), at);
      if (log && store.users.has(userId)) store.logs.update(log.id, { userId });
    },
  })),
  fc.tuple(pick, fc.integer({ min: 1, max: 10 })).map(([at, painAfter]) => ({
    what: `log ${at} is changed to ${painAfter}`,
    run: async ({ store }: World) => {
      const log = chosen(store.logs.list(), at);
      if (log) store.logs.update(log.id, { painAfter });
    },
  })),
  pick.map((at) => ({
    what: `log ${at} is deleted`,
    run: async ({ store }: World) => {
      const log = chosen(store.logs.list(), at);
      if (log) store.logs.delete(log.id);
    },
  })),
  fc.constantFrom(2, 3).map((id) => ({
    what: `user ${id} is deleted`,
    run: async ({ store }: World) => {
      if (store.users.has(id)) store.users.delete(id);
    },
  })),
  pick.map((at) => ({
    what: `change ${at} is undone`,
    run: async ({ store }: World) => {
      const entry = chosen(store.history.list(), at);
      if (!entry) return;
      try {
        store.undo(entry.change);
      } catch {
        // Something stands in the way.
      }
    },
  })),
  fc.tuple(pick, fc.constantFrom(2, 3), fc.boolean()).map(([at, id, isTheirs]) => ({
    what: `log ${at} goes ${isTheirs ? 'to' : 'from'} user ${id}, who is erased`,
    run: async ({ store }: World) => {
      const log = chosen(store.logs.list(isTheirs ? { userId: 1 } : { userId: id }), at);
      if (!log || !store.users.has(id) || !store.users.has(1)) return;
      store.logs.update(log.id, { userId: isTheirs ? id : 1 });
      store.erase(id);
    },
  })),
  fc.constantFrom(2, 3).map((id) => ({
    what: `user ${id} is erased`,
    run: async ({ store }: World) => {
      if (store.users.has(id)) store.erase(id);
    },
  })),
);

test('a device that goes on from its last seq ends with exactly the records that its caller may see', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(happenings, { minLength: 5, maxLength: 40 }), async (happened) => {
      const world = fresh();
      for (const { run } of happened) await run(world);
      for (const [name, device] of Object.entries(world.devices)) {
        await device.lateAnswersArrive();
        // Whose token was for an erased user only has no business here any more.
        if ((await device.get('/users')).status === 401) continue;
        for (let last = -1; last !== device.since; ) {
          last = device.since ?? -1;
          await device.sync(3, 'arrives');
        }
        const kept = device.records;
        await device.readEverything();
        expect([name, [...kept].sort()]).toEqual([name, [...device.records].sort()]);
      }
      const notes = world.store.history
        .list()
        .filter(({ record, action }) => record === 'log' && action === 'create');
      for (const key of world.sent.keys()) {
        const made = notes.filter(
          ({ after, undoes }) => undoes === undefined && (after as Log).notes === key,
        );
        expect(made.length).toBeLessThanOrEqual(1);
      }
    }),
    { numRuns: 60 },
  );
});
