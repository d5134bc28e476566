/** Whether a day is a Saturday or a Sunday; 0 is 1970-01-01, a Thursday. */
export const isWeekend = (number: number): boolean => (((number + 3) % 7) + 7) % 7 >= 5;

/** A span of days, both included. */
export interface Period {
  readonly since: string;
  readonly until: string;
}

/** Whether a day lies in a period; an end that is left out is open. */
export function isWithin(
  day: string,
  period: { since?: string | undefined; until?: string | undefined },
): boolean {
  return (
    (period.since === undefined || day >= period.since) && (period.until === undefined || day <= period.until)
  );
}
