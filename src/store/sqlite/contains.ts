import { folded } from '../../domain/lists/filter.ts';

/**
 * The SQL function `contains(text, needles)`: whether a text contains one of the needles, a JSON array of texts that are
 * folded already. SQLite's LIKE and lower() fold ASCII only (https://sqlite.org/lang_expr.html#like).
 */
export function contains(): (text: unknown, needles: unknown) => number {
  let last: unknown;
  let wanted: string[] = [];
  return (text, needles) => {
    if (typeof text !== 'string') return 0;
    // One query asks for the same needles row after row.
    if (needles !== last) {
      last = needles;
      wanted = JSON.parse(String(needles)) as string[];
    }
    const whole = folded(text);
    return wanted.some((needle) => whole.includes(needle)) ? 1 : 0;
  };
}
