import { type Issue, invalid } from '../../domain/errors.ts';
import {
  type Log,
  type LogFilter,
  type LogInput,
  type LogPatch,
  logFilters,
  logRecord,
  type Session,
} from '../../domain/log.ts';
import type { Exercise } from '../../domain/plans/exercise.ts';
import type { RunChange } from '../history/changes.ts';
import { type Condition, isAmong, joined } from '../sqlite/condition.ts';
import type { Database } from '../sqlite/database.ts';
import { hasManyLogs, isLong } from './lists/cost.ts';
import { conditionsFor } from './lists/filters.ts';
import type { Lines } from './lists/lines.ts';
import type { Chunk } from './lists/rows.ts';
import { sessionBlocks } from './sessions.ts';
import { type OwnedJson, type Page, type Query, type ShortPage, Table } from './table.ts';
import type { Guard } from './users.ts';

const conditionsOf: (filter: LogFilter) => Condition[] = conditionsFor(logRecord, logFilters);

export type { Exercise };

/** The verbs of a log. Each that writes is a change of its own, unless it is called inside one. */
export class Logs {
  readonly #table: Table<Log>;
  readonly #scope: readonly Condition[];

  constructor(
    private readonly db: Database,
    private readonly change: RunChange,
    private readonly users?: readonly number[],
  ) {
    this.#scope = users ? [isAmong('userId', users)] : [];
    this.#table = new Table(db, 'log', this.#scope);
  }

  has = (id: number): boolean => this.#table.has(id);
  find = (id: number): Log | undefined => this.#table.find(id);
  /** @throws SciaticaError `not-found` */
  get = (id: number): Log => this.#table.get(id);
  /** The record as JSON. @throws SciaticaError `not-found` */
  json = (id: number): string => this.#table.json(id);
  ownedJson = (id: number): OwnedJson => this.#table.ownedJson(id);

  count = (filter: LogFilter = {}): number => this.#table.count(conditionsOf(filter));
  /** As `count`, outside of changes. */
  total = (filter: LogFilter): number => this.#table.total(conditionsOf(filter));
  list = (filter: LogFilter = {}): Log[] => this.#table.list(query(filter));
  shortPage = (filter: LogFilter, withIds = false): ShortPage =>
    this.#table.shortPage(query(filter), withIds);
  page = (filter: LogFilter, limit: number): Page => this.#table.page(query(filter), limit);
  chunks = (filter: LogFilter = {}): Generator<Log[]> => this.#table.chunks(query(filter));
  jsonChunks = (filter: LogFilter = {}): Generator<Chunk> => this.#table.jsonChunks(query(filter));
  jsonRows = (filter: LogFilter = {}): Generator<string[]> => this.#table.jsonRows(query(filter));

  /** As `Table.csvLines`. */
  csvLines = (filter: LogFilter, raw: boolean): Generator<Lines> => this.#table.csvLines(query(filter), raw);
  /** As `Table.jsonLines`. */
  jsonLines = (filter: LogFilter, separator: string): Generator<Lines> =>
    this.#table.jsonLines(query(filter), separator);

  /** Whether others should not wait for this list (see cost.ts). */
  isLong = (filter: LogFilter, goesOn = false): boolean =>
    isLong({ db: this.db, table: 'logs', users: this.users }, filter, goesOn);
  /** Whether others should not wait for statistics of a user's logs. */
  areMany = (userId: number): boolean => hasManyLogs(this.db, userId);

  /** The sessions that match, without their notes, in blocks of bounded size: see there. */
  sessions = (filter: LogFilter = {}): Generator<Session[]> =>
    sessionBlocks(this.db, [...this.#scope, ...conditionsOf(filter)]);

  /** The ids of the users whose logs match. */
  userIds = (filter: LogFilter = {}): number[] => this.#table.distinct('userId', query(filter));

  /** The exercises recorded so far, by one user or by all, the latest first. */
  exercises(userId?: number): Exercise[] {
    const { sql, values } = joined([...this.#scope, ...conditionsOf(userId === undefined ? {} : { userId })]);
    // With one max() and no other, SQLite takes the other columns from the row that has it
    // (https://sqlite.org/lang_select.html#bareagg).
    return this.db.all<Exercise>(
      `SELECT exerciseName, exerciseType, sessions, date FROM (
         SELECT exerciseName, exerciseType, count(*) AS sessions, date, max(date || format('%016d', id)) AS latest
         FROM logs ${sql} GROUP BY exerciseName
       ) ORDER BY latest DESC`,
      ...values,
    );
  }

  /** @throws SciaticaError `invalid` if there is no such user */
  create(input: LogInput): Log {
    return this.change(() => {
      this.#requireUsers([input], () => '');
      return this.#table.insert(input);
    });
  }

  /** @throws SciaticaError `invalid` that names every missing user, as `[2].userId` */
  createAll(inputs: readonly LogInput[]): Log[] {
    return this.change(() => {
      this.#requireUsers(inputs, (i) => `[${i}].`);
      return inputs.map((input) => this.#table.insert(input));
    });
  }

  /** Inserts a log with the id it has. @throws SciaticaError `invalid` if there is no such user */
  restore(log: Log): void {
    this.change(() => {
      this.#requireUsers([log], () => '');
      this.#table.insert(log);
    });
  }

  /**
   * Changes the fields that are given.
   * @throws SciaticaError `not-found`, `invalid` if there is no such user, and what the guard throws
   */
  update(id: number, patch: LogPatch, guard?: Guard): Log {
    return this.#write(id, (log) => ({ ...log, ...patch }) as Log, guard);
  }

  /**
   * Puts another record in the place of this one.
   * @throws SciaticaError `not-found`, `invalid` if there is no such user, and what the guard throws
   */
  replace(id: number, input: LogInput, guard?: Guard): Log {
    return this.#write(id, () => input, guard);
  }

  #write(id: number, next: (log: Log) => LogInput, guard: Guard | undefined): Log {
    return this.change(() => {
      guard?.(this.json(id));
      const log = next(this.get(id));
      this.#requireUsers([log], () => '');
      return this.#table.update(log, id);
    });
  }

  /**
   * Deletes the log; returns what was deleted.
   * @throws SciaticaError `not-found`, and what the guard throws
   */
  delete(id: number, guard?: Guard): Log {
    return this.change(() => {
      guard?.(this.json(id));
      const log = this.get(id);
      this.#table.delete(id);
      return log;
    });
  }

  /**
   * Gives the logs of a user's exercises another name.
   * @param from the names as they are stored
   * @returns how many logs were renamed
   */
  rename(userId: number, from: readonly string[], to: string): number {
    const { sql, values } = joined([
      ...this.#scope,
      ...conditionsOf({ userId }),
      { sql: 'exerciseName IN (SELECT value FROM json_each(?))', values: [JSON.stringify(from)] },
    ]);
    return this.change(() => this.db.run(`UPDATE logs SET exerciseName = ?${sql}`, to, ...values).changes);
  }

  /** What is wrong with a user's id; nothing if it is no id at all, for that is the schema's to say. */
  userFaults(userId: unknown): Issue[] {
    const isId = Number.isSafeInteger(userId) && (userId as number) > 0;
    const isSeen = this.users?.includes(userId as number) ?? true;
    if (!isId || (isSeen && this.db.value('SELECT 1 FROM users WHERE id = ?', userId as number))) return [];
    return [
      { field: 'userId', message: 'must be the id of an existing user', fault: { code: 'no-such-user' } },
    ];
  }

  #requireUsers(logs: readonly LogInput[], place: (i: number) => string): void {
    const issues = logs.flatMap(({ userId }, i) =>
      this.userFaults(userId).map((issue) => ({ ...issue, field: place(i) + issue.field })),
    );
    if (issues.length > 0) throw invalid(issues);
  }
}

function query(filter: LogFilter): Query {
  return { ...filter, where: conditionsOf(filter) };
}
