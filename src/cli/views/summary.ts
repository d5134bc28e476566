import { RED_FLAGS } from '../../domain/red-flags.ts';
import {
  describeRule,
  type ResponseRule,
  type Rhythm,
  SCALE_NOTE,
  type Summary,
  sparkline,
  type Trend,
  weeklyMedians,
  words,
} from '../../insights/index.ts';
import { counted } from '../output/io.ts';
import { changesTable, tooFew } from './changes.ts';
import { type Canvas, wrap } from './layout.ts';

/**
 * A summary as the lines of a screen: what helps first, then how the pain went, then what the figures mean.
 * @param who whose it is, to begin the first line
 */
export function summaryScreen(who: string, summary: Summary, canvas: Canvas): string[] {
  const { exercises, overall, pain, rhythm } = summary;
  if (overall === null || pain === null || rhythm === null) return [];
  const ranked = exercises.filter(({ verdict }) => verdict !== 'too-few');
  const few = tooFew(exercises, 'Too few to say, under 3 sessions: mean change (sessions)');
  const period = `${summary.since} to ${summary.until}`;
  const frequency = `${words.plain(rhythm.sessionsPerWeek)} a week`;
  return [
    ...wrap(`${who}: ${counted(summary.sessions, 'session')}, ${period}, ${frequency}.`, canvas),
    ...targetLines(rhythm.target, canvas),
    '',
    ...changesTable(
      ranked,
      [
        { title: canvas.width < 70 ? 'n' : 'Sessions', from: 0, cell: ({ sessions }) => String(sessions) },
        { title: 'Response', from: 70, cell: ({ responded }) => words.percent(responded) },
      ],
      canvas,
    ),
    ...(few ? wrap(few, canvas) : []),
    ...wrap(
      `All sessions: mean ${words.signed(overall.meanChange)}, response in ${words.percent(overall.responded)}, marked effective ${words.percent(overall.effective)}.`,
      canvas,
    ),
    '',
    ...painLines(pain, canvas),
    '',
    ...footer(summary.rule, canvas),
  ];
}

function targetLines(target: Rhythm['target'], canvas: Canvas): string[] {
  if (target === null) return [];
  const { perWeek, weeks, weeksReached } = target;
  return wrap(`Target of ${perWeek} a week: ${weeksReached} of ${counted(weeks, 'whole week')}.`, canvas);
}

/** Most cells that one week takes. */
const WIDEST_WEEK = 4;

function painLines(pain: Trend, canvas: Canvas): string[] {
  const weeks = weeklyMedians(pain.weeks);
  const cells = Math.min(WIDEST_WEEK, Math.max(1, Math.floor(canvas.width / weeks.length)));
  const stretched = weeks.flatMap((week) => Array<number | null>(cells).fill(week));
  const line = sparkline(stretched, canvas.width).trimEnd();
  const now = pain.last4Weeks.mean;
  const then = pain.previous4Weeks.mean;
  const four =
    now === null || then === null || pain.change === null || pain.changeInterval === null
      ? ''
      : ` Mean of the last 4 weeks ${now.toFixed(1)}, of the 4 before ${then.toFixed(1)}: ${words.signed(pain.change)} (${words.interval(pain.changeInterval)}).`;
  return [
    ...wrap(`Pain before exercise, by week from ${pain.weeks[0]?.week} (▁ 1, █ 10):`, canvas),
    line,
    ...wrap(`${words.trendSentence(pain)}${four}`, canvas),
  ];
}

/** What the figures mean and what they cannot say; the red flags last. */
export function footer(rule: ResponseRule, canvas: Canvas): string[] {
  return [
    ...wrap(
      `Change in points, after minus before; ├─●─┤ mean and 95 % interval. Response: a fall of ${describeRule(rule)} (rule ${rule.name}). ${SCALE_NOTE}`,
      canvas,
    ),
    ...wrap(RED_FLAGS, canvas),
  ];
}
