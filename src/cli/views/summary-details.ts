import {
  describeRule,
  type ExerciseSummary,
  type ResponseRule,
  responseRules,
  SCALE_NOTE,
  type Summary,
  sparkline,
  type Trend,
  weeklyMedians,
  words,
} from '../../insights/index.ts';
import { type Canvas, wrap } from '../terminal/layout.ts';
import { changesTable, tooFew } from './changes.ts';
import { nameIn } from './exercise-name.ts';

/** The figures behind a summary, as the lines of a screen. */
export function summaryDetails(summary: Summary, canvas: Canvas): string[] {
  const { exercises, overall, pain } = summary;
  if (overall === null || pain === null) return [];
  const ranked = exercises.filter(({ verdict }) => verdict !== 'too-few');
  const few = tooFew(exercises, 'Under 3 sessions: mean change (sessions)', canvas);
  return [
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
    ...comparisons(exercises, canvas),
    ...daysAfter(exercises, canvas),
    '',
    ...painLines(pain, canvas),
    '',
    ...footnote(summary.rule, canvas),
  ];
}

function comparisons(exercises: readonly ExerciseSummary[], canvas: Canvas): string[] {
  const told = exercises.flatMap(({ versusOthers: { difference, interval, verdict }, ...exercise }) =>
    difference === null || interval === null
      ? []
      : [
          `${nameIn(canvas, exercise)} ${words.signed(difference)} (${words.interval(interval)}${verdict === 'open' ? '' : `, ${verdict} relief`})`,
        ],
  );
  if (told.length === 0) return [];
  const label = 'Against your other exercises at the same pain before (90 % sequence)';
  return ['', ...wrap(`${label}: ${told.join(', ')}.`, canvas)];
}

function daysAfter(exercises: readonly ExerciseSummary[], canvas: Canvas): string[] {
  const told = exercises.flatMap(({ dayAfter, ...exercise }) =>
    dayAfter
      ? [
          `${nameIn(canvas, exercise)} ${words.signed(dayAfter.difference)} (${words.interval(dayAfter.interval)})`,
        ]
      : [],
  );
  if (told.length === 0) return [];
  const label = 'Pain on the day after, against the day after other exercises (95 % interval)';
  return ['', ...wrap(`${label}: ${told.join(', ')}.`, canvas)];
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

/** What the figures mean and what they cannot say. */
export function footnote(rule: ResponseRule, canvas: Canvas): string[] {
  const named = rule.name === responseRules.default.name ? '' : ` (rule ${rule.name})`;
  return wrap(
    `Change in points, after minus before; ├─●─┤ mean and 95 % interval. Clear: a 90 % confidence sequence, which holds for daily looks, excludes 0; likely: only the interval does. Response: a fall of ${describeRule(rule)}${named}. ${SCALE_NOTE}`,
    canvas,
  );
}
