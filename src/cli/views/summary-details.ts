import type { PlacesSummary } from '../../cases/summary.ts';
import { RED_FLAGS_POINTER } from '../../domain/red-flags.ts';
import { addDays } from '../../domain/words/day.ts';
import {
  type ExerciseSummary,
  FEWEST_TO_SAY,
  figuresNote,
  type PlaceSummary,
  type Summary,
  sparkline,
  type Trend,
  weeklyMedians,
  words,
} from '../../insights/index.ts';
import { counted } from '../terminal/io.ts';
import type { Canvas } from '../terminal/layout.ts';
import { wrap } from '../terminal/width.ts';
import { changesTable, tooFew } from './changes.ts';
import { nameIn } from './records.ts';

/** The figures behind a summary, as the lines of a screen. */
export function summaryDetails(summary: Summary, canvas: Canvas): string[] {
  const { exercises, overall, pain } = summary;
  if (overall === null || pain === null) return [];
  const ranked = exercises.filter(({ verdict }) => verdict !== 'too-few');
  const few = tooFew(exercises, `Under ${FEWEST_TO_SAY} sessions: mean change (sessions)`, canvas);
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
    ...wrap(words.overallSentence(overall, `mean ${words.signed(overall.meanChange)}`), canvas),
    ...comparisons(exercises, canvas),
    ...daysAfter(exercises, canvas),
    '',
    ...painLines(pain, canvas),
    '',
    ...wrap(figuresNote(summary.rule), canvas),
  ];
}

function comparisons(exercises: readonly ExerciseSummary[], canvas: Canvas): string[] {
  const told = exercises
    .filter(({ versusOthers }) => versusOthers.difference !== null)
    .map(({ versusOthers, ...exercise }) => {
      const { verdict } = versusOthers;
      const figures = words.withInterval(versusOthers);
      return `${nameIn(canvas, exercise)} ${verdict === 'open' ? figures : figures.replace(/\)$/, `, ${verdict} relief)`)}`;
    });
  const label = 'Against your other exercises at the same pain before and place in the day (90 % sequence)';
  return listed(label, told, canvas);
}

function daysAfter(exercises: readonly ExerciseSummary[], canvas: Canvas): string[] {
  const told = exercises.flatMap(({ dayAfter, ...exercise }) =>
    dayAfter ? [`${nameIn(canvas, exercise)} ${words.withInterval(dayAfter)}`] : [],
  );
  return listed('Pain on the day after, against other days (95 % interval)', told, canvas);
}

const listed = (label: string, told: readonly string[], canvas: Canvas): string[] =>
  told.length === 0 ? [] : ['', ...wrap(`${label}: ${told.join(', ')}.`, canvas)];

function painLines(pain: Trend, canvas: Canvas): string[] {
  const medians = weeklyMedians(pain.weeks).slice(-canvas.width);
  const from = addDays(pain.weeks.at(-1)?.week ?? '', -7 * (medians.length - 1));
  return [
    ...wrap(`${words.painLabel(pain)}, a bar a week from ${from} (▁ 1, █ 10):`, canvas),
    sparkline(medians).trimEnd(),
    ...wrap(`${words.trendSentence(pain)} ${words.fourWeeksInShort(pain)}`.trimEnd(), canvas),
  ];
}

/** Which exercises help whom, place by place, as the lines of a screen. */
export function placesScreen(
  { since, until, rule, places, leftOut }: PlacesSummary,
  canvas: Canvas,
): string[] {
  const period = `${since ? ` since ${since}` : ''}${until ? ` until ${until}` : ''}`;
  return [
    ...wrap(`Response by pain location${period}. Each patient counts once.`, canvas),
    ...wrap(words.leftOutSentence(leftOut) ?? '', canvas).filter(Boolean),
    '',
    ...places.flatMap((place) => [...placeLines(place, canvas), '']),
    ...wrap(figuresNote(rule), canvas),
    ...wrap(RED_FLAGS_POINTER, canvas),
  ];
}

function placeLines({ painLocation, patients, sessions, exercises }: PlaceSummary, canvas: Canvas): string[] {
  const few = tooFew(
    exercises,
    `Too few patients to say, under ${FEWEST_TO_SAY}: mean change (sessions)`,
    canvas,
  );
  return [
    ...wrap(`${painLocation}: ${counted(patients, 'patient')}, ${counted(sessions, 'session')}`, canvas),
    ...changesTable(
      exercises.filter(({ verdict }) => verdict !== 'too-few'),
      [
        { title: canvas.width < 70 ? 'n' : 'Patients', from: 0, cell: (each) => String(each.patients) },
        { title: 'Lower in', from: 70, cell: (each) => `${each.patientsLower} of ${each.patients}` },
      ],
      canvas,
    ),
    ...(few ? wrap(few, canvas) : []),
  ];
}
