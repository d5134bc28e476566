import type { Action, HistoryEntry, HistoryFilter, Source } from '../../domain/history.ts';
import { type KindName, kindOf } from '../../domain/kinds.ts';
import { AT, ENTRIES, entriesOf } from '../records/entries.ts';
import { LAST_ENTRY } from '../records/lists/rows.ts';
import { States, stateAfter } from '../records/states.ts';
import { type Condition, isAmong, joined, type Value } from '../sqlite/condition.ts';
import type { Database } from '../sqlite/database.ts';
import { importOf, nextRedo, nextUndo, undoOf } from './steps.ts';

/** An entry as it is stored: the states are JSON arrays of the record's cells without the id. */
interface Row {
  seq: number;
  change: number;
  at: number;
  source: Source;
  caller: string | null;
  undoes: number | null;
  record: KindName;
  recordId: number;
  action: Action;
  before: string | null;
  after: string | null;
}

/** Approximate size of an entry in bytes, its index entries included, without the states of the record. */
const ENTRY_BYTES = 100;
const SUM_OF_BYTES = `SELECT sum(coalesce(octet_length(before), 0) + coalesce(octet_length(after), 0) + ${ENTRY_BYTES}) FROM history`;

/** Most entries that are read in one block. */
const MOST_ENTRIES = 1000;

/** The undo of a change with more entries may block other requests for too long. */
const MANY_ENTRIES = 2000;
const MOST_CHARACTERS = 256 * 1024;

/** The seqs, above `seq`, of the entries about one of these users, from the indexes alone. */
function seqsOf(users: readonly number[], seq: number): Condition {
  const [now, before] = [isAmong('userId', users), isAmong('formerUserId', users)];
  const of = ({ sql }: Condition) => `SELECT seq FROM history WHERE seq > ? AND ${sql}`;
  return { sql: `${of(now)} UNION ${of(before)}`, values: [seq, ...now.values, seq, ...before.values] };
}

/** The WHERE clause of one block: the latest matching entries below `seq`, at least `MOST_ENTRIES` if there are so many. */
function matching({ user, log, since }: HistoryFilter, seq: number | undefined): Condition {
  const condition = (sql: string, value: Value | undefined): Condition[] =>
    value === undefined ? [] : [{ sql, values: [value] }];
  const where = [
    ...condition('entry.seq < ?', seq),
    ...condition("entry.record = 'log' AND entry.recordId = ?", log),
    ...condition(`${AT} >= ?`, since),
  ];
  if (user === undefined) return joined(where);
  // Each half is read from an index in descending order, so that no block reads more rows than it returns.
  const halves = ['userId', 'formerUserId'].map((column) =>
    joined([...condition(`entry.${column} = ?`, user), ...where]),
  );
  const select = `SELECT entry.seq AS seq FROM ${ENTRIES}`;
  const seqs = halves.map(({ sql }) => `${select}${sql}`).join(' UNION ');
  return {
    sql: ` WHERE entry.seq IN (${seqs} ORDER BY seq DESC LIMIT ${MOST_ENTRIES})`,
    values: halves.flatMap(({ values }) => values),
  };
}

/** SQL: whether a record that `entry` deleted with its user was since deleted on its own elsewhere: it stays deleted. */
const IS_DELETED_ELSEWHERE = `EXISTS (SELECT 1 FROM replicas WHERE replicas.id = entry.recordId AND replicas.record = entry.record
  AND replicas.seq >= entry.seq AND replicas.state ->> '$.life' % 2 = 0
  AND EXISTS (SELECT 1 FROM history AS owner WHERE owner.recordId = entry.userId AND owner.record = 'user'
    AND owner.action = 'delete' AND owner.change = entry.change))`;

/** The entries of a change with the same action on records of one kind and of the same users. */
export interface ChangePart {
  record: KindName;
  action: Action;
  /** Ids of the owners of the records: for records that moved, the former and the new one. */
  users: number[];
  count: number;
  /** The lowest and the highest id of the records. */
  first: number;
  last: number;
}

interface PartRow extends Omit<ChangePart, 'users'> {
  userId: number;
  formerUserId: number | null;
}

/** Successive entries of a change with the same action on records of one kind, each on a different record. */
export interface Run {
  record: KindName;
  action: Action;
  /** The seqs of the first and the last entry. All entries between them belong to the run; seqs of erased ones are missing. */
  first: number;
  last: number;
}

/** Most entries of a run, because its record ids are held in memory. */
const MOST_IN_RUN = 50_000;

const charactersOf = ({ before, after }: Row) => (before?.length ?? 0) + (after?.length ?? 0);

/** Reads the history of changes to records. */
export class History {
  readonly #states: States;
  #sql: string | undefined;

  constructor(private readonly db: Database) {
    this.#states = new States(db);
  }

  get #select(): string {
    this.#sql ??= `SELECT entry.seq, entry.change, ${AT} AS at, coalesce(head.source, 'cli') AS source, head.caller, head.undoes,
      entry.record, entry.recordId, entry.action, entry.before, ${stateAfter((kind) => this.#states.columns(kind))} AS after
      FROM ${ENTRIES}`;
    return this.#sql;
  }

  /** The matching entries, the latest first. */
  list(filter: HistoryFilter = {}): HistoryEntry[] {
    return [...this.blocks(filter)].flat();
  }

  /**
   * As `list`, in blocks. No statement stays open between blocks. Entries added meanwhile are not included,
   * because the blocks go back in time.
   */
  *blocks(filter: HistoryFilter = {}): Generator<HistoryEntry[]> {
    let before: number | undefined;
    for (let left = filter.limit ?? Number.POSITIVE_INFINITY; left > 0; ) {
      const { sql, values } = matching(filter, before);
      const most = { rows: Math.min(left, MOST_ENTRIES), characters: MOST_CHARACTERS };
      const rows = this.db.take<Row>(
        `${this.#select}${sql} ORDER BY entry.seq DESC`,
        most,
        charactersOf,
        ...values,
      );
      if (rows.length === 0) return;
      yield rows.map(this.#entryOf);
      left -= rows.length;
      before = rows.at(-1)?.seq;
    }
  }

  /** The entries of one record, the oldest first. */
  of(record: KindName, id: number): HistoryEntry[] {
    const sql = `${this.#select} WHERE entry.record = ? AND entry.recordId = ? ORDER BY entry.seq`;
    return this.db.all<Row>(sql, record, id).map(this.#entryOf);
  }

  /** Whether the undo of a change would block other requests for too long. @param users as for `partsOf` */
  isLong(change: number, users?: readonly number[]): boolean {
    const [after, before] = entriesOf(this.db, change);
    if (before - after <= MANY_ENTRIES) return false;
    return !users || !this.#isAboutOthers([after, after + MANY_ENTRIES], users);
  }

  /** Approximate size of a change in the history, in bytes. */
  bytesOf(change: number): number {
    return (
      this.db.value<number>(`${SUM_OF_BYTES} WHERE seq > ? AND seq < ?`, ...entriesOf(this.db, change)) ?? 0
    );
  }

  /** Approximate size of the entries above `seq`, in bytes. */
  bytesAfter(seq: number): number {
    return this.db.value<number>(`${SUM_OF_BYTES} WHERE seq > ?`, seq) ?? 0;
  }

  /** The last entry of one record. */
  lastOf(record: KindName, id: number): HistoryEntry | undefined {
    const sql = `${this.#select} WHERE entry.record = ? AND entry.recordId = ? ORDER BY entry.seq DESC LIMIT 1`;
    const row = this.db.get<Row>(sql, record, id);
    return row && this.#entryOf(row);
  }

  /** Whether an id was once given to a record of which nothing is left, neither row nor history, after an erasure. */
  isForgotten(record: KindName, id: number): boolean {
    const { table } = kindOf(record);
    return (
      this.db.value(
        `SELECT 1 FROM sqlite_sequence WHERE name = ? AND seq >= ?
         AND NOT EXISTS (SELECT 1 FROM ${table} WHERE id = ?)
         AND NOT EXISTS (SELECT 1 FROM history WHERE record = ? AND recordId = ?)`,
        table,
        id,
        id,
        record,
        id,
      ) === 1
    );
  }

  /** The entries of one change, the oldest first. */
  ofChange(change: number): HistoryEntry[] {
    const sql = `${this.#select} WHERE entry.seq > ? AND entry.seq < ? ORDER BY entry.seq`;
    return this.db.all<Row>(sql, ...entriesOf(this.db, change)).map(this.#entryOf);
  }

  /** The last entries of one change, the latest first; at most `limit`. */
  lastOfChange(change: number, limit: number): HistoryEntry[] {
    const sql = `${this.#select} WHERE entry.seq > ? AND entry.seq < ? ORDER BY entry.seq DESC LIMIT ?`;
    return this.db.all<Row>(sql, ...entriesOf(this.db, change), limit).map(this.#entryOf);
  }

  /**
   * Summarises one change by kind of record, action and owner, in the order of first occurrence.
   * @param users ids of the users that the caller sees; empty if an entry is about another user, whose data it would disclose
   */
  partsOf(change: number, users?: readonly number[]): ChangePart[] {
    const range = entriesOf(this.db, change);
    if (users && this.#isAboutOthers(range, users)) return [];
    const sql = `SELECT record, action, userId, formerUserId, count(*) AS count, min(recordId) AS first, max(recordId) AS last
      FROM history WHERE seq > ? AND seq < ? AND record IS NOT NULL
      GROUP BY record, action, userId, formerUserId ORDER BY min(seq)`;
    return this.db.all<PartRow>(sql, ...range).map(({ userId, formerUserId, ...part }) => ({
      ...part,
      users: formerUserId === null ? [userId] : [formerUserId, userId],
    }));
  }

  /** The entries of one change from the last to the first, as runs, each of which can be undone in bulk. */
  *runsOf(change: number): Generator<Run> {
    const [after, before] = entriesOf(this.db, change);
    const sql = `SELECT seq, record, recordId, action FROM history WHERE seq > ? AND seq < ? AND record IS NOT NULL
      ORDER BY seq DESC LIMIT ${MOST_ENTRIES}`;
    let run: Run | undefined;
    const ids = new Set<number>();
    for (let next = before; ; ) {
      const rows = this.db.all<Pick<Row, 'seq' | 'record' | 'recordId' | 'action'>>(sql, after, next);
      for (const { seq, record, recordId, action } of rows) {
        const goesOn =
          run?.record === record && run.action === action && !ids.has(recordId) && ids.size < MOST_IN_RUN;
        // With keys, updates and deletions are undone singly: a key must be free before another takes it.
        if (run && goesOn && (action === 'create' || !kindOf(record).key)) run.first = seq;
        else {
          if (run) yield run;
          run = { record, action, first: seq, last: seq };
          ids.clear();
        }
        ids.add(recordId);
        next = seq;
      }
      if (rows.length < MOST_ENTRIES) break;
    }
    if (run) yield run;
  }

  /** The entry with a seq. */
  entry(seq: number): HistoryEntry | undefined {
    return this.#some(1, 'entry.seq = ?', seq)[0];
  }

  /** SQL subquery with rows for `apply` that undo a run. `place` is the negated seq: the last entry is undone first. */
  rowsToRevert({ record, action, first, last }: Run): string {
    const after = stateAfter((kind) => this.#states.columns(kind));
    return `(SELECT -entry.seq AS place, entry.recordId AS id, ${after} AS expected, entry.before AS wanted
      FROM history AS entry WHERE entry.seq BETWEEN ${first} AND ${last}
      ${action === 'delete' && record !== 'user' ? `AND NOT ${IS_DELETED_ELSEWHERE}` : ''})`;
  }

  /** As `rowsToRevert`, to restore the records of a kind and a user that one change deleted and nothing has touched since. */
  rowsToRestore(change: number, record: KindName, userId: number): string {
    const [after, before] = entriesOf(this.db, change);
    return `(SELECT entry.seq AS place, entry.recordId AS id, NULL AS expected, entry.before AS wanted
      FROM history AS entry WHERE entry.seq > ${after} AND entry.seq < ${before}
      AND entry.record = '${record}' AND entry.action = 'delete' AND entry.userId = ${userId} AND NOT EXISTS (
        SELECT 1 FROM history AS later
        WHERE later.record = entry.record AND later.recordId = entry.recordId AND later.seq > entry.seq)
      AND NOT ${IS_DELETED_ELSEWHERE})`;
  }

  /** Whether an entry between two seqs, both exclusive, is about a user who is not among `users`. */
  #isAboutOthers(range: readonly [number, number], users: readonly number[]): boolean {
    const [now, before] = [isAmong('userId', users), isAmong('coalesce(formerUserId, userId)', users)];
    const sql = `SELECT 1 FROM history WHERE seq > ? AND seq < ? AND NOT (${now.sql} AND ${before.sql}) LIMIT 1`;
    return this.db.value(sql, ...range, ...now.values, ...before.values) !== undefined;
  }

  /**
   * The entries above `seq`, the oldest first: at most `limit`, at most about `MOST_CHARACTERS` of states,
   * and for `users` at most `MOST_ENTRIES`. For the next block, pass the seq of the last one.
   * @param users ids of users: only entries about them
   */
  after(seq: number, limit: number, users?: readonly number[]): HistoryEntry[] {
    if (!users) return this.#some(limit, 'entry.seq > ?', seq);
    const { sql, values } = seqsOf(users, seq);
    return this.#some(limit, `entry.seq IN (${sql} ORDER BY seq LIMIT ${MOST_ENTRIES})`, ...values);
  }

  /** As `after`, for one record. */
  ofAfter(record: KindName, id: number, seq: number): HistoryEntry[] {
    return this.#some(
      MOST_ENTRIES,
      'entry.record = ? AND entry.recordId = ? AND entry.seq > ?',
      record,
      id,
      seq,
    );
  }

  #some(limit: number, condition: string, ...values: Value[]): HistoryEntry[] {
    const sql = `${this.#select} WHERE ${condition} ORDER BY entry.seq`;
    const most = { rows: limit, characters: MOST_CHARACTERS };
    return this.db.take(sql, most, charactersOf, ...values).map(this.#entryOf);
  }

  /** The highest seq above `seq` of an entry about one of these users; `seq` if there is none. */
  lastAfter(seq: number, users: readonly number[]): number {
    const { sql, values } = seqsOf(users, seq);
    return this.db.value<number | null>(`SELECT max(seq) FROM (${sql})`, ...values) ?? seq;
  }

  /** Highest history seq that was ever given; 0 before the first. */
  last(): number {
    return this.db.value<number>(LAST_ENTRY) ?? 0;
  }

  /** The change that `undo` would undo next. */
  nextUndo = (): number | undefined => nextUndo(this.db);

  /** The latest change that imported a file of this name and is not undone. */
  importOf = (file: string): number | undefined => importOf(this.db, file);

  /** The undo that is in effect of a change; undefined unless the change is undone now. */
  undoOf = (change: number): number | undefined => undoOf(this.db, change);

  /** The undo that `redo` would undo next. */
  nextRedo = (): number | undefined => nextRedo(this.db);

  readonly #entryOf = ({ at, caller, undoes, recordId: id, before, after, ...row }: Row): HistoryEntry => {
    const state = (json: string | null) => (json === null ? null : this.#states.read(row.record, id, json));
    return {
      seq: row.seq,
      change: row.change,
      at: new Date(at).toISOString(),
      source: row.source,
      ...(caller !== null && { caller }),
      ...(undoes !== null && { undoes }),
      record: row.record,
      id,
      action: row.action,
      before: state(before),
      after: state(after),
    };
  };
}
