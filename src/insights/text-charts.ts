/** Charts in plain text for a terminal, readable without colour. */

const LEVELS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/** A line of one cell per value, from `low` (▁) to `high` (█); a blank where there is none. */
export function sparkline(values: readonly (number | null)[], low = 1, high = 10): string {
  return values
    .map((value) => {
      if (value === null) return ' ';
      const level = Math.floor(((value - low) / (high - low)) * LEVELS.length);
      return LEVELS[Math.min(LEVELS.length - 1, Math.max(0, level))];
    })
    .join('');
}

/**
 * An interval on a line of `width` cells from `low` to `high`: `├──●─┼───┤` with ● the mean, ─ the
 * interval, and ┊ (or ┼ within the interval) at 0.
 */
export function intervalLine(
  { meanChange, interval }: { meanChange: number; interval: readonly [number, number] },
  width: number,
  low: number,
  high: number,
): string {
  const cell = (value: number) =>
    Math.round(((Math.min(high, Math.max(low, value)) - low) / (high - low)) * (width - 1));
  const [from, to, zero, mean] = [interval[0], interval[1], 0, meanChange].map(cell) as [
    number,
    number,
    number,
    number,
  ];
  return Array.from({ length: width }, (_, i) => {
    if (i === mean) return '●';
    if (i === zero) return i > from && i < to ? '┼' : '┊';
    if (i === from) return '├';
    if (i === to) return '┤';
    return i > from && i < to ? '─' : ' ';
  }).join('');
}

/** The weekly medians of a trend with null for the weeks without sessions, for `sparkline`. */
export function weeklyMedians(weeks: readonly { week: string; median: number }[]): (number | null)[] {
  const week = (day: string) => Date.parse(`${day}T00:00:00Z`) / (7 * 86_400_000);
  return weeks.flatMap(({ week: monday, median }, i) => {
    const before = weeks[i - 1];
    const gap = before ? Math.max(0, Math.round(week(monday) - week(before.week)) - 1) : 0;
    return [...Array<null>(gap).fill(null), median];
  });
}
