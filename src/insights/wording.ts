import { grouped } from '../domain/fields.ts';
import { dayNumber, MONTHS } from '../domain/words/day.ts';
import { interval, signed } from '../domain/words/points.ts';
import { FEWEST_OTHERS, NOTICEABLE } from './marks.ts';
import { namesakes, quoted, shortName, toldApart } from './names.ts';
import type {
  Difference,
  Direction,
  ExerciseSummary,
  Finding,
  MonthLevel,
  PainLevel,
  Response,
  Rhythm,
  Shift,
  Summary,
  SummaryInWords,
  Trend,
  VersusOthers,
} from './shapes.ts';
import { FEWEST_DAYS } from './trend.ts';
import { FEWEST_TO_SAY, sideOf } from './verdict.ts';

/** Figures in words, shared by screens and reports. */

export { interval, quoted, shortName, signed, toldApart };

/** A level with a true minus sign, but no plus. */
const level = (value: number): string => signed(value).replace('+', '');
export const plain = (value: number): string => String(Number(value.toFixed(1)));
export const percent = (share: number): string => `${Math.round(share * 100)} %`;

/** `−1.3 (−2.0 to −0.4)`; a dash if there is no difference. */
export function withInterval(value: Pick<VersusOthers, 'difference' | 'interval'>): string {
  const { difference, interval: range } = value;
  return difference === null || range === null ? '–' : `${signed(difference)} (${interval(range)})`;
}

export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

export const count = (n: number, noun: string): string => `${grouped(n)} ${noun}${n === 1 ? '' : 's'}`;

/** `A, B and C`; of more than `most` the first ones and how many others. */
export function listed(texts: readonly string[], most = texts.length): string {
  const rest = texts.length - most;
  const named = rest > 0 ? [...texts.slice(0, most), `${rest} more`] : texts;
  return named.length < 2 ? named.join('') : `${named.slice(0, -1).join(', ')} and ${named.at(-1)}`;
}

/** Days in a period from which only its months are named. */
const FEW_DAYS = 60;

/** `2026-03` → `March`; with the year `March 2026`. */
export function monthInWords(month: string, withYear: boolean): string {
  const name = MONTHS[Number(month.slice(5, 7)) - 1] ?? month;
  return withYear ? `${name} ${month.slice(0, 4)}` : name;
}

/** `January to October 2026`, `1 to 14 March 2026`, `2 March 2026`. Both days are included. */
export function periodInWords(since: string, until: string): string {
  const sameYear = since.slice(0, 4) === until.slice(0, 4);
  const sameMonth = since.slice(0, 7) === until.slice(0, 7);
  const [first, last] = [Number(since.slice(8)), Number(until.slice(8))];
  const end = monthInWords(until, true);
  if (since === until) return `${first} ${end}`;
  if (sameMonth) return `${first} to ${last} ${end}`;
  const start = monthInWords(since, !sameYear);
  const days = dayNumber(until) - dayNumber(since) < FEW_DAYS;
  return days ? `${first} ${start} to ${last} ${end}` : `${start} to ${end}`;
}

/** Whether all months are in one year, so that it need not be named with each. */
export const isOneYear = (months: readonly MonthLevel[]): boolean =>
  new Set(months.map(({ month }) => month.slice(0, 4))).size < 2;

/** The first and the last month with enough days, `FEWEST_TO_SAY`; null if there are no two, or if the trend goes another way. */
export function firstAndLastMonth({ months, direction }: Trend): [MonthLevel, MonthLevel] | null {
  const enough = months.filter(({ days }) => days >= FEWEST_TO_SAY);
  const [first, last] = [enough[0], enough.at(-1)];
  if (!first || !last || first === last) return null;
  const isOther = { falling: last.mean >= first.mean, rising: last.mean <= first.mean };
  return isOther[direction as keyof typeof isOther] ? null : [first, last];
}

export const PAIN_BEFORE = 'Pain before exercise';
/** The label of daily pain, by whether none, some or all of the days are without exercise. */
export function painLabel({
  days,
  daysWithoutExercise,
}: Pick<Trend, 'days' | 'daysWithoutExercise'>): string {
  if (daysWithoutExercise === 0) return PAIN_BEFORE;
  return daysWithoutExercise === days ? 'Pain' : 'Pain before or without exercise';
}
/** The sentence on records whose days cannot be right; null if there are none. */
export const leftOutSentence = (leftOut: number): string | null =>
  leftOut === 0
    ? null
    : `${count(leftOut, 'record')} ${leftOut === 1 ? 'is' : 'are'} left out: the day is after today, or before the birth that the age implies.`;

const directionWords: Readonly<Record<Trend['direction'], string>> = {
  falling: 'falling',
  rising: 'rising',
  unclear: 'no clear direction',
  'too-few': `direction from ${FEWEST_DAYS} days over six weeks on`,
};

/** The direction of pain in few words: overall, and in the last 4 weeks if they clearly go the other way. */
export function directionInWords({ direction, changeInterval }: Trend): string {
  const words = directionWords[direction];
  const lately = changeInterval && sideOf(changeInterval);
  if (direction === 'falling' && lately === 'more') return `${words}, but higher in the last 4 weeks`;
  return direction === 'rising' && lately === 'less' ? `${words}, but lower in the last 4 weeks` : words;
}

/** The level of pain: in the first and the last month with enough days, or on average. */
function painSentence(pain: Trend): string {
  const ends = firstAndLastMonth(pain);
  return `${painLabel(pain)}: ${ends ? monthsInShort(ends, isOneYear(pain.months)) : meanInShort(pain.months)}.`;
}

const NO_DIRECTION = `From ${FEWEST_DAYS} days of records over six weeks on, this says whether it falls or rises.`;

const directionSentence = (pain: Trend): string =>
  pain.direction === 'too-few' ? NO_DIRECTION : `${capital(directionInWords(pain))}.`;

const monthsInShort = (ends: readonly MonthLevel[], isShort: boolean): string =>
  ends.map(({ month, mean }) => `${mean.toFixed(1)} in ${monthInWords(month, !isShort)}`).join(', ');

function meanInShort(months: Trend['months']): string {
  const days = months.reduce((sum, month) => sum + month.days, 0);
  const mean = months.reduce((sum, month) => sum + month.days * month.mean, 0) / days;
  return days === 1 ? mean.toFixed(0) : `${mean.toFixed(1)} on average`;
}

export function trendSentence(pain: Trend): string {
  const { direction, slopePerWeek, interval: range } = pain;
  if (slopePerWeek === null || range === null) return NO_DIRECTION;
  const [low, high] = range;
  // Per week, both ends of the interval of many years would read alike.
  const [unit, weeks] = signed(low, 2) === signed(high, 2) ? ['year', 52] : ['week', 1];
  const figures = `${signed(weeks * slopePerWeek, 2)} points a ${unit}, 95 % interval ${interval([weeks * low, weeks * high], 2)}`;
  const way = capital(directionInWords(pain));
  return direction === 'unclear' ? `${way} (${figures}).` : `${way}: ${figures}.`;
}

/** @param since the first day of the period: weeks before it are not mentioned */
export function fourWeeksSentence(
  { last4Weeks, previous4Weeks, change, changeInterval }: Trend,
  since: string,
): string {
  const from = since > last4Weeks.since ? `From ${since}` : `Last 4 weeks (from ${last4Weeks.since})`;
  const now = `${from}: ${levelInShort(last4Weeks)}.`;
  if (previous4Weeks.days === 0 && since > previous4Weeks.since) return now;
  const then = `The 4 before: ${levelInShort(previous4Weeks)}.`;
  if (change === null || changeInterval === null) return `${now} ${then}`;
  return `${now} ${then} Difference of the means ${signed(change)} (95 % interval ${interval(changeInterval)}).`;
}

function levelInShort({ days, median, mean }: PainLevel): string {
  if (median === null || mean === null) return 'nothing recorded';
  return `mean ${mean.toFixed(1)}, median ${plain(median)}, ${count(days, 'day')}`;
}

/** @param told words for the weeks that reached the target */
export function targetWords(
  { perWeek, counts, weeks, weeksReached, until }: NonNullable<Rhythm['target']>,
  told = (reached: number, of: string) => ` reached in ${reached} of ${of}`,
): string {
  const days = counts === 'days' ? ` day${perWeek === 1 ? '' : 's'}` : '';
  const reached =
    weeks === 0 ? ': no whole week yet' : told(weeksReached, `${count(weeks, 'whole week')} up to ${until}`);
  return `target of ${plain(perWeek)}${days} a week${reached}`;
}

export function rhythmSentences(sessions: number, rhythm: Rhythm): string {
  const { days, sessionsPerWeek, longestGap, daysSinceLast, target } = rhythm;
  const parts = [`${count(sessions, 'session')} on ${count(days, 'day')}, ${plain(sessionsPerWeek)} a week.`];
  if (target) parts.push(`${capital(targetWords(target))}.`);
  if (longestGap)
    parts.push(
      `Longest time between two sessions: ${count(longestGap.days, 'day')} (${longestGap.from} to ${longestGap.to}).`,
    );
  if (daysSinceLast) parts.push(`Last session ${count(daysSinceLast, 'day')} before the end.`);
  return parts.join(' ');
}

function nextDaySentence(exercise: ExerciseSummary, name: string): string | null {
  const { dayAfter, direction } = exercise;
  if (!dayAfter?.worse) return null;
  const atOnce = direction === 'less' ? 'better at once, worse the next day' : 'worse the next day';
  return `${name}: ${atOnce} (${signed(dayAfter.difference)}).`;
}

/** A difference in words, without what was measured. */
export function differenceSentence(difference: Difference): string {
  const { first, second, difference: by, interval: range, shift } = difference;
  if (first === null || second === null || by === null || range === null) return 'Nothing to compare.';
  const figures = `${level(first)} then, ${level(second)} since: ${signed(by)}, 95 % interval ${interval(range)}`;
  return `${shiftWords[shift].sentence} (${figures}).`;
}

/** Words for a shift, in the column of a table and at the start of a sentence. */
export const shiftWords: Readonly<Record<Shift, { readonly short: string; readonly sentence: string }>> = {
  lower: { short: 'lower', sentence: 'Lower' },
  higher: { short: 'higher', sentence: 'Higher' },
  unclear: { short: 'not clear', sentence: 'No clear difference' },
  'too-few': { short: 'too few', sentence: 'Too few sessions to say' },
  new: { short: 'new', sentence: 'New' },
  stopped: { short: 'stopped', sentence: 'No longer done' },
};

/** `clear`, `likely less`, `open`, `too few` */
export function verdictWord({ verdict, direction }: Pick<Finding, 'verdict' | 'direction'>): string {
  if (verdict === 'too-few') return 'too few';
  return verdict === 'likely' ? `likely ${direction}` : verdict;
}

/** `clear: less`, `likely less`, `open`, `too few` */
export function verdictWords(finding: Pick<Finding, 'verdict' | 'direction'>, joint = ': '): string {
  const word = verdictWord(finding);
  return finding.verdict === 'clear' ? `${word}${joint}${finding.direction}` : word;
}

/** Number of sessions below which a likely verdict is shown with a warning. */
const FEW = 6;

/** How relief compares with that after the person's other exercises; null without a difference, or where what is said besides is the opposite. */
export function versusWords(
  { versusOthers: { verdict }, claim, direction }: ExerciseSummary,
  others = 'others',
): string | null {
  if (verdict === 'more' ? claim === 'harms' || direction === 'more' : claim === 'helps') return null;
  return verdict === 'more' || verdict === 'less' ? `${verdict} relief than ${others}` : null;
}

/** Headings of the exercises with a clear verdict. */
export const clearTitles: Readonly<Record<Direction, string>> = {
  less: 'Less pain after',
  more: 'More pain after',
};

/** Change, in points, from which it is called strong. */
const STRONG = 2;

/** The size of a change in words: of the adjusted change, if it is known; none where that goes another way than the raw one. */
function sizeWord({ adjusted, meanChange }: Pick<ExerciseSummary, 'adjusted' | 'meanChange'>): string {
  if (meanChange * (adjusted?.change ?? meanChange) < 0) return '';
  const size = Math.round(10 * Math.abs(adjusted?.change ?? meanChange)) / 10;
  if (size >= STRONG) return 'strong';
  return size >= NOTICEABLE ? 'noticeable' : 'slight';
}

/** `lately +1.8`, where the last sessions differ from those before. */
const latelyWords = ({ lately }: Pick<ExerciseSummary, 'lately'>): string | null =>
  lately && `lately ${signed(lately.meanChange)}`;

/** Signs of the claims about what an exercise does. */
const claimSigns = { helps: '✔', harms: '✖' } as const;

/** The figures by which exercises are grouped: what an exercise does, if the others show it; otherwise which pain followed. */
type Said = Pick<ExerciseSummary, 'verdict' | 'direction' | 'claim' | 'noDifference'>;

/** Exercises in groups by claim and verdict, each in ranked order, but more pain with the strongest first. */
export function byVerdict<T extends Said>(exercises: readonly T[]) {
  const those = (wanted: ReturnType<typeof groupOf>) => exercises.filter((each) => groupOf(each) === wanted);
  const likely = (way: Direction) => those('likely').filter(({ direction }) => direction === way);
  return {
    less: those('less'),
    more: those('more').toReversed(),
    likely: [...likely('less'), ...likely('more').toReversed()],
    none: those('none'),
    open: those('open'),
    few: those('too-few'),
  };
}

function groupOf({ verdict, direction, claim, noDifference }: Said) {
  if (claim) return claim === 'helps' ? 'less' : 'more';
  if (verdict === 'clear' && direction) return direction;
  if (noDifference) return 'none';
  return verdict === 'clear' ? 'open' : verdict;
}

/** The verdict on an exercise in a column, with its sign; `no difference` where there is no noticeable one. */
export function verdictOn(exercise: Said, word: typeof verdictWord): string {
  if (groupOf(exercise) === 'none') return 'no difference';
  return exercise.claim ? `${claimSigns[exercise.claim]} ${word(exercise)}` : word(exercise);
}

/** `with ibuprofen −2.4, without −0.9`, or that it was always taken; nothing where it never was. */
export function medicationWords({ medication }: Pick<ExerciseSummary, 'medication'>): string | null {
  if (medication === null) return null;
  const taken = `with ${quoted(medication.name ?? 'medication')}`;
  if (medication.without === null) return `always ${taken}`;
  return `${taken} ${signed(medication.meanChange)}, without ${signed(medication.without)}`;
}

/** Words beside an exercise: its size, or of a merely likely change how sure the direction is. */
export const ownWords = (exercise: ExerciseSummary): string =>
  exercise.verdict === 'likely' && exercise.claim === null
    ? `${verdictWord(exercise)}${exercise.sessions < FEW ? ', few sessions' : ''}`
    : sizeWord(exercise);

/** Recent change, comparison with others, medication. Less relief than others is left out: beside less pain it would confuse. */
export function furtherWords(exercise: ExerciseSummary): string {
  const versus = exercise.versusOthers.verdict === 'more' && versusWords(exercise, 'your others');
  return [latelyWords(exercise), versus, medicationWords(exercise)].filter(Boolean).join(', ');
}

/** The sign of an exercise: that of its claim, `·` for a clear change, otherwise `~`. */
export const signOf = ({ claim, verdict }: Pick<ExerciseSummary, 'claim' | 'verdict'>): string =>
  claim ? claimSigns[claim] : verdict === 'clear' ? '·' : '~';

/** Advice on more pain. */
export const moreRemark = (more: readonly Pick<ExerciseSummary, 'claim'>[]): string =>
  more.some(({ claim }) => claim === 'harms')
    ? 'Mention ✖ to your physiotherapist.'
    : 'Ask your physiotherapist whether it can be the exercise.';

/** How many sessions the figures of an exercise need. */
export const SESSIONS_NEEDED = `From ${FEWEST_TO_SAY} sessions of one exercise on, this says which way pain went after it; about 8 are often enough to be clear.`;

/** The sentences below the exercises: pain, why marks are missing, and the next day. */
export function closingSentences(
  { exercises, pain, controlDays }: Pick<Summary, 'exercises' | 'controlDays'> & { readonly pain: Trend },
  nameOf: (exercise: { exerciseName: string }) => string,
): string[] {
  const level = painSentence(pain);
  const both = `${level} ${directionSentence(pain)}`;
  if (exercises.every(({ verdict }) => verdict === 'too-few')) {
    const isOfPain = exercises.length === 0 || pain.direction !== 'too-few';
    return [isOfPain ? both : level, SESSIONS_NEEDED];
  }
  return [
    both,
    ...controlSentences(exercises, nameOf, controlDays),
    exercises.flatMap((each) => nextDaySentence(each, nameOf(each)) ?? []).join(' '),
  ].filter(Boolean);
}

/** A summary in the words of the terminal, for clients that draw it themselves. */
export function inWords({ exercises, pain, leftOut, controlDays }: Summary): SummaryInWords {
  const { less, more, likely, none, open, few } = byVerdict(exercises);
  const isNamesake = namesakes(exercises);
  const group = (title: string, those: readonly ExerciseSummary[], isSaid = true) => ({
    title,
    exercises: those.map((each) => ({
      exerciseName: each.exerciseName,
      exerciseType: each.exerciseType,
      sign: isSaid ? signOf(each) : '',
      words: [isNamesake(each) && each.exerciseType, isSaid && ownWords(each), furtherWords(each)]
        .filter(Boolean)
        .join(', '),
    })),
    remark: those === more ? moreRemark(more) : null,
  });
  const groups = [
    group(clearTitles.less, less),
    group(clearTitles.more, more),
    group('So far', likely),
    group('No noticeable difference', none, false),
    group('Still open', open, false),
    group('Too few', few, false),
  ];
  return {
    groups: groups.filter((each) => each.exercises.length > 0),
    sentences: [
      ...[leftOutSentence(leftOut)].filter((text) => text !== null),
      ...(pain ? closingSentences({ exercises: toldApart(exercises), pain, controlDays }, shortName) : []),
    ],
  };
}

/** Why exercises with a clear verdict have no claim, and what would allow one; a sentence each. */
export function controlSentences(
  exercises: readonly ExerciseSummary[],
  nameOf: (exercise: { exerciseName: string }) => string,
  controlDays = 0,
): string[] {
  const { less, more, few } = byVerdict(exercises);
  const clear = [...less, ...more];
  const open = clear.filter(({ claim }) => claim === null);
  const unclaimed = exercises.filter(({ claim }) => claim === null);
  const alike = unclaimed.filter(({ sharesNumbers }) => sharesNumbers);
  const tied = unclaimed.filter((one) => one.alwaysAfter !== null && !one.sharesNumbers);
  const reasons = [...new Set(tied.map(({ alwaysAfter }) => alwaysAfter as string))].map((exerciseName) => {
    const names = tied.filter(({ alwaysAfter }) => alwaysAfter === exerciseName).map(nameOf);
    return `${listed(names)}: always after ${nameOf({ exerciseName })}, cannot be told apart. Do ${names.length > 1 ? 'each' : 'it'} first on some days.`;
  });
  if (alike.length > 1)
    reasons.push(
      `${listed(alike.map(nameOf))}: recorded with the same two numbers, cannot be told apart. Give each its own.`,
    );
  if (open.length === 0) return reasons;
  if (controlDays > 0 && controlDays < FEWEST_OTHERS)
    reasons.push(
      `Pain recorded twice in the same part of the day, on ${FEWEST_OTHERS} days without exercise, can help to tell: ${controlDays} so far.`,
    );
  const isAllLess =
    open.length > 1 &&
    open.length === less.length &&
    less.length + few.filter(({ meanChange }) => meanChange < 0).length === exercises.length;
  if (isAllLess)
    return [`All are followed by less pain; whether that is the exercises or ${CANNOT_SHOW}`, ...reasons];
  const which = open.length < clear.length ? 'Where there is no ✔ or ✖, whether' : 'Whether';
  return [`${which} that is the exercise or ${CANNOT_SHOW}`, ...reasons];
}

const CANNOT_SHOW = "bad days passing, these figures can't show.";

/** @param mean the mean change in words, with its interval if that is shown */
export function overallSentence({ responded, effective }: Response, mean: string): string {
  return `All sessions: ${mean}, response in ${percent(responded)}, marked effective ${percent(effective)}.`;
}
