import type { Action, HistoryEntry, HistoryFilter, Source } from '../../domain/history.ts';
import { type KindName, kindOf } from '../../domain/kinds.ts';
import type { LastChange } from '../../domain/origin.ts';
import { AT, ENTRIES, entriesOf } from '../records/entries.ts';
import { LAST_ENTRY } from '../records/lists/rows.ts';
import { States, stateAfter } from '../records/states.ts';
import { type Condition, isAmong, joined, type Value } from '../sqlite/condition.ts';
import type { Database } from '../sqlite/database.ts';
import { nextRedo, nextUndo } from './steps.ts';

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

/** How much of the history is read at once. */
const MOST_ENTRIES = 1000;
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

  /** The last entry of one record. */
  lastOf(record: KindName, id: number): HistoryEntry | undefined {
    const sql = `${this.#select} WHERE entry.record = ? AND entry.recordId = ? ORDER BY entry.seq DESC LIMIT 1`;
    const row = this.db.get<Row>(sql, record, id);
    return row && this.#entryOf(row);
  }

  /** Whether nothing has happened to a record since an entry. */
  isLast({ record, id, seq }: Pick<HistoryEntry, 'record' | 'id' | 'seq'>): boolean {
    const later = 'SELECT 1 FROM history WHERE record = ? AND recordId = ? AND seq > ?';
    return this.db.value(later, record, id, seq) === undefined;
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

  /**
   * The entries of one change, the first one first.
   * @param users none at all if one of them is about somebody else: nobody is to have another's import read
   */
  ofChange(change: number, users?: readonly number[]): HistoryEntry[] {
    const range = entriesOf(this.db, change);
    if (users && this.#isAboutOthers(range, users)) return [];
    const sql = `${this.#select} WHERE entry.seq > ? AND entry.seq < ? ORDER BY entry.seq`;
    return this.db.all<Row>(sql, ...range).map(this.#entryOf);
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

  /**
   * When the records were last changed that were changed or deleted after they had been created: as JSON, a block at a time. From the index
   * alone, so that a long history costs little.
   */
  *lastChanges(): Generator<string[]> {
    const sql = `SELECT known.record, known.recordId AS id, ${AT} AS at FROM (
        SELECT record, recordId, max(seq) AS last FROM history WHERE (recordId, record) > (?, ?)
        GROUP BY recordId, record HAVING count(*) > 1 ORDER BY recordId, record LIMIT ${MOST_ENTRIES}) AS known
      CROSS JOIN ${ENTRIES} WHERE entry.seq = last`;
    for (let last = { record: '', id: 0 }; ; ) {
      const rows = this.db.all<LastChange>(sql, last.id, last.record);
      if (rows.length > 0)
        yield rows.map((row) => JSON.stringify({ ...row, at: new Date(row.at).toISOString() }));
      last = rows.at(-1) ?? last;
      if (rows.length < MOST_ENTRIES) return;
    }
  }

  /** The change that `undo` takes back next. */
  nextUndo = (): number | undefined => nextUndo(this.db);

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
