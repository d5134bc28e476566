import type {
  Comparison,
  Difference,
  ExerciseComparison,
  Finding,
  PainLevel,
  Rhythm,
  Trend,
  VersusOthers,
} from '../shapes.ts';
import type { Interval } from '../stats/points.ts';
import { FEWEST_TO_SAY } from '../verdict.ts';

/** A figure with a true minus sign: `−1.3`. */
export function signed(value: number, decimals = 1): string {
  const text = Math.abs(value).toFixed(decimals);
  if (Number(text) === 0) return text;
  return `${value < 0 ? '−' : '+'}${text}`;
}

/** A level with a true minus sign, but no plus. */
const level = (value: number): string => signed(value).replace('+', '');
export const plain = (value: number): string => String(Number(value.toFixed(1)));
export const percent = (share: number): string => `${Math.round(share * 100)} %`;
export const interval = ([low, high]: Readonly<Interval>, decimals = 1): string =>
  `${end(low, decimals)} to ${end(high, decimals)}`;

/** Decimals of a published figure. */
const MOST_DECIMALS = 4;

/** An end of an interval. One that is not 0 never reads 0.0: on which side of it the end lies is what it says. */
function end(value: number, decimals: number): string {
  const text = signed(value, decimals);
  return value !== 0 && /^[0.]+$/.test(text) && decimals < MOST_DECIMALS ? end(value, decimals + 1) : text;
}

export const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;

const RIGHT_TO_LEFT =
  /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** What a person typed, kept from turning the text around it (Unicode isolates) when it could. */
export function quoted(text: string): string {
  return RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text;
}

const LONGEST_NAME = 44;

/** The name of an exercise where there is little room: cut, and kept from turning the text around it. */
export function shortName({ exerciseName }: { readonly exerciseName: string }): string {
  const characters = [...exerciseName];
  return quoted(
    characters.length <= LONGEST_NAME ? exerciseName : `${characters.slice(0, LONGEST_NAME - 1).join('')}…`,
  );
}

/** `A, B and C`; of more than `most` the first ones and how many others. */
export function listed(texts: readonly string[], most = texts.length): string {
  const rest = texts.length - most;
  const named = rest > 0 ? [...texts.slice(0, most), `${rest} more`] : texts;
  return named.length < 2 ? named.join('') : `${named.slice(0, -1).join(', ')} and ${named.at(-1)}`;
}

export function trendSentence({ direction, slopePerWeek, interval: range }: Trend): string {
  if (slopePerWeek === null || range === null)
    return 'Too few days with sessions to say whether it rises or falls.';
  const figures = `${signed(slopePerWeek, 2)} points a week, 95 % interval ${interval(range, 2)}`;
  if (direction === 'unclear') return `No clear direction (${figures}).`;
  return `${direction === 'falling' ? 'Falling' : 'Rising'}: ${figures}.`;
}

export function fourWeeksSentence({ last4Weeks, previous4Weeks, change, changeInterval }: Trend): string {
  const now = `Last 4 weeks (from ${last4Weeks.since}): ${levelInShort(last4Weeks)}.`;
  const then = `The 4 before: ${levelInShort(previous4Weeks)}.`;
  if (change === null || changeInterval === null) return `${now} ${then}`;
  return `${now} ${then} Difference of the means ${signed(change)} (95 % interval ${interval(changeInterval)}).`;
}

export function levelInShort({ sessions, median, mean }: PainLevel): string {
  if (median === null || mean === null) return 'no sessions';
  return `mean ${mean.toFixed(1)}, median ${plain(median)}, ${count(sessions, 'session')}`;
}

export function rhythmSentences(sessions: number, rhythm: Rhythm): string {
  const { days, sessionsPerWeek, longestGap, daysSinceLast, target } = rhythm;
  const parts = [`${count(sessions, 'session')} on ${count(days, 'day')}, ${plain(sessionsPerWeek)} a week.`];
  if (target)
    parts.push(
      `Target of ${plain(target.perWeek)} a week reached in ${target.weeksReached} of ${count(target.weeks, 'whole week')}.`,
    );
  if (longestGap)
    parts.push(
      `Longest time between two sessions: ${count(longestGap.days, 'day')} (${longestGap.from} to ${longestGap.to}).`,
    );
  if (daysSinceLast) parts.push(`Last session ${count(daysSinceLast, 'day')} before the end.`);
  return parts.join(' ');
}

/** What a difference says, in the words of what was measured (`pain before exercise`). */
export function differenceSentence(difference: Difference): string {
  const { first, second, difference: by, interval: range, shift } = difference;
  if (first === null || second === null || by === null || range === null) return 'Nothing to compare.';
  const figures = `${level(first)} then, ${level(second)} since: ${signed(by)}, 95 % interval ${interval(range)}`;
  return `${shiftWords[shift]} (${figures}).`;
}

export const shiftWords = {
  lower: 'Lower',
  higher: 'Higher',
  unclear: 'No clear difference',
  'too-few': 'Too few sessions to say',
  new: 'New',
  stopped: 'No longer done',
} as const;

/** `clear`, `likely less`, `open`, `too few` */
export function verdictWord({ verdict, direction }: Pick<Finding, 'verdict' | 'direction'>): string {
  if (verdict === 'too-few') return 'too few';
  return verdict === 'likely' ? `likely ${direction}` : verdict;
}

/** `clear: less`, `likely less`, `open`, `too few` */
export function verdictWords(finding: Pick<Finding, 'verdict' | 'direction'>): string {
  const word = verdictWord(finding);
  return finding.verdict === 'clear' ? `${word}: ${finding.direction}` : word;
}

/** How the relief compares with that after the person's other exercises, where it differs. */
export function versusWords({ verdict }: VersusOthers): string | null {
  return verdict === 'more' || verdict === 'less' ? `${verdict} relief than others` : null;
}

const MOST_SHIFTS = 6;

/**
 * Which exercises are new, no longer done, or respond differently; those with too few sessions in either period
 * are left out.
 */
export function exerciseShifts({ exercises }: Comparison): string {
  const enough = exercises.filter(
    ({ first, second }) => Math.max(first?.sessions ?? 0, second?.sessions ?? 0) >= FEWEST_TO_SAY,
  );
  const named = (shift: ExerciseComparison['meanChange']['shift'], words: string) => {
    const names = enough.filter(({ meanChange }) => meanChange.shift === shift).map(shortName);
    return names.length > 0 && `${words}: ${listed(names, MOST_SHIFTS)}.`;
  };
  return [
    named('new', 'New'),
    named('stopped', 'No longer done'),
    named('lower', 'Change after the session now lower'),
    named('higher', 'Change after the session now higher'),
  ]
    .filter(Boolean)
    .join(' ');
}
