/** What a day weighs in the averages: of the last days, and of the last weeks. */
export const WEIGHTS = [0.3, 0.1] as const;
/** How many averages there are. */
export const AVERAGES = WEIGHTS.length;

/**
 * Exponentially weighted averages (Roberts 1959, Technometrics 1:239–250) of the pain of the days up to one. The pain of one day
 * cannot tell a flare from a bad day: what is done in flares would be blamed or praised for them.
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
