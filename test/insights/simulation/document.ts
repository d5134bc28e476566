import { methodNotes } from '../../../src/insights/method.ts';
import { responseRules } from '../../../src/insights/rules.ts';
import { POWER_SIZES, type Row, SIZES } from './means.ts';

/** The tables of docs/method.md, as the simulations gave them. */
export interface Tables {
  readonly coverage: readonly Row[];
  readonly periods: readonly Row[];
  readonly power: readonly Row[];
  readonly falseClear: readonly Row[];
  readonly falseLikely: number;
  readonly marks: readonly Row[];
  readonly rest: readonly Row[];
  readonly hidden: readonly Row[];
  readonly trialPower: readonly Row[];
  readonly trials: readonly Row[];
  readonly trends: readonly Row[];
  readonly recordings: readonly Row[];
  readonly controls: readonly Row[];
  readonly fourWeeks: readonly Row[];
  readonly nextDays: readonly Row[];
  readonly noDifferences: readonly Row[];
  readonly latelys: readonly Row[];
  readonly order: readonly Row[];
  readonly planted: readonly Row[];
}

/** docs/method.md: the method notes of the report, and what simulation says of them. */
export function methodPage(tables: Tables): string {
  const notes = methodNotes(responseRules.default).map(({ title, text }) => `**${title}.** ${text}`);
  return `${[
    '# Method',
    '[Home](../README.md) · [For a physiotherapist](physiotherapist.md) · Method',
    'This page says how the figures of `sciatica summary`, `sciatica compare`, `sciatica report` and `GET /users/{id}/summary` are computed, from which sources, and how often they are wrong. The notes below explain each figure. The tables, which the tests in `test/insights/simulation` print, show [how often an interval holds the truth](#how-often-the-95--interval-holds-the-true-mean-change), [how often a true effect is found](#how-often-a-true-effect-is-found), [how often “clear” is false](#how-often-an-exercise-without-effect-is-ever-called-clear), [how ✔ and ✖ do in a real diary](#marks-in-a-real-diary), [what the method cannot know](#what-the-method-cannot-know), and what [a trial](#a-trial) can find.',
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
    'The promise, at most 5 % each way, is for changes with a standard deviation of 1 to 2. Rare flares and rare relief break it by a little: samples that have not shown the rare day yet look like others. Sessions that resemble the last one break it by more, where there are too few to show it: a good fortnight then counts as fourteen sessions.',
    '### Marks in a real diary',
    'Patients of whom something false is ever said when they look every day, and of whom the largest effect is marked rightly; a dash where there is none. Unless said otherwise, 0 is what an exercise does, pain before has a standard deviation of 1.5 and so has pain after, and pain falls back halfway to its base in a session whatever is done. Of an exercise that alone is done at weekends only, or with medication only, nothing is said.',
    table(['Diary', 'a false ✔ or ✖', 'a false “more” or “less relief”', 'the true mark'], tables.marks),
    'Eight sessions of −2, one of four exercises, one a day: the lines at the end. In one fixed order nothing is marked, and the screen says why. An exercise alone, and exercises that all do the same, are marked only against days without exercise. Exercise on good days only is followed by more pain whatever is done, and on bad days only by less: where the days are cut off at one pain, as in the table, others that go the other way are no control. Where they are not cut off but chosen mostly so, nothing shows it, and of two exercises the one that does nothing gets the mark that is the opposite of the other’s in some diaries. The evidence asked for counts the exercises seen so far, and a mark stays when more are tried. To ask for more from the start would be a proof for all exercises together, but cost marks that are true; so the error of what is done is counted here.',
    '### Days without exercise as a control',
    'Pain is recorded twice on days without exercise, and falls back there as it does in a session. Otherwise as above.',
    table(['Diary', 'a false ✔ or ✖', 'a false “more” or “less relief”', 'the true mark'], tables.rest),
    '### What the method cannot know',
    'Habits that go together with something no record shows. Unless it says so, no exercise does anything here.',
    table(['Diary', 'a false ✔ or ✖', 'a false “more” or “less relief”', 'the true mark'], tables.hidden),
    'What is done only where something else helps is marked for it; a habit of not recording what made things worse does the same. Who changes exercises on the very day on which all else changes, or in step with it, cannot be told from it. Where pain falls in any session and most exercises undo it, the one that does nothing gets ✔, and of the others “no noticeable difference” is said: only days without exercise show where 0 is. What an exercise still does in the next session is taken for the next one, and one that takes away the more, the more it hurts, makes others look different that are done on good days or on bad days only. An effect that takes weeks is in the trend, not in a session. An effect that comes and goes for weeks is one observation and not many: what is marked then was so for a while. Numbers that are entered again from the last time count once, where they come again more often than chance has it; who enters most of them again has recorded little, and in the first weeks nothing shows it. Where two people share a diary, what one of them does is marked for how they differ; give each a user. Weekends are told apart, because every diary has them, and medication where it is recorded; other habits have no name here. Only a trial that draws the days at random can tell (`sciatica trial`).',
    '### A trial',
    'The difference is that of least squares within blocks of four days, at the same first pain of the day; so it can differ from that of the means in the table of days. Its interval and its end come from a randomisation test (Fisher): the orders that could have been drawn are drawn again, and the statistic of the real one is ranked among theirs. Looks at the end of each block spend the error of 5 % together (Lan & DeMets 1983). Days count under what was drawn for them, whatever was done (intention to treat).',
    'How often a trial finds a difference of 1 and, after the slash, of 1.5 points, as `sciatica trial start` says it (noncentral t); columns are the standard deviation of the outcome within an arm, given the pain before. “Less pain only” is the one-sided question, to be chosen beforehand: more pain then counts as harm only.',
    table(['Trial', '1', '1.5', '2'], tables.trialPower.map(inPairs)),
    'Simulated, 28 days, standard deviation 1, looked at daily: a true 0 called either way, and a true −1 found. A day counts under the arm that was drawn (intention to treat), so that days on which another was done make the difference smaller and never invent one.',
    table(['Trial', '0 called', '−1 found'], tables.trials),
    'No trial on oneself is blind: an expectation that takes off 0.5 on days with the exercise is a difference, and is found as one. The last line has no other effect in its first column.',
    '### Trend',
    'Recorded every other day, standard deviation 1.5, autocorrelation by calendar days. Pain that wanders for months without a direction is called falling or rising in few diaries, also under what differs from day to day (0.3 of the variance). A random walk under that (steps of 0.25, days that vary by 0.8) is, in every second one (180 days): it did fall or rise, and that says nothing of the months to come.',
    table(['Truth', 'called falling', 'called rising', 'the interval holds the truth'], tables.trends),
    '### Habits of recording',
    'Who begins to record mornings, or days without exercise, changes which values there are and not the pain: how often a trend, and a difference between the two halves of 120 days, is called. Standard deviation 1.5, autocorrelation 0.3; where it says so, afternoons are 1.5 worse than mornings. Who records bad days only at first and every day later is told of a fall that is none, and who moves the exercise from mornings to evenings, which are worse, of a rise: a session has no hour. A flare at the beginning or at the end is a fall or a rise within that time, and says nothing of the time to come.',
    table(['What is recorded', 'a trend called', 'a difference called'], tables.recordings),
    'Days without exercise as a control of one exercise that does nothing, while pain falls by 1 in any session: how often it is marked. A second value hours later, or only where pain has changed, is no control.',
    table(['Days without exercise', 'a false ✔ or ✖'], tables.controls),
    '### Two periods of four weeks',
    'Recorded every other day, standard deviation 1.5, autocorrelation by calendar days: how often the pain of the last four weeks is called lower or higher than that of the four before. Of the changes of sessions there is one each day.',
    table(
      ['What is compared', 'a true 0 called', 'a true −2 called', 'the interval holds the true 0'],
      tables.fourWeeks,
    ),
    '### The next day',
    'The exercise adds 1.5 to the pain of the next day (standard deviation 1.5) and is done on half of 60 days. The first figure is how often it is named, the second how often another is, the third how often the interval of the first exercise holds the truth. With one exercise and no pain recorded on other days, nothing is ever said: whoever exercises on bad days only would be told of a harm that is none, in 32 % at an autocorrelation of 0.3 and in 74 % at 0.6. A rhythm that is not that of weekends (shifts, a market day), and an hour that goes along with one exercise (pain is first recorded in the morning before one, in the evening before another), are taken for what was done on the day before. An exercise that makes the next day better makes the others look worse beside it, and one that is done mostly in flares is blamed for them in some diaries, in more where it begins the day before a flare (more yet where flares are short): whoever feels a flare knows more of it than the record.',
    table(['Diary', 'named', 'falsely named', 'the interval holds the truth'], tables.nextDays),
    '### No noticeable difference',
    'How often it is ever said; standard deviation 1.5; columns are sessions of the exercise.',
    table(['Truth', '60', '120', '200'], tables.noDifferences),
    '### Lately',
    'After 30 sessions of −2 come sessions of +2, standard deviation 1.5: how often “lately” is said within 15; and how often ever in 300 sessions of −2.',
    table(['Sessions', 'reversal seen', 'falsely seen'], tables.latelys),
    '### Order',
    'How often the best exercise of four comes first.',
    table(['Diary', 'by the adjusted change', 'by the raw change'], tables.order),
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
