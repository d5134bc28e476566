import type { Log } from '../domain/log.ts';
import { responds } from './rules.ts';
import type { ResponseRule } from './shapes.ts';
import type { Point } from './stats/points.ts';

const LEVELS = 10;

/**
 * Contingency table of pain before and pain after. The mean, the median and the response of an exercise need no more, so a
 * million sessions take the memory of a hundred counts.
 */
export class PainTable {
  readonly #counts = new Float64Array(LEVELS * LEVELS);
  sessions = 0;
  effective = 0;

  add(log: Pick<Log, 'painBefore' | 'painAfter' | 'effective'>): void {
    const cell = (log.painBefore - 1) * LEVELS + log.painAfter - 1;
    this.#counts[cell] = (this.#counts[cell] ?? 0) + 1;
    this.sessions += 1;
    if (log.effective) this.effective += 1;
  }

  /** The changes (after − before, points from −9 to 9) and their counts, ascending. */
  changes(): Point[] {
    const counts = new Map<number, number>();
    for (const [before, after, count] of this.#cells())
      counts.set(after - before, (counts.get(after - before) ?? 0) + count);
    return [...counts].sort(([a], [b]) => a - b);
  }

  /** Number of sessions that respond by a rule. */
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
}
