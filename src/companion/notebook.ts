import type { Change, Problem, Schemas } from './client.ts';

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
  what: 'create' | 'change' | 'delete' | 'restore';
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
  /** Whose diary it is, where the caller may see those of several: only that is kept. */
  person?: number;
  /** What the token is for: `patient` where it is that of one's own diary. */
  role?: string | null;
  /** The users whose records the token covers; null for all. */
  users?: readonly number[] | null;
  /** Up to which change `records` has everything; undefined before it was read. */
  since?: number;
  records: Readonly<Record<string, Readonly<Record<number, Kept>>>>;
  waiting: readonly Write[];
  answered: readonly Write[];
  refused: readonly Write[];
  /** The exercises that were offered last, with their routines, and the last summary: for the time before the records are read. */
  names?: readonly { exerciseName: string; exerciseType: string; routine?: string }[];
  summary?: { at: string; figures: Schemas['Summary'] };
  /** What is drawn in a trial, as it was on a day: `isLate` after midnight, when it was for the day before. */
  trial?: { date: string; isLate: boolean; words: string };
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

/** Most writes that wait at a time: with the longest notes they take some 10 MB. */
const MOST_WAITING = 1_000;

/** Nothing more can be noted before what waits is sent. */
export class Full extends Error {
  constructor() {
    super(`${MOST_WAITING} entries wait to be sent, and no more are kept.`);
  }
}

/** Whether the diary is one's own. Of others nothing is kept, and what waits goes on waiting for its person. */
export const isOwn = ({ token, role, person }: Notebook): boolean =>
  token === undefined ? person !== undefined : role === undefined || role === null || role === 'patient';

/** Without what was read of a diary: it is another one, or is read anew. */
export function unread(kept: Notebook): Notebook {
  const { since: _, names: _names, summary: _summary, trial: _trial, ...rest } = kept;
  return { ...rest, records: {} };
}

/** Adds to what waits. @throws Full */
export function noted(kept: Notebook, write: Write): Notebook {
  if (kept.waiting.length >= MOST_WAITING) throw new Full();
  return { ...kept, waiting: [...kept.waiting, write] };
}

/** The token is refused: of an erased person nothing stays, otherwise what waits is sent after the next pairing. */
export function refusedToken(kept: Notebook, token: string | undefined, ended: string): Notebook {
  // Another one may have come meanwhile.
  if (kept.token !== token) return kept;
  return ended === 'person-erased' ? { ...EMPTY, ended } : { ...kept, ended };
}

/** The entity tag of a record, where it is known. */
export const etagOf = (etag: string | null | undefined) => (etag ? { etag } : {});

/** Marks the first of what waits: from now on it may have arrived. */
export function tried(kept: Notebook): Notebook {
  const [first, ...others] = kept.waiting;
  return first && !first.wasTried ? { ...kept, waiting: [{ ...first, wasTried: true }, ...others] } : kept;
}

/** The id that a record has by now. */
export const nowOf = ({ answered }: Notebook, id: number): number =>
  id < 0 ? (answered.find(({ local }) => local === id)?.id ?? id) : id;

/** Whether a write is about the record of a kind that has this id by now. */
export const isAbout = (kept: Notebook, { kind: of, id: own }: Write, kind: Change['record'], id: number) =>
  of === kind && nowOf(kept, own) === id;

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
  const whose = change.after && 'userId' in change.after ? change.after.userId : change.id;
  const isOthers = kept.person !== undefined && whose !== kept.person;
  if (change.after && !isOthers) list[change.id] = { ...change.after, ...etagOf(change.etag) };
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
    else if (what === 'restore' && write.before) seen.set(id, write.before);
    else seen.set(id, { ...(seen.get(id) ?? write.before), ...body, id });
  }
  return [...seen.values()];
}

/** Fields that are one statement: who changes one of them has seen the others. */
const STATEMENT = ['painBefore', 'painAfter', 'effective'];

/** Whether both changed the same, and not alike. @param body what one changes: without it, all is deleted */
export function overlap(before: Kept, current: Kept, body?: Write['body']): boolean {
  const statement = (field: string) => (STATEMENT.includes(field) ? 'pain' : field);
  // What is cleared by null is absent at the service.
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
