import { type Change, nextOf, type Problem, Refused, Sciatica } from './client.ts';

/** A record of any kind, with the entity tag that it has at the service. */
export interface Kept {
  id: number;
  userId?: number;
  etag?: string;
  [field: string]: unknown;
}

/** What the person did. Kept until it is answered, and for 90 days after that: a restored backup may lack it. */
export interface Write {
  /** Names it for ever: however often it is sent, it is done once. */
  key: string;
  what: 'create' | 'change' | 'delete';
  /** Where it is created, and the path of the kind. */
  path: string;
  kind: Change['record'];
  userId: number;
  /** Of the record; negative until the service has given one. */
  id: number;
  /** The negative id, once there is another. */
  local?: number;
  body?: Record<string, unknown>;
  /** The record as the person saw it. */
  before?: Kept;
  /** Whether it may have arrived. */
  wasTried?: boolean;
  /** When it was answered, by the clock of the service, in milliseconds since 1970. */
  at?: number;
  /** Why the service refused it. */
  problem?: Problem;
}

/** All that an app keeps. Replace its members, and change nothing inside of them: what is the same is not stored again. */
export interface Notebook {
  url?: string;
  token?: string;
  /** Names the request that renews the token or pairs, until it is answered. */
  tokenKey?: string;
  /** The identity of the database that the rest belongs to. */
  database?: string;
  /** The users whose records the token covers; null for all. */
  users?: readonly number[] | null;
  /** Up to which change `records` has everything; undefined before it was read. */
  since?: number;
  records: Readonly<Record<string, Readonly<Record<number, Kept>>>>;
  waiting: readonly Write[];
  answered: readonly Write[];
  refused: readonly Write[];
  /** How many negative ids were given. */
  made: number;
  /** Why the token is not valid any more: `token-revoked`, `token-expired`, `token-unknown`, `person-erased`. */
  ended?: string;
}

/** Where a notebook is kept: in a browser IndexedDB. */
export interface Shelf {
  read(): Promise<Notebook | undefined>;
  /** Runs `work` and stores what it returns, in one transaction that no other tab comes into. */
  update(work: (kept: Notebook) => Notebook): Promise<Notebook>;
}

/** Runs work while no other tab runs work of that name: `navigator.locks.request` of a browser. */
export type Lock = <T>(name: string, work: () => Promise<T>) => Promise<T>;

export const EMPTY: Notebook = { records: {}, waiting: [], answered: [], refused: [], made: 0 };

const KEPT_MS = 90 * 24 * 60 * 60 * 1000;

/** The lists that are read when everything is read, besides the users. @param user the id of one */
const listsOf = (user: number): [kind: Change['record'], path: string][] => [
  ['log', `/users/${user}/userExerciseLogs`],
  ['routine', `/users/${user}/routines`],
];

/** A copy of the records of one service that works without a network. */
export class Offline {
  constructor(
    private readonly shelf: Shelf,
    private readonly lock: Lock,
    private readonly newKey: () => string = () => crypto.randomUUID(),
  ) {}

  /** Notes a new record. It is sent by `sync`. @returns its id for now */
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
      return { ...kept, made: kept.made + 1, waiting: [...kept.waiting, write] };
    });
    return -made;
  }

  /** Notes other values of some fields of a record, or without them that it is deleted. */
  async change(
    kind: Change['record'],
    path: string,
    id: number,
    body?: Record<string, unknown>,
  ): Promise<void> {
    await this.shelf.update((kept) => {
      const before = recordsOf(kept, kind).find(
        (record) => record.id === id || record.id === nowOf(kept, id),
      );
      if (!before) return kept;
      const isUnsent = ({ id: own, wasTried }: Write) => own === id && !wasTried;
      // What was never sent needs no deletion.
      if (!body && kept.waiting.some((write) => write.what === 'create' && isUnsent(write)))
        return { ...kept, waiting: kept.waiting.filter((write) => write.id !== id) };
      const write: Write = {
        key: this.newKey(),
        what: body ? 'change' : 'delete',
        path,
        kind,
        userId: before.userId ?? before.id,
        id: before.id,
        before,
        ...(body && { body }),
      };
      return { ...kept, waiting: [...kept.waiting, write] };
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
      // Nothing is asked for until the next pairing.
      if ((await this.shelf.read())?.ended !== undefined) return;
      try {
        await this.#check();
        await this.#pull();
        while (await this.#sendNext());
        await this.#pull();
      } catch (error) {
        if (!(error instanceof Refused) || error.problem.status !== 401) throw error;
        const { kind: ended } = error;
        // Of an erased person nothing stays; otherwise what waits is sent after the next pairing.
        await this.shelf.update((kept) =>
          ended === 'person-erased' ? { ...EMPTY, ended } : { ...kept, ended },
        );
      }
    });
  }

  async #client(): Promise<Sciatica> {
    const { url, token } = (await this.shelf.read()) ?? EMPTY;
    return new Sciatica(url, token);
  }

  /** What is kept belongs to one diary: an id means nothing in another database. */
  async #check(): Promise<void> {
    const client = await this.#client();
    const me = await client.json<{ database: string; users: number[] | null }>('/me');
    await this.shelf.update(({ ended: _, ...kept }) => {
      const { database, users } = me;
      const isSame = kept.database === database && String(kept.users) === String(users);
      if (kept.database === undefined || isSame) return { ...kept, database, users };
      const problem = {
        type: 'about:blank',
        title: 'Conflict',
        status: 409,
        detail: 'This is another database.',
      };
      const unsent = kept.waiting.map((write) => ({ ...write, problem: problem as Problem }));
      const { since: _since, ...rest } = kept;
      return { ...rest, ...EMPTY, made: kept.made, refused: [...kept.refused, ...unsent], database, users };
    });
  }

  /** Takes over what changed since. */
  async #pull(): Promise<void> {
    const client = await this.#client();
    const { since } = (await this.shelf.read()) ?? EMPTY;
    if (since === undefined) return this.#readAll();
    try {
      let next: string | undefined = `/changes?since=${since}&limit=500&etags=true`;
      while (next !== undefined) {
        const page: Response = await client.send(next);
        const changes = (await page.json()) as Change[];
        const last = Number(page.headers.get('X-Last-Seq'));
        await this.shelf.update((kept) => ({ ...changes.reduce(taken, kept), since: last }));
        next = nextOf(page);
      }
    } catch (error) {
      if (!(error instanceof Refused) || error.problem.status !== 410) throw error;
      // What the backup lacks comes back first; what it has, the keys tell.
      const ids = error.problem.reason === 'restored' ? await this.#repeat() : new Map<number, number>();
      await this.#readAll(ids);
    }
  }

  /** Sends once more what was answered, unless it is gone since. @returns the ids that became others */
  async #repeat(): Promise<Map<number, number>> {
    const kept = (await this.shelf.read()) ?? EMPTY;
    const ids = new Map<number, number>();
    for (const write of kept.answered) {
      const isThere = kept.records[write.kind]?.[write.id] !== undefined;
      if (isThere === (write.what === 'delete')) continue;
      try {
        const { id } = await this.#send(write, ids.get(write.id) ?? write.id, undefined);
        if (id !== undefined && id !== write.id) ids.set(write.id, id);
      } catch (error) {
        // Refused for good: it is there, or what it was about is not.
        if (!(error instanceof Refused) || error.isPassing || error.problem.status === 401) throw error;
      }
    }
    return ids;
  }

  /** Reads everything. @param ids that became others */
  async #readAll(ids: ReadonlyMap<number, number> = new Map()): Promise<void> {
    const client = await this.#client();
    const since = await client.now();
    const records: Record<string, Record<number, Kept>> = {};
    const read = async (kind: string, path: string) => {
      const list = records[kind] ?? {};
      records[kind] = list;
      let next: string | undefined = `${path}?etags=true&limit=1000`;
      while (next !== undefined) {
        const page: Response = await client.send(next);
        for (const record of (await page.json()) as Kept[]) list[record.id] = record;
        next = nextOf(page);
      }
    };
    await read('user', '/users');
    for (const { id } of Object.values(records['user'] ?? {}))
      for (const [kind, path] of listsOf(id)) await read(kind, path).catch(unlessGone);
    await this.shelf.update((kept) => {
      const moved = (write: Write) => ({ ...write, id: ids.get(write.id) ?? write.id });
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
    const kept = await this.shelf.update(tried);
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
    const settle = (settled?: Write) =>
      this.shelf.update((kept) => ({
        ...kept,
        waiting: kept.waiting.flatMap((one) => (one.key === write.key ? (settled ?? []) : one)),
      }));
    // It was done, and what it made is gone since; or there is nothing left to delete.
    if (refusal.kind === 'record-gone') return void (await settle());
    if (status === 404 && write.what !== 'create') {
      // A restored backup may lack the record, which has another id once it is back.
      await this.#pull();
      const kept = (await this.shelf.read()) ?? EMPTY;
      const own = kept.waiting.find(({ key }) => key === write.key);
      if (own && nowOf(kept, own.id) !== id) return;
      if (write.what === 'delete') return void (await settle());
    }
    const current = refusal.problem.current as Kept | undefined;
    if (
      status === 412 &&
      current &&
      write.before &&
      write.body &&
      !overlap(write.before, current, write.body)
    ) {
      const etag = refusal.headers.get('ETag') ?? undefined;
      return void (await settle({ ...write, before: { ...current, ...(etag && { etag }) } }));
    }
    const refused = { ...write, problem: refusal.problem };
    await this.shelf.update((kept) => ({
      ...kept,
      waiting: kept.waiting.filter(({ key }) => key !== write.key),
      refused: [...kept.refused, refused],
    }));
  }

  /** Sends a write, with a key: changes and deletions too, as a batch of one. */
  async #send(
    write: Write,
    id: number,
    etag: string | undefined,
  ): Promise<{ id?: number; record?: Kept; at: number }> {
    const client = await this.#client();
    const url = write.what === 'create' ? write.path : `/${write.path.split('/').at(-1)}/${id}`;
    const request = {
      method: write.what === 'delete' ? 'DELETE' : 'PATCH',
      url,
      ...(etag !== undefined && { headers: { 'If-Match': etag } }),
      ...(write.body && { body: write.body }),
    };
    const isNew = write.what === 'create';
    const response = await client.send(isNew ? url : '/batch', {
      method: 'POST',
      headers: { 'Idempotency-Key': write.key },
      body: JSON.stringify(isNew ? write.body : { requests: [request] }),
    });
    const at = Date.parse(response.headers.get('Date') ?? '') || Date.now();
    if (isNew) {
      const record = { ...((await response.json()) as Kept), ...etagOf(response.headers.get('ETag')) };
      return { id: record.id, record, at };
    }
    const [{ body, headers }] = (await response.json()) as [{ body: Kept; headers: { etag?: string } }];
    return { at, ...(write.what === 'change' && body && { record: { ...body, ...etagOf(headers.etag) } }) };
  }

  /** Takes an answer over, in the transaction in which the write stops waiting. */
  async #answer(write: Write, { id, record, at }: { id?: number; record?: Kept; at: number }): Promise<void> {
    await this.shelf.update((kept) => {
      const now = id ?? nowOf(kept, write.id);
      const done: Write = { ...write, id: now, at, ...(write.id < 0 && { local: write.id }) };
      const list = { ...kept.records[write.kind] };
      if (record) list[now] = record;
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

const etagOf = (etag: string | null | undefined) => (etag ? { etag } : {});

/** Marks the first of what waits: from now on it may have arrived. */
function tried(kept: Notebook): Notebook {
  const [first, ...others] = kept.waiting;
  return first && !first.wasTried ? { ...kept, waiting: [{ ...first, wasTried: true }, ...others] } : kept;
}

/** The id that a record has by now. */
const nowOf = ({ answered }: Notebook, id: number): number =>
  id < 0 ? (answered.find(({ local }) => local === id)?.id ?? id) : id;

/** Takes a change over. What is known of an erased person goes, what waits included. */
export function taken(kept: Notebook, change: Change): Notebook {
  if (change.action === 'erase') {
    const isOthers = ({ userId }: { userId?: number }) => userId !== change.id;
    const records = Object.entries(kept.records).map(([kind, list]) => [
      kind,
      Object.fromEntries(
        Object.entries(list).filter(([id, one]) =>
          kind === 'user' ? Number(id) !== change.id : isOthers(one),
        ),
      ),
    ]);
    const [waiting, answered, refused] = [kept.waiting, kept.answered, kept.refused].map((writes) =>
      writes.filter(isOthers),
    );
    return {
      ...kept,
      records: Object.fromEntries(records),
      waiting: waiting ?? [],
      answered: answered ?? [],
      refused: refused ?? [],
    };
  }
  const list = { ...kept.records[change.record] };
  if (change.after) list[change.id] = { ...change.after, ...etagOf(change.etag) };
  else delete list[change.id];
  return { ...kept, records: { ...kept.records, [change.record]: list } };
}

/** The records of a kind as the person sees them: with what waits. */
export function recordsOf(kept: Notebook, kind: Change['record']): Kept[] {
  const seen = new Map(Object.entries(kept.records[kind] ?? {}).map(([id, record]) => [Number(id), record]));
  for (const { what, kind: of, id: own, userId, body, ...write } of kept.waiting) {
    if (of !== kind) continue;
    const id = nowOf(kept, own);
    if (what === 'create') seen.set(id, { userId, ...body, id });
    else if (what === 'delete') seen.delete(id);
    else seen.set(id, { ...(seen.get(id) ?? write.before), ...body, id });
  }
  return [...seen.values()];
}

/** Fields that are one statement: who changes one of them has seen the others. */
const STATEMENT = ['painBefore', 'painAfter', 'effective'];

/** Whether both changed the same. */
function overlap(before: Kept, current: Kept, body: Record<string, unknown>): boolean {
  const statement = (field: string) => (STATEMENT.includes(field) ? 'pain' : field);
  const isOther = (field: string) => JSON.stringify(before[field]) !== JSON.stringify(current[field]);
  const theirs = new Set(
    Object.keys(before)
      .filter((field) => field !== 'etag' && isOther(field))
      .map(statement),
  );
  return Object.keys(body).some((field) => theirs.has(statement(field)));
}

/** A user may be gone by the time that the lists are read: the changes say so. */
function unlessGone(error: unknown): void {
  if (!(error instanceof Refused) || error.problem.status !== 404) throw error;
}
