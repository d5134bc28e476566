import { type Change, nextOf, type Problem, Refused, Service } from './client.ts';
import {
  EMPTY,
  etagOf,
  isAbout,
  isOwn,
  type Kept,
  type Lock,
  type Notebook,
  noted,
  nowOf,
  overlap,
  recordsOf,
  refusedToken,
  type Shelf,
  taken,
  tried,
  unread,
  type Write,
} from './notebook.ts';

const KEPT_MS = 90 * 24 * 60 * 60 * 1000;

/** The lists of each user that a full read reads. @param user id of the user */
const listsOf = (user: number): [kind: Change['record'], path: string][] => [
  ['log', `/users/${user}/userExerciseLogs`],
  ['routine', `/users/${user}/routines`],
  ['painEntry', `/users/${user}/painEntries`],
];

/** Thrown when the notebook was emptied, or became that of another diary, since a sync began. */
class Replaced extends Error {}

/** Ids are unique within a kind only. */
const placeOf = ({ kind, id }: Write): string => `${kind} ${id}`;

const whoseOf = ({ url, token, person }: Notebook): string => `${url} ${token} ${person}`;

function ofSame(kept: Notebook, whose: string): Notebook {
  if (whoseOf(kept) !== whose) throw new Replaced();
  return kept;
}

/** A replica of the records of one service that works without a network. */
export class Offline {
  /** Identifies the diary with which the running sync began. */
  #whose = '';

  constructor(
    private readonly shelf: Shelf,
    private readonly lock: Lock,
    private readonly newKey: () => string = () => crypto.randomUUID(),
  ) {}

  /** Adds a new record, for `sync` to send. @returns its negative id @throws Full, as every method that adds a write */
  async create(kind: Change['record'], path: string, userId: number, body: Record<string, unknown>) {
    const { made } = await this.shelf.update((kept) => {
      const write: Write = {
        key: this.newKey(),
        what: 'create',
        path,
        kind,
        userId,
        id: -1 - kept.made,
        body,
      };
      return { ...noted(kept, write), made: kept.made + 1 };
    });
    return -made;
  }

  /**
   * Adds a change of some fields of a record or, without `body`, its deletion, for `sync` to send.
   * @returns the record as it was before; undefined if there is none
   */
  async change(
    kind: Change['record'],
    path: string,
    id: number,
    body?: Record<string, unknown>,
  ): Promise<Kept | undefined> {
    let before: Kept | undefined;
    await this.shelf.update((kept) => {
      before = recordsOf(kept, kind).find((record) => record.id === id || record.id === nowOf(kept, id));
      if (!before) return kept;
      const now = before.id;
      const unsent = kept.waiting.findLast((write) => isAbout(kept, write, kind, now) && !write.wasTried);
      // A write that was never sent is removed or extended, in place of a further write.
      if (!body && unsent?.what === 'create')
        return { ...kept, waiting: kept.waiting.filter((write) => write.id !== unsent.id) };
      if (body && (unsent?.what === 'create' || unsent?.what === 'change')) {
        const merged = { ...unsent, body: { ...unsent.body, ...body } };
        return { ...kept, waiting: kept.waiting.map((write) => (write === unsent ? merged : write)) };
      }
      const write: Write = {
        key: this.newKey(),
        what: body ? 'change' : 'delete',
        path,
        kind,
        userId: before.userId ?? now,
        id: now,
        before,
        ...(body && { body }),
      };
      return noted(kept, write);
    });
    return before;
  }

  /** Adds the restoration of a deleted record, for `sync` to send. */
  async restore(kind: Change['record'], path: string, record: Kept): Promise<void> {
    await this.shelf.update((kept) => {
      const id = nowOf(kept, record.id);
      // A deletion that was never sent is removed.
      const unsent = kept.waiting.find(
        (write) => write.what === 'delete' && isAbout(kept, write, kind, id) && !write.wasTried,
      );
      if (unsent) return { ...kept, waiting: kept.waiting.filter((write) => write !== unsent) };
      const userId = record.userId ?? record.id;
      const write: Write = {
        key: this.newKey(),
        what: 'restore',
        path,
        kind,
        userId,
        id: record.id,
        before: record,
      };
      return noted(kept, write);
    });
  }

  /** Removes a refused write, once the person knows. */
  async dismiss(key: string): Promise<void> {
    await this.shelf.update((kept) => ({
      ...kept,
      refused: kept.refused.filter((write) => write.key !== key),
    }));
  }

  /**
   * Reads the changes of the service, and sends the writes that wait, in order. Safe at any moment, and in several tabs.
   * @throws TypeError without a network, Refused when the service cannot do it now: try again later
   */
  async sync(): Promise<void> {
    await this.lock('sciatica-sync', async () => {
      // Nothing is read before it is known whose diary it is. The stored role may be that of a former token.
      const begun = (await this.shelf.read()) ?? EMPTY;
      if (begun.ended !== undefined || !isOwn({ ...begun, role: null })) return;
      this.#whose = whoseOf(begun);
      try {
        if (!(await this.#check())) return;
        await this.#pull();
        while (await this.#sendNext());
        await this.#pull();
      } catch (error) {
        if (error instanceof Replaced) return;
        const ended = error instanceof Refused ? error.ended : undefined;
        if (ended === undefined) throw error;
        await this.shelf.update((kept) => refusedToken(kept, begun.token, ended));
      }
    });
  }

  /**
   * Syncs whenever the event stream of the service reports a change, until the stream ends. One tab does so for all; the others
   * wait for its lock.
   * @throws as `sync`
   */
  async follow(signal: AbortSignal): Promise<void> {
    await this.lock('sciatica-stream', async () => {
      const begun = (await this.shelf.read()) ?? EMPTY;
      const { since, ended, url, token } = begun;
      if (since === undefined || ended !== undefined || signal.aborted) return;
      const headers = { Accept: 'text/event-stream' };
      const client = new Service(url, token);
      const { body } = await client.send(`/changes?since=${since}`, { headers, signal });
      const decoder = new TextDecoder();
      for (const reader = (body as ReadableStream<Uint8Array>).getReader(); ; ) {
        const { value, done } = await reader.read();
        // The last event says why the stream ends; the next sync learns it, too.
        if (done) break;
        if (whoseOf((await this.shelf.read()) ?? EMPTY) !== whoseOf(begun)) return reader.cancel();
        if (/^(?:data|event):/m.test(decoder.decode(value, { stream: true }))) await this.sync();
      }
    });
  }

  async #client(): Promise<Service> {
    const { url, token } = await this.#read();
    return new Service(url, token);
  }

  /** @throws Replaced */
  async #read(): Promise<Notebook> {
    return ofSame((await this.shelf.read()) ?? EMPTY, this.#whose);
  }

  /** @throws Replaced */
  #update(work: (kept: Notebook) => Notebook): Promise<Notebook> {
    return this.shelf.update((kept) => work(ofSame(kept, this.#whose)));
  }

  /** Asks whose diary it is, and drops that of another database, whose ids mean nothing here. @returns whether it is one's own */
  async #check(): Promise<boolean> {
    const client = await this.#client();
    const me = await client.json<Pick<Required<Notebook>, 'database' | 'users' | 'role'>>('/me');
    const known = await this.#update(({ ended: _, ...kept }) => {
      const { database, users, role } = me;
      // A service without tokens does not say whose diary it is.
      const person = kept.person ?? (users === null ? kept.users?.[0] : undefined);
      if (!isOwn({ ...kept, role })) return { ...unread(kept), role };
      const isSame = kept.database === database && String(kept.users) === String(users);
      if (kept.database === undefined || isSame)
        return { ...kept, database, users, role, ...(person !== undefined && { person }) };
      // Writes for users whom the token does not cover are refused here, and never sent as those of others.
      const isCovered = ({ userId }: Write) =>
        kept.database === database && (users === null || users.includes(userId));
      const problem = {
        type: 'about:blank',
        title: 'Conflict',
        status: 409,
        detail: 'It was recorded for another diary than the one that this phone is paired with now.',
      };
      const others = kept.waiting
        .filter((write) => !isCovered(write))
        .map((write) => ({ ...write, problem: problem as Problem }));
      return {
        ...unread(kept),
        waiting: kept.waiting.filter(isCovered),
        answered: kept.answered.filter(isCovered),
        refused: [...kept.refused, ...others],
        database,
        users,
        role,
        ...(person !== undefined && { person }),
      };
    });
    this.#whose = whoseOf(known);
    return isOwn(known);
  }

  /** Reads the changes since the last time. */
  async #pull(): Promise<void> {
    const client = await this.#client();
    const { since } = await this.#read();
    if (since === undefined) return this.#readAll();
    try {
      let next: string | undefined = `/changes?since=${since}&limit=500&etags=true`;
      while (next !== undefined) {
        const page: Response = await client.send(next);
        const changes = (await page.json()) as Change[];
        const last = Number(page.headers.get('X-Last-Seq'));
        await this.#update((kept) => ({ ...changes.reduce(taken, kept), since: last }));
        next = nextOf(page);
      }
    } catch (error) {
      if (!(error instanceof Refused) || error.problem.status !== 410) throw error;
      // After a restore, sends again what the backup may lack; what it has, it recognises by the keys.
      const ids = error.problem.reason === 'restored' ? await this.#repeat() : new Map<string, number>();
      await this.#readAll(ids);
    }
  }

  /** Sends answered writes again, unless their effect is gone since. @returns new ids of records, by `placeOf` */
  async #repeat(): Promise<Map<string, number>> {
    const kept = await this.#read();
    const ids = new Map<string, number>();
    for (const write of kept.answered) {
      const isThere = kept.records[write.kind]?.[write.id] !== undefined;
      if (isThere === (write.what === 'delete')) continue;
      try {
        const { id } = await this.#send(write, ids.get(placeOf(write)) ?? write.id, undefined);
        if (id !== undefined && id !== write.id) ids.set(placeOf(write), id);
      } catch (error) {
        // Refused for good: the record exists, or what the write refers to does not.
        if (!(error instanceof Refused) || error.isPassing || error.problem.status === 401) throw error;
      }
    }
    return ids;
  }

  /** Reads all records. @param ids new ids of records, by `placeOf` */
  async #readAll(ids: ReadonlyMap<string, number> = new Map()): Promise<void> {
    const client = await this.#client();
    const since = await client.now();
    const records: Record<string, Record<number, Kept>> = {};
    const read = async (kind: string, path: string, filter = '') => {
      const list = records[kind] ?? {};
      records[kind] = list;
      let next: string | undefined = `${path}?etags=true&limit=1000${filter}`;
      while (next !== undefined) {
        const page: Response = await client.send(next);
        for (const record of (await page.json()) as Kept[]) list[record.id] = record;
        next = nextOf(page);
      }
    };
    const { person } = await this.#read();
    await read('user', '/users', person === undefined ? '' : `&id=${person}`);
    for (const { id } of Object.values(records['user'] ?? {}))
      for (const [kind, path] of listsOf(id)) await read(kind, path).catch(unlessGone);
    await this.#update((kept) => {
      const moved = (write: Write) => ({ ...write, id: ids.get(placeOf(write)) ?? write.id });
      return {
        ...kept,
        records,
        since,
        waiting: kept.waiting.map(moved),
        answered: kept.answered.map(moved),
      };
    });
  }

  /** Sends the first write that waits. @returns whether there may be more */
  async #sendNext(): Promise<boolean> {
    const kept = await this.#update(tried);
    const [write] = kept.waiting;
    if (!write) return false;
    const id = nowOf(kept, write.id);
    try {
      await this.#answer(write, await this.#send(write, id, write.before?.etag));
    } catch (error) {
      if (!(error instanceof Refused) || error.isPassing || error.problem.status === 401) throw error;
      await this.#refuse(write, id, error);
    }
    return true;
  }

  async #refuse(write: Write, id: number, refusal: Refused): Promise<void> {
    const { status } = refusal.problem;
    const isSame = (kept: Notebook, other: Write) => isAbout(kept, other, write.kind, id);
    const begun = await this.#read();
    const isTakenBack =
      write.what === 'delete' &&
      begun.waiting.some((other) => other.what === 'restore' && isSame(begun, other));
    // A refused deletion shows all that differs: refused changes of its record are not asked about as well.
    const isShown = (kept: Notebook, other: Write) =>
      write.what === 'delete' && !isTakenBack && other.what === 'change' && isSame(kept, other);
    const end = async (...refused: Write[]) => {
      await this.#update((kept) => ({
        ...kept,
        waiting: kept.waiting.filter(({ key }) => key !== write.key),
        refused: [...kept.refused.filter((other) => !isShown(kept, other)), ...refused],
      }));
    };
    // Nothing to ask: it was done and its record is gone since, or the record to restore exists.
    const isThere = write.what === 'restore' && status === 409;
    if (refusal.kind === 'record-gone' || isThere || isTakenBack) return end();
    if (status === 404 && write.what !== 'create') {
      // A restored backup may lack the record, which gets another id when it is sent again.
      await this.#pull();
      const kept = await this.#read();
      const own = kept.waiting.find(({ key }) => key === write.key);
      if (own && nowOf(kept, own.id) !== id) return;
      if (write.what === 'delete') return end();
    }
    const current = refusal.problem.current as Kept | undefined;
    if (status !== 412 || !current || !write.before || overlap(write.before, current, write.body))
      return end({ ...write, problem: refusal.problem });
    const etag = refusal.headers.get('ETag') ?? undefined;
    const again = { ...write, before: { ...current, ...(etag && { etag }) } };
    await this.#update((kept) => ({
      ...kept,
      waiting: kept.waiting.map((one) => (one.key === write.key ? again : one)),
    }));
  }

  /** Sends a write with its Idempotency-Key; changes and deletions, which take none alone, as a batch of one. */
  async #send(
    write: Write,
    id: number,
    etag: string | undefined,
  ): Promise<{ id?: number; record?: Kept; at: number }> {
    const client = await this.#client();
    const own = `/${write.path.split('/').at(-1)}/${id}`;
    const url = { create: write.path, change: own, delete: own, restore: `${own}/restore` }[write.what];
    const request = {
      method: write.what === 'delete' ? 'DELETE' : 'PATCH',
      url,
      ...(etag !== undefined && { headers: { 'If-Match': etag } }),
      ...(write.body && { body: write.body }),
    };
    const isNew = write.what === 'create' || write.what === 'restore';
    const response = await client.send(isNew ? url : '/batch', {
      method: 'POST',
      headers: { 'Idempotency-Key': write.key },
      ...(write.what !== 'restore' && { body: JSON.stringify(isNew ? write.body : { requests: [request] }) }),
    });
    const at = Date.parse(response.headers.get('Date') ?? '') || Date.now();
    if (isNew) {
      const record = { ...((await response.json()) as Kept), ...etagOf(response.headers.get('ETag')) };
      return { id: record.id, record, at };
    }
    const [{ body, headers }] = (await response.json()) as [{ body: Kept; headers: { etag?: string } }];
    // A replayed answer is as old as the write, and the changes since were read already.
    const isOfNow = write.what === 'change' && !response.headers.has('Idempotency-Replayed');
    return { at, ...(isOfNow && { record: { ...body, ...etagOf(headers.etag) } }) };
  }

  /** Applies an answer and removes its write from those that wait, in one transaction. */
  async #answer(write: Write, { id, record, at }: { id?: number; record?: Kept; at: number }): Promise<void> {
    await this.#update((kept) => {
      const now = id ?? nowOf(kept, write.id);
      const done: Write = { ...write, id: now, at, ...(write.id < 0 && { local: write.id }) };
      const list = { ...kept.records[write.kind] };
      if (record) list[now] = write.what === 'change' ? record : (list[now] ?? record);
      else if (write.what === 'delete') delete list[now];
      return {
        ...kept,
        records: { ...kept.records, [write.kind]: list },
        waiting: kept.waiting.filter(({ key }) => key !== write.key),
        answered: [...kept.answered.filter((one) => at - (one.at ?? at) < KEPT_MS), done],
      };
    });
  }
}

/** A user may be deleted before the lists are read: the changes will say so. */
function unlessGone(error: unknown): void {
  if (!(error instanceof Refused) || error.problem.status !== 404) throw error;
}
