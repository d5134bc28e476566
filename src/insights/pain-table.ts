import type { Log } from '../domain/log.ts';
import { type ResponseRule, responds } from './rules.ts';
import { type Interval, meanInterval, type Point } from './stats/interval.ts';

const LEVELS = 10;
/** The interval allows for changes at least this far from the mean: see `changeEnds`. */
const REACH = 7.5;

/**
 * How often each pain before was followed by each pain after. A session says no more than this to any
 * figure of an exercise, so a million of them take the room of a hundred counts.
 */
export class PainTable {
  readonly #counts = new Float64Array(LEVELS * LEVELS);
  sessions = 0;
  effective = 0;

  /** Adds a session, or so many that are alike. */
  add(log: Pick<Log, 'painBefore' | 'painAfter' | 'effective'>, times = 1): void {
    const cell = (log.painBefore - 1) * LEVELS + log.painAfter - 1;
    this.#counts[cell] = (this.#counts[cell] ?? 0) + times;
    this.sessions += times;
    if (log.effective) this.effective += times;
  }

  /** The changes (after − before, points from −9 to 9) and their counts, ascending. */
  changes(): Point[] {
    return this.#points((before, after) => after - before);
  }

  /** The pains before (1 to 10) and their counts, ascending. */
  before(): Point[] {
    return this.#points((before) => before);
  }

  /** How many sessions respond by a rule. */
  responded(rule: ResponseRule): number {
    return this.#cells().reduce(
      (sum, [before, after, count]) => sum + (responds(before, after, rule) ? count : 0),
      0,
    );
  }

  #cells(): [before: number, after: number, count: number][] {
    return [...this.#counts.entries()]
      .filter(([, count]) => count > 0)
      .map(([cell, count]) => [Math.floor(cell / LEVELS) + 1, (cell % LEVELS) + 1, count]);
  }

  #points(value: (before: number, after: number) => number): Point[] {
    const counts = new Map<number, number>();
    for (const [before, after, count] of this.#cells()) {
      const key = value(before, after);
      counts.set(key, (counts.get(key) ?? 0) + count);
    }
    return [...counts].sort(([a], [b]) => a - b);
  }
}

/**
 * A 95 % interval for the true mean change. The ends that it allows for are the changes which the scale
 * permits from the pains before that were seen, and at least 7.5 points either side of the mean, since
 * sessions not seen may start from other pains; never beyond ±9.
 * @param points changes in ascending order (those of sessions, or means of patients)
 * @param before the pains before of the same sessions, in ascending order
 */
export function changeInterval(points: readonly Point[], before: readonly Point[], mean: number): Interval {
  return meanInterval(points, changeEnds(before, mean));
}

function changeEnds(before: readonly Point[], mean: number): Interval {
  const least = before[0]?.[0] ?? 1;
  const most = before.at(-1)?.[0] ?? LEVELS;
  return [
    Math.max(1 - LEVELS, Math.min(1 - most, mean - REACH)),
    Math.min(LEVELS - 1, Math.max(LEVELS - least, mean + REACH)),
  ];
}
