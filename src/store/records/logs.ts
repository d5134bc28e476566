import { fromCells } from '../../domain/codec.ts';
import type { Exercise } from '../../domain/exercise.ts';
import type { FilterOf } from '../../domain/kinds.ts';
import { type Log, type Session, sessionFields } from '../../domain/log.ts';
import { type Renamed, renamedExercises } from '../../domain/routine.ts';
import { joined } from '../sqlite/condition.ts';
import { openSource, type Source } from '../sqlite/snapshot.ts';
import type { RunChange } from './changes.ts';
import { hasManyEntries } from './lists/cost.ts';
import type { Lines } from './lists/long-lists.ts';
import { haveCome, recordedAt } from './recorded.ts';
import { Records, type Surroundings } from './records.ts';

type LogFilter = FilterOf<'log'>;

/** Sessions read into memory at once. */
const BLOCK_ROWS = 1000;

const sessionOf = (row: Record<string, unknown>): Session =>
  fromCells(sessionFields, (name) => row[name]) as Session;

/** The operations on logs: those of every kind, and queries that only logs have. */
export class Logs extends Records<'log'> {
  constructor(private readonly surroundings: Surroundings) {
    super('log', surroundings);
  }

  /** Whether statistics over a user's logs and pain entries would block other requests for too long. */
  areMany(userId: number): boolean {
    const { db, visible } = this.surroundings;
    return visible?.includes(userId) !== false && hasManyEntries(db, userId);
  }

  /**
   * The sessions that match, without their notes, in blocks and in the order in which they were recorded:
   * from one snapshot unless that takes too long (`openSource`). Aggregating them in JavaScript is faster
   * than GROUP BY, for which SQLite first sorts a million rows.
   */
  *sessions(filter: LogFilter = {}): Generator<Session[]> {
    const { sql, values } = joined([...this.conditions(filter), { sql: 'id > ?', values: [] }]);
    const block = `SELECT ${Object.keys(sessionFields)} FROM logs${sql} ORDER BY id LIMIT ${BLOCK_ROWS}`;
    const source = openSource(this.surroundings.db, false);
    try {
      if (source.read((db) => haveCome(db, 'log'))) {
        yield* this.#inOrder(source, filter);
        return;
      }
      for (let after = 0; ; ) {
        const rows = source.read((db) => db.all<Record<string, unknown>>(block, ...values, after));
        const sessions = rows.map(sessionOf);
        yield sessions;
        if (rows.length < BLOCK_ROWS) return;
        after = sessions.at(-1)?.id ?? after;
      }
    } finally {
      source.close();
    }
  }

  /** As `sessions`, where some logs are replicas, whose ids are not in the order of recording. */
  *#inOrder(source: Source, filter: LogFilter): Generator<Session[]> {
    const { sql, values } = joined(this.conditions(filter));
    const ids = source.read((db) =>
      db.column<number>(`SELECT id FROM logs${sql} ORDER BY ${recordedAt('log', 'logs.id')}, id`, ...values),
    );
    const block = `SELECT ${Object.keys(sessionFields).map((name) => `logs.${name}`)} FROM json_each(?) AS chosen
      CROSS JOIN logs ON logs.id = chosen.value ORDER BY chosen.key`;
    for (let at = 0; at < ids.length; at += BLOCK_ROWS) {
      const chosen = JSON.stringify(ids.slice(at, at + BLOCK_ROWS));
      yield source.read((db) => db.all<Record<string, unknown>>(block, chosen)).map(sessionOf);
    }
  }

  /** The session that was recorded last on the latest day among those that match. */
  latest(filter: LogFilter): Log | undefined {
    const [last] = this.list({ ...filter, sort: '-date', limit: 1 });
    return last && this.recorded({ ...filter, since: last.date, until: last.date }).at(-1);
  }

  /** As `jsonChunks`, rendered as lines of CSV with line ends: the fields, then the position in the day (`POSITION`). */
  csvLines(filter: LogFilter, raw: boolean): Generator<Lines> {
    return this.linesOfCsv(filter, raw, [this.#position]);
  }

  /** The position of a log in its day (`POSITION`), from 1. */
  position({ id }: Pick<Log, 'id'>): number {
    return this.surroundings.db.value<number>(`SELECT ${this.#position} FROM logs WHERE id = ?`, id) ?? 0;
  }

  /** SQL of `position`. Without replicas, the index `logs_by_user_and_date` alone answers it. */
  get #position(): string {
    const upTo = haveCome(this.surroundings.db, 'log')
      ? `(${recordedAt('log', 'theirs.id')}, theirs.id) <= (${recordedAt('log', 'logs.id')}, logs.id)`
      : 'theirs.id <= logs.id';
    return `(SELECT count(*) FROM logs AS theirs WHERE theirs.userId = logs.userId AND theirs.date = logs.date AND ${upTo})`;
  }

  /** The ids of the users whose logs match. */
  userIds(filter: LogFilter = {}): number[] {
    return this.distinct('userId', filter);
  }

  /** The exercises recorded so far, by one user or by all, the last used first. */
  exercises(userId?: number): Exercise[] {
    const { sql, values } = joined(this.conditions(userId === undefined ? {} : { userId }));
    // With a single max(), SQLite takes the bare columns from the row that holds the maximum
    // (https://sqlite.org/lang_select.html#bareagg).
    return this.surroundings.db.all<Exercise>(
      `SELECT exerciseName, exerciseType, sessions, date FROM (
         SELECT exerciseName, exerciseType, count(*) AS sessions, date, max(date || format('%016d', id)) AS latest
         FROM logs ${sql} GROUP BY exerciseName
       ) ORDER BY latest DESC`,
      ...values,
    );
  }

  /**
   * Renames exercises in a user's logs, and sets their type where the new name has a known one.
   * @param from the names as they are stored
   * @returns the number of changed logs
   */
  rename(userId: number, from: readonly string[], { exerciseName, exerciseType }: Renamed): number {
    const { db, change } = this.surroundings;
    const { sql, values } = joined([
      ...this.conditions({ userId }),
      { sql: 'exerciseName IN (SELECT value FROM json_each(?))', values: [JSON.stringify(from)] },
    ]);
    const set = 'exerciseName = ?, exerciseType = coalesce(?, exerciseType)';
    return change(
      () => db.run(`UPDATE logs SET ${set}${sql}`, exerciseName, exerciseType ?? null, ...values).changes,
    );
  }
}

/**
 * Renames a user's exercises in logs, routines and trials, as one change.
 * @param from the names as they are stored
 * @returns the number of changed records of each kind
 */
export function renameExercise(
  store: { logs: Logs; routines: Records<'routine'>; of(kind: 'trial'): Records<'trial'>; change: RunChange },
  userId: number,
  from: readonly string[],
  to: Renamed,
): { logs: number; routines: number; trials: number } {
  return store.change(() => {
    const logs = store.logs.rename(userId, from, to);
    const routines = store.routines
      .list({ userId })
      .filter(({ exercises }) => exercises.some(({ exerciseName }) => from.includes(exerciseName)));
    for (const routine of routines)
      store.routines.update(routine.id, { exercises: renamedExercises(routine.exercises, from, to) });
    const renamed = (name: string) => (from.includes(name) ? to.exerciseName : name);
    // A trial of two exercises that would get the same name keeps both names.
    const trials = store
      .of('trial')
      .list({ userId })
      .filter(
        ({ exerciseName, otherExercise = '' }) =>
          [exerciseName, otherExercise].some((name) => from.includes(name)) &&
          renamed(exerciseName) !== renamed(otherExercise),
      );
    for (const { id, exerciseName, otherExercise } of trials)
      store.of('trial').update(id, {
        exerciseName: renamed(exerciseName),
        ...(otherExercise !== undefined && { otherExercise: renamed(otherExercise) }),
      });
    return { logs, routines: routines.length, trials: trials.length };
  });
}
