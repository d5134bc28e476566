import { methodNotes, responseRules } from '../../../src/insights/index.ts';
import { POWER_SIZES, type Row, SIZES } from './means.ts';
import { CHECKED } from './others.ts';

/** The tables of docs/method.md, as the simulations gave them. */
export interface Tables {
  readonly coverage: readonly Row[];
  readonly periods: readonly Row[];
  readonly power: readonly Row[];
  readonly falseClear: readonly Row[];
  readonly falseLikely: number;
  readonly versus: readonly Row[];
  readonly dayAfter: readonly Row[];
  readonly planted: readonly Row[];
}

/** docs/method.md: the method notes of the report, and what simulation says of them. */
export function methodPage(tables: Tables): string {
  const notes = methodNotes(responseRules.default).map(({ title, text }) => `**${title}.** ${text}`);
  return `${[
    '# Method',
    '[Home](../README.md) · [For a physiotherapist](physiotherapist.md) · Method',
    'How the figures of `sciatica summary`, `sciatica compare`, `sciatica report` and `GET /users/{id}/summary` are made. This page is written by `test/insights/simulation`: its tables are what the tests print.',
    ...notes,
    '## Proved by simulation',
    'Sessions are drawn from known laws, as whole numbers from 1 to 10 like records: a pain before of about N(5.5, 1.2), a pain after around it. All figures are percent. `npm run simulate` draws 10 times as much, to the same bounds.',
    '### How often the 95 % interval holds the true mean change',
    'True mean change about −1; columns are numbers of sessions.',
    table(['Changes', ...SIZES.map(String)], tables.coverage),
    '### How often the interval of Welch holds the true difference of two periods',
    'True difference about 1; columns are numbers of sessions in each period.',
    table(['Changes', ...SIZES.map(String)], tables.periods),
    '### How often a true effect is found',
    'Clear, and after the slash clear or likely, in the true direction; columns are numbers of sessions.',
    table(['Effect', ...POWER_SIZES.map(String)], tables.power.map(inPairs)),
    '### How often an exercise without effect is ever called clear',
    `Looked at after every session, up to 200 of them. Likely is no such promise: with a standard deviation of 1.5, ${Math.round(tables.falseLikely)} % of exercises without effect are called likely at least once.`,
    table(['Changes', 'clear, less pain', 'clear, more pain'], tables.falseClear),
    'The promise, at most 5 % each way, is for changes with a standard deviation of 1 to 2. Rare flares and rare relief break it by a little: samples that have not shown the rare day yet look like others. Sessions that resemble the last one break it by much: a good fortnight then counts as fourteen sessions.',
    '### Compared with the other exercises',
    'How often more relief / less relief is ever claimed, when the comparison is made after every session. Pain falls back halfway to its mean whatever is done. “Adjusted” is what is used; “pooled” has one deviation for both sides; “unadjusted” compares the means as they are. Columns are sessions of the exercise.',
    table(['Truth: comparison', ...CHECKED.map(String)], tables.versus.map(inPairs)),
    '### The day after',
    'An exercise that changes nothing on the next day and is done on bad days; pain resembles that of the day before.',
    table(['Diary', 'something is said', 'the interval holds 0'], tables.dayAfter),
    '### What was planted in made-up records',
    'Persons of `test/fixtures/make-data.mjs`, with eight exercises whose mean effects are known. Right: clear or likely in the planted direction, of exercises with an effect of at least 0.5 and 3 sessions. Exercises with fewer stand last, which is why 24 logs order little.',
    table(
      [
        'Logs a person',
        'best two among the first three',
        'both aggravating last',
        'right',
        'right and clear',
        'wrong direction',
      ],
      tables.planted,
    ),
  ].join('\n\n')}\n`;
}

function table(head: readonly string[], rows: readonly Row[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(head),
    line(head.map((_, i) => (i === 0 ? '---' : '---:'))),
    ...rows.map(([name, ...figures]) => line([signs(name), ...figures.map(shown)])),
  ].join('\n');
}

/** Figures two by two: `clear / likely`. */
function inPairs([name, ...figures]: Row): Row {
  return [
    name,
    ...figures.flatMap((figure, i) =>
      i % 2 === 0 ? [`${shown(figure)} / ${shown(figures[i + 1] ?? '')}`] : [],
    ),
  ];
}

const shown = (figure: number | string): string => (typeof figure === 'number' ? figure.toFixed(1) : figure);
const signs = (text: string): string => text.replace(/^-/, '−');
