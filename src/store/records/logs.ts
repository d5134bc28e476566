import { type Issue, invalid } from '../../domain/errors.ts';
import {
  type ExerciseType,
  type Log,
  type LogFilter,
  type LogInput,
  type LogPatch,
  logRecord,
  type Session,
} from '../../domain/log.ts';
import type { History } from '../history/history.ts';
import { type Condition, isAmong, joined, type Value } from '../sqlite/condition.ts';
import type { Database } from '../sqlite/database.ts';
import { sessionBlocks } from './sessions.ts';
import { type Page, type Query, Table } from './table.ts';
import type { Guard } from './users.ts';

/** An exercise as it was recorded so far. */
export interface Exercise {
  exerciseName: string;
  /** The type of its latest session. */
  exerciseType: ExerciseType;
  sessions: number;
  /** The day of its latest session. */
  date: string;
}

/** The verbs of a log. Each that writes is one transaction. */
export class Logs {
  readonly #table: Table<Log>;
  readonly #scope: readonly Condition[];

  constructor(
    private readonly db: Database,
    private readonly history: History,
    private readonly users?: readonly number[],
  ) {
    this.#scope = users ? [isAmong('userId', users)] : [];
    this.#table = new Table(db, 'logs', 'log', logRecord, this.#scope);
  }

  has = (id: number): boolean => this.#table.has(id);
  find = (id: number): Log | undefined => this.#table.find(id);
  /** @throws SciaticaError `not-found` */
  get = (id: number): Log => this.#table.get(id);
  /** The record as JSON. @throws SciaticaError `not-found` */
  json = (id: number): string => this.#table.json(id);

  count = (filter: LogFilter = {}): number => this.#table.count(conditions(filter));
  list = (filter: LogFilter = {}): Log[] => this.#table.list(query(filter));
  page = (filter: LogFilter, limit: number) => this.#table.page(query(filter), limit);
  boundedPage = (filter: LogFilter, limit: number): Page => this.#table.boundedPage(query(filter), limit);
  chunks = (filter: LogFilter = {}): Generator<Log[]> => this.#table.chunks(query(filter));
  jsonChunks = (filter: LogFilter = {}): Generator<string[]> => this.#table.jsonChunks(query(filter));

  /** The sessions that match, without their notes, in blocks of bounded size, all from one moment. */
  sessions = (filter: LogFilter = {}): Generator<Session[]> =>
    sessionBlocks(this.db, [...this.#scope, ...conditions(filter)]);

  /** The ids of the users whose logs match. */
  userIds = (filter: LogFilter = {}): number[] => this.#table.distinct('userId', query(filter));

  /** The exercises recorded so far, by one user or by all, the latest first. */
  exercises(userId?: number): Exercise[] {
    const { sql, values } = joined([
      ...this.#scope,
      ...conditions({ ...(userId !== undefined && { userId }) }),
    ]);
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
    return this.history.change(() => {
      this.#requireUser(input.userId);
      return this.get(this.#table.insert(input));
    });
  }

  /** Inserts a log with the id it has. @throws SciaticaError `invalid` if there is no such user */
  restore(log: Log): void {
    this.#requireUser(log.userId);
    this.#table.insert(log);
  }

  /**
   * Changes the fields that are given; all eight replace the log.
   * @throws SciaticaError `not-found`, or `invalid` if there is no such user
   */
  update(id: number, patch: LogPatch, guard?: Guard): Log {
    return this.history.change(() => {
      guard?.(this.json(id));
      const log = { ...this.get(id), ...patch, id };
      this.#requireUser(log.userId);
      this.#table.update(log);
      return this.get(id);
    });
  }

  /**
   * Deletes the log; returns what was deleted.
   * @throws SciaticaError `not-found`
   */
  delete(id: number, guard?: Guard): Log {
    return this.history.change(() => {
      guard?.(this.json(id));
      const log = this.get(id);
      this.#table.delete(id);
      return log;
    });
  }

  /** What is wrong with a user's id; nothing if it is no id at all, for that is the schema's to say. */
  userFaults(userId: unknown): Issue[] {
    const isId = Number.isSafeInteger(userId) && (userId as number) > 0;
    const isSeen = this.users?.includes(userId as number) ?? true;
    if (!isId || (isSeen && this.db.value('SELECT 1 FROM users WHERE id = ?', userId as number))) return [];
    return [{ field: 'userId', message: 'must be the id of an existing user' }];
  }

  #requireUser(userId: number): void {
    const issues = this.userFaults(userId);
    if (issues.length > 0) throw invalid(issues);
  }
}

function query(filter: LogFilter): Query {
  return { where: conditions(filter), sort: filter.sort, limit: filter.limit, cursor: filter.cursor };
}

function conditions({ userId, exerciseType, exerciseName, effective, since, until }: LogFilter): Condition[] {
  const condition = (sql: string, value: Value | undefined) =>
    value === undefined ? [] : [{ sql, values: [value] }];
  return [
    ...condition('userId = ?', userId),
    ...condition('exerciseType = ?', exerciseType),
    ...condition('exerciseName = ?', exerciseName),
    ...condition('effective = ?', effective === undefined ? undefined : Number(effective)),
    ...condition('date >= ?', since),
    ...condition('date <= ?', until),
  ];
}
