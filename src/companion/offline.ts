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

/** The lists that are read when everything is read, besides the users. @param user the id of one */
const listsOf = (user: number): [kind: Change['record'], path: string][] => [
  ['log', `/users/${user}/userExerciseLogs`],
  ['routine', `/users/${user}/routines`],
  ['painEntry', `/users/${user}/painEntries`],
];

/** What was kept when a sync began is forgotten by now, or somebody else's. */
class Replaced extends Error {}

/** An id is that of one record of each kind. */
const placeOf = ({ kind, id }: Write): string => `${kind} ${id}`;

const whoseOf = ({ url, token, person }: Notebook): string => `${url} ${token} ${person}`;

function ofSame(kept: Notebook, whose: string): Notebook {
  if (whoseOf(kept) !== whose) throw new Replaced();
  return kept;
}

/** A copy of the records of one service that works without a network. */
export class Offline {
  /** With whose diary the sync that runs began. */
  #whose = '';

  constructor(
    private readonly shelf: Shelf,
    private readonly lock: Lock,
    private readonly newKey: () => string = () => crypto.randomUUID(),
  ) {}

  /** Notes a new record. It is sent by `sync`. @returns its id for now @throws Full, as every note */
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
   * Notes other values of some fields of a record, or without them that it is deleted.
   * @returns the record as it was before; undefined where there is none
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
      // What was never sent needs no deletion, and no other write for what is said next.
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

  /** Notes that a record which was deleted is to come back. */
  async restore(kind: Change['record'], path: string, record: Kept): Promise<void> {
    await this.shelf.update((kept) => {
      const id = nowOf(kept, record.id);
      // A deletion that was never sent is left out.
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

  /** Forgets a write that was refused, once the person knows. */
  async dismiss(key: string): Promise<void> {
    await this.shelf.update((kept) => ({
      ...kept,
      refused: kept.refused.filter((write) => write.key !== key),
    }));
  }

  /**
   * Takes over what changed, and sends what waits, in order. Safe at any moment, and in several tabs.
   * @throws TypeError without a network, Refused where the service cannot do it now: try again later
   */
  async sync(): Promise<void> {
    await this.lock('sciatica-sync', async () => {
      // Nothing is asked for until it is known whose diary it is. The role may be that of the token before.
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
   * Syncs whenever the service says that something changed, until the stream ends. One tab does so for all: the others wait for
   * its place.
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
        // The last event says why it ends, which the next sync learns as well.
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

  /** What is kept belongs to one diary: an id means nothing in another database. @returns whether it is one's own */
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
      // What waits for others than the token covers is never sent as theirs.
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

  /** Takes over what changed since. */
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
      // What the backup lacks comes back first; what it has, the keys tell.
      const ids = error.problem.reason === 'restored' ? await this.#repeat() : new Map<string, number>();
      await this.#readAll(ids);
    }
  }

  /** Sends once more what was answered, unless it is gone since. @returns the ids that became others, by place */
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
        // Refused for good: it is there, or what it was about is not.
        if (!(error instanceof Refused) || error.isPassing || error.problem.status === 401) throw error;
      }
    }
    return ids;
  }

  /** Reads everything. @param ids that became others, by place */
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

  /** Sends the first of what waits. @returns whether there may be more */
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
    // A deletion shows what was changed before it: that is not asked about beside it.
    const isShown = (kept: Notebook, other: Write) =>
      write.what === 'delete' && !isTakenBack && other.what === 'change' && isSame(kept, other);
    const end = async (...refused: Write[]) => {
      await this.#update((kept) => ({
        ...kept,
        waiting: kept.waiting.filter(({ key }) => key !== write.key),
        refused: [...kept.refused.filter((other) => !isShown(kept, other)), ...refused],
      }));
    };
    // It was done, and what it made is gone since; or it is there already.
    const isThere = write.what === 'restore' && status === 409;
    if (refusal.kind === 'record-gone' || isThere || isTakenBack) return end();
    if (status === 404 && write.what !== 'create') {
      // A restored backup may lack the record, which has another id once it is back.
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

  /** Sends a write, with a key: changes and deletions too, as a batch of one. */
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
    // A first answer that comes again is of then, and its change was taken over since.
    const isOfNow = write.what === 'change' && !response.headers.has('Idempotency-Replayed');
    return { at, ...(isOfNow && { record: { ...body, ...etagOf(headers.etag) } }) };
  }

  /** Takes an answer over, in the transaction in which the write stops waiting. */
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

/** A user may be gone by the time that the lists are read: the changes say so. */
function unlessGone(error: unknown): void {
  if (!(error instanceof Refused) || error.problem.status !== 404) throw error;
}
