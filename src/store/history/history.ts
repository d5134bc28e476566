import type { Action, HistoryEntry, HistoryFilter, Source } from '../../domain/history.ts';
import { type KindName, kindOf } from '../../domain/kinds.ts';
import { AT, ENTRIES, entriesOf } from '../records/entries.ts';
import { LAST_ENTRY } from '../records/lists/rows.ts';
import { States, stateAfter } from '../records/states.ts';
import { type Condition, isAmong, joined, type Value } from '../sqlite/condition.ts';
import type { Database } from '../sqlite/database.ts';
import { importOf, nextRedo, nextUndo } from './steps.ts';

/** An entry as it is stored: the states are arrays of the record's fields but for the id. */
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

/** What an entry takes besides the states of the record, with its places in the indexes; about. */
const ENTRY_BYTES = 100;
const SUM_OF_BYTES = `SELECT sum(coalesce(octet_length(before), 0) + coalesce(octet_length(after), 0) + ${ENTRY_BYTES}) FROM history`;

/** How much of the history is read at once. */
const MOST_ENTRIES = 1000;

/** Taking back a change with more entries may take longer than others wait. */
const MANY_ENTRIES = 2000;
const MOST_CHARACTERS = 256 * 1024;

/** The numbers of the entries after the entry `seq` that are about one of these users, from the indexes alone. */
function seqsOf(users: readonly number[], seq: number): Condition {
  const [now, before] = [isAmong('userId', users), isAmong('formerUserId', users)];
  const of = ({ sql }: Condition) => `SELECT seq FROM history WHERE seq > ? AND ${sql}`;
  return { sql: `${of(now)} UNION ${of(before)}`, values: [seq, ...now.values, seq, ...before.values] };
}

/** The latest entries that match, of those before the entry `seq`: at least a block, if there are so many. */
function matching({ user, log, since }: HistoryFilter, seq: number | undefined): Condition {
  const condition = (sql: string, value: Value | undefined): Condition[] =>
    value === undefined ? [] : [{ sql, values: [value] }];
  const where = [
    ...condition('entry.seq < ?', seq),
    ...condition("entry.record = 'log' AND entry.recordId = ?", log),
    ...condition(`${AT} >= ?`, since),
  ];
  if (user === undefined) return joined(where);
  // Each half comes from an index in the order wanted, so that no block reads more than it gives.
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

/** SQL: whether a record that an entry deleted with its user was deleted by itself elsewhere since: it does not come back with the user. */
const IS_DELETED_ELSEWHERE = `EXISTS (SELECT 1 FROM replicas WHERE replicas.id = entry.recordId AND replicas.record = entry.record
  AND replicas.seq >= entry.seq AND replicas.state ->> '$.life' % 2 = 0
  AND EXISTS (SELECT 1 FROM history AS owner WHERE owner.recordId = entry.userId AND owner.record = 'user'
    AND owner.action = 'delete' AND owner.change = entry.change))`;

/** The entries of a change that did the same to records of one kind and the same users. */
export interface ChangePart {
  record: KindName;
  action: Action;
  /** Whose the records are: two for those that moved. */
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

/** Entries one after another that did the same to records of one kind, each to another. */
export interface Run {
  record: KindName;
  action: Action;
  /** The seqs of the first and the last entry; those between them are of the run, as far as they are entries. */
  first: number;
  last: number;
}

/** How many entries a run has at most: its ids are held in memory. */
const MOST_IN_RUN = 50_000;

const charactersOf = ({ before, after }: Row) => (before?.length ?? 0) + (after?.length ?? 0);

/** What was changed, when and by what. */
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

  /** The entries that match, the latest first. */
  list(filter: HistoryFilter = {}): HistoryEntry[] {
    return [...this.blocks(filter)].flat();
  }

  /**
   * As `list`, a block at a time. No statement stays open between two blocks; what is added meanwhile is not in them,
   * because they go backwards.
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

  /** The entries of one record, the first one first. */
  of(record: KindName, id: number): HistoryEntry[] {
    const sql = `${this.#select} WHERE entry.record = ? AND entry.recordId = ? ORDER BY entry.seq`;
    return this.db.all<Row>(sql, record, id).map(this.#entryOf);
  }

  /** Whether others should not wait until a change is taken back. @param users as for `partsOf` */
  isLong(change: number, users?: readonly number[]): boolean {
    const [after, before] = entriesOf(this.db, change);
    if (before - after <= MANY_ENTRIES) return false;
    return !users || !this.#isAboutOthers([after, after + MANY_ENTRIES], users);
  }

  /** How many bytes the history keeps of a change. */
  bytesOf(change: number): number {
    return (
      this.db.value<number>(`${SUM_OF_BYTES} WHERE seq > ? AND seq < ?`, ...entriesOf(this.db, change)) ?? 0
    );
  }

  /** How many bytes the history keeps of what came after the entry `seq`. */
  bytesAfter(seq: number): number {
    return this.db.value<number>(`${SUM_OF_BYTES} WHERE seq > ?`, seq) ?? 0;
  }

  /** The last entry of one record. */
  lastOf(record: KindName, id: number): HistoryEntry | undefined {
    const sql = `${this.#select} WHERE entry.record = ? AND entry.recordId = ? ORDER BY entry.seq DESC LIMIT 1`;
    const row = this.db.get<Row>(sql, record, id);
    return row && this.#entryOf(row);
  }

  /** Whether an id was given to a record of which nothing is left, because its user was erased. */
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

  /** The entries of one change, the first one first. */
  ofChange(change: number): HistoryEntry[] {
    const sql = `${this.#select} WHERE entry.seq > ? AND entry.seq < ? ORDER BY entry.seq`;
    return this.db.all<Row>(sql, ...entriesOf(this.db, change)).map(this.#entryOf);
  }

  /** The last entries of one change, the last one first: at most `limit`. */
  lastOfChange(change: number, limit: number): HistoryEntry[] {
    const sql = `${this.#select} WHERE entry.seq > ? AND entry.seq < ? ORDER BY entry.seq DESC LIMIT ?`;
    return this.db.all<Row>(sql, ...entriesOf(this.db, change), limit).map(this.#entryOf);
  }

  /**
   * What one change did, by kind of record and user, as they first come in it.
   * @param users nothing at all if one of its entries is about somebody else: nobody is to have another's import read
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

  /** The entries of one change from the last to the first, as runs: each can be taken back at once. */
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
        // Of two records that had the same key, one has to go first.
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

  /** SQL of a subquery: the entries of a run, to be taken back, as `apply` takes rows. The place is the seq, made negative. */
  rowsToRevert({ record, action, first, last }: Run): string {
    const after = stateAfter((kind) => this.#states.columns(kind));
    return `(SELECT -entry.seq AS place, entry.recordId AS id, ${after} AS expected, entry.before AS wanted
      FROM history AS entry WHERE entry.seq BETWEEN ${first} AND ${last}
      ${action === 'delete' && record !== 'user' ? `AND NOT ${IS_DELETED_ELSEWHERE}` : ''})`;
  }

  /** As `rowsToRevert`: what one change deleted of a kind of record of one user, as far as nothing happened to it since. */
  rowsToRestore(change: number, record: KindName, userId: number): string {
    const [after, before] = entriesOf(this.db, change);
    return `(SELECT entry.seq AS place, entry.recordId AS id, NULL AS expected, entry.before AS wanted
      FROM history AS entry WHERE entry.seq > ${after} AND entry.seq < ${before}
      AND entry.record = '${record}' AND entry.action = 'delete' AND entry.userId = ${userId} AND NOT EXISTS (
        SELECT 1 FROM history AS later
        WHERE later.record = entry.record AND later.recordId = entry.recordId AND later.seq > entry.seq)
      AND NOT ${IS_DELETED_ELSEWHERE})`;
  }

  /** Whether one of the entries between two seqs is about somebody else. */
  #isAboutOthers(range: readonly [number, number], users: readonly number[]): boolean {
    const [now, before] = [isAmong('userId', users), isAmong('coalesce(formerUserId, userId)', users)];
    const sql = `SELECT 1 FROM history WHERE seq > ? AND seq < ? AND NOT (${now.sql} AND ${before.sql}) LIMIT 1`;
    return this.db.value(sql, ...range, ...now.values, ...before.values) !== undefined;
  }

  /**
   * The entries that came after the entry `seq`, the first one first: at most `limit` of them, up to `MOST_ENTRIES`,
   * and no more than are held in memory without harm. Those that follow come after the last of these.
   * @param users only those about one of these users
   */
  after(seq: number, limit: number, users?: readonly number[]): HistoryEntry[] {
    if (!users) return this.#some(limit, 'entry.seq > ?', seq);
    const { sql, values } = seqsOf(users, seq);
    return this.#some(limit, `entry.seq IN (${sql} ORDER BY seq LIMIT ${MOST_ENTRIES})`, ...values);
  }

  /** As `after`, of one record. */
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

  /** The number of the last entry after the entry `seq` that is about one of these users; `seq` if there is none. */
  lastAfter(seq: number, users: readonly number[]): number {
    const { sql, values } = seqsOf(users, seq);
    return this.db.value<number | null>(`SELECT max(seq) FROM (${sql})`, ...values) ?? seq;
  }

  /** Highest history seq that was ever given; 0 before the first. */
  last(): number {
    return this.db.value<number>(LAST_ENTRY) ?? 0;
  }

  /** The change that `undo` takes back next. */
  nextUndo = (): number | undefined => nextUndo(this.db);

  /** The latest import of a file of this name that is not undone. */
  importOf = (file: string): number | undefined => importOf(this.db, file);

  /** The undo that `redo` takes back next. */
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
