import type { Change, Problem, Schemas } from './client.ts';

/** A record of any kind, with the entity tag that it has at the service. */
export interface Kept {
  id: number;
  userId?: number;
  etag?: string;
  [field: string]: unknown;
}

/** A write of the person. Kept until it is answered, and for 90 days after that: a restored backup may lack it. */
export interface Write {
  /** Its Idempotency-Key: however often it is sent, it is done once. */
  key: string;
  what: 'create' | 'change' | 'delete' | 'restore';
  /** The path at which it is created; its last segment is that of the kind. */
  path: string;
  kind: Change['record'];
  userId: number;
  /** Id of the record; a negative one until the service has given one. */
  id: number;
  /** The negative id that the record had before. */
  local?: number;
  body?: Record<string, unknown>;
  /** The record as the person saw it before the write. */
  before?: Kept;
  /** Whether it was sent, so that the service may have done it. */
  wasTried?: boolean;
  /** When it was answered, by the clock of the service, in milliseconds since 1970. */
  at?: number;
  /** Why the service refused it. */
  problem?: Problem;
}

/** The state of an app. Replace its members and never modify them: a member that is the same object is not stored again. */
export interface Notebook {
  url?: string;
  token?: string;
  /** The Idempotency-Key of a request that renews the token or pairs, until it is answered. */
  tokenKey?: string;
  /** The identity of the database that the rest belongs to. */
  database?: string;
  /** Id of the user whose diary is kept, where the caller may see those of several. */
  person?: number;
  /** The role of the token: `patient` if it is for one's own diary. */
  role?: string | null;
  /** The users whose records the token covers; null for all. */
  users?: readonly number[] | null;
  /** The change up to which `records` is complete; undefined before it was read. */
  since?: number;
  records: Readonly<Record<string, Readonly<Record<number, Kept>>>>;
  waiting: readonly Write[];
  answered: readonly Write[];
  refused: readonly Write[];
  /** The exercises that were last offered, with their routines, and the last summary: shown until the records are read. */
  names?: readonly { exerciseName: string; exerciseType: string; routine?: string }[];
  summary?: { at: string; figures: Schemas['Summary'] };
  /** What a trial has drawn, as read on this date; `isLate`: after midnight, for the day before. */
  trial?: { date: string; isLate: boolean; words: string };
  /** The number of negative ids given so far. */
  made: number;
  /** Why the token is not valid any more: `token-revoked`, `token-expired`, `token-unknown`, `person-erased`. */
  ended?: string;
}

/** The storage of a notebook: in a browser, IndexedDB. */
export interface Shelf {
  read(): Promise<Notebook | undefined>;
  /** Runs `work` and stores what it returns, in one transaction, which excludes other tabs. */
  update(work: (kept: Notebook) => Notebook): Promise<Notebook>;
}

/** Runs work while no other tab runs work of that name: `navigator.locks.request` of a browser. */
export type Lock = <T>(name: string, work: () => Promise<T>) => Promise<T>;

export const EMPTY: Notebook = { records: {}, waiting: [], answered: [], refused: [], made: 0 };

/** Most writes that may wait to be sent: with the longest notes they take some 10 MB. */
const MOST_WAITING = 1_000;

/** No write can be added before some of those that wait are sent. */
export class Full extends Error {
  constructor() {
    super(`${MOST_WAITING} entries wait to be sent, and no more are kept.`);
  }
}

/** Whether the diary is one's own. Records of others are not kept, and writes that wait go on waiting for their person. */
export const isOwn = ({ token, role, person }: Notebook): boolean =>
  token === undefined ? person !== undefined : role === undefined || role === null || role === 'patient';

/** Removes what was read of a diary, since it is another one or is read again. */
export function unread(kept: Notebook): Notebook {
  const { since: _, names: _names, summary: _summary, trial: _trial, ...rest } = kept;
  return { ...rest, records: {} };
}

/** Adds a write to those that wait. @throws Full */
export function noted(kept: Notebook, write: Write): Notebook {
  if (kept.waiting.length >= MOST_WAITING) throw new Full();
  return { ...kept, waiting: [...kept.waiting, write] };
}

/** After the service has refused the token: erases all for an erased person; otherwise, writes wait for the next pairing. */
export function refusedToken(kept: Notebook, token: string | undefined, ended: string): Notebook {
  // The token was replaced meanwhile.
  if (kept.token !== token) return kept;
  return ended === 'person-erased' ? { ...EMPTY, ended } : { ...kept, ended };
}

/** The entity tag as a member of a record, if it is known. */
export const etagOf = (etag: string | null | undefined) => (etag ? { etag } : {});

/** Marks the first write that waits as sent: from now on the service may have done it. */
export function tried(kept: Notebook): Notebook {
  const [first, ...others] = kept.waiting;
  return first && !first.wasTried ? { ...kept, waiting: [{ ...first, wasTried: true }, ...others] } : kept;
}

/** The current id of a record: the service may have given one in place of a negative one. */
export const nowOf = ({ answered }: Notebook, id: number): number =>
  id < 0 ? (answered.find(({ local }) => local === id)?.id ?? id) : id;

/** Whether a write is about the record of a kind with this current id. */
export const isAbout = (kept: Notebook, { kind: of, id: own }: Write, kind: Change['record'], id: number) =>
  of === kind && nowOf(kept, own) === id;

/** Applies a change to the records. An erasure removes all that is known of the person, with the writes that wait. */
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
  const whose = change.after && 'userId' in change.after ? change.after.userId : change.id;
  const isOthers = kept.person !== undefined && whose !== kept.person;
  if (change.after && !isOthers) list[change.id] = { ...change.after, ...etagOf(change.etag) };
  else delete list[change.id];
  return { ...kept, records: { ...kept.records, [change.record]: list } };
}

/** The records of a kind with the writes that wait applied to them, as the person sees them. */
export function recordsOf(kept: Notebook, kind: Change['record']): Kept[] {
  const seen = new Map(Object.entries(kept.records[kind] ?? {}).map(([id, record]) => [Number(id), record]));
  for (const { what, kind: of, id: own, userId, body, ...write } of kept.waiting) {
    if (of !== kind) continue;
    const id = nowOf(kept, own);
    if (what === 'create') seen.set(id, { userId, ...body, id });
    else if (what === 'delete') seen.delete(id);
    else if (what === 'restore' && write.before) seen.set(id, write.before);
    else seen.set(id, { ...(seen.get(id) ?? write.before), ...body, id });
  }
  return [...seen.values()];
}

/** Fields that conflict as one: whoever changes one of them has seen the others. */
const STATEMENT = ['painBefore', 'painAfter', 'effective'];

/** Whether the service and `body` have changed the same field, to different values. @param body without it, a deletion */
export function overlap(before: Kept, current: Kept, body?: Write['body']): boolean {
  const statement = (field: string) => (STATEMENT.includes(field) ? 'pain' : field);
  // A field that was cleared by null is absent at the service.
  const of = (record: Record<string, unknown>, field: string) => JSON.stringify(record[field] ?? null);
  const theirs = new Set(
    Object.keys({ ...before, ...current })
      .filter((field) => field !== 'etag' && of(before, field) !== of(current, field))
      .map(statement),
  );
  return Object.keys(body ?? { ...before, ...current }).some(
    (field) => theirs.has(statement(field)) && !(body && of(body, field) === of(current, field)),
  );
}
