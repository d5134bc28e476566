/** Weights of a new day in the averages (smoothing factors): one follows the last days, the other the last weeks. */
export const WEIGHTS = [0.3, 0.1] as const;
/** How many averages there are. */
export const AVERAGES = WEIGHTS.length;

/**
 * Exponentially weighted moving averages (Roberts 1959, Technometrics 1:239–250) of the pain of the days up to one. The pain of
 * one day does not distinguish a flare from a single bad day; without them, an exercise done in flares would be blamed or
 * praised for the flares.
 */
export class RecentPain {
  #days = 0;
  #averages: readonly number[] = WEIGHTS.map(() => 0);

  /** @param pain of the next day with a recorded pain; days come in order @returns the averages up to it, itself included */
  add(pain: number): readonly number[] {
    this.#days += 1;
    this.#averages = WEIGHTS.map((weight, i) => {
      const before = this.#averages[i] ?? 0;
      return before + Math.max(weight, 1 / this.#days) * (pain - before);
    });
    return this.#averages;
  }
}
