import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Log } from '../../../src/domain/log.ts';
import { redFlags } from '../../../src/domain/red-flags.ts';
import { trialFields } from '../../../src/domain/trial.ts';
import type { Block } from '../../../src/insights/report/document.ts';
import { reportMarkdown } from '../../../src/insights/report/markdown.ts';
import { reportHtml } from '../../../src/insights/report/page.ts';
import { buildReport, type ReportOptions } from '../../../src/insights/report/report.ts';
import { documentOf } from '../../../src/insights/report/sections.ts';
import { responseRules } from '../../../src/insights/rules.ts';
import { summarize } from '../../../src/insights/summary.ts';
import type { TrialResult } from '../../../src/insights/trial.ts';
import { inWords } from '../../../src/insights/wording.ts';
import { exampleOf } from '../../samples.ts';
import { log, logsOf } from '../helpers.ts';
import { expectWellFormed, textOf } from './markup.ts';
import { nora, type Sample, samples, sessions } from './samples.ts';

const page = (logs: readonly Log[], options?: ReportOptions, user = nora) =>
  reportHtml(buildReport(user, logs, options));
const markdown = (logs: readonly Log[], options?: ReportOptions, user = nora) =>
  reportMarkdown(buildReport(user, logs, options));
const some = logsOf([-2, -1, 0, -3, 1, -2, -2, -1, -2, -1], { notes: 'Held 30 s' });

/** The text of a section, without its title. */
const sectionOf = (html: string, title: string) => textOf(markupOf(html, title)).replace(/\s+/g, ' ');

const markupOf = (html: string, title: string) => {
  const [, rest = ''] = html.split(new RegExp(`<h2[^>]*>${title}</h2>`));
  return rest.split('</section>')[0] ?? '';
};

/** Exercises of each kind: the change of every session, from a pain before of 5. */
const kinds = Object.entries({
  Better: Array.from({ length: 12 }, (_, i) => -2 - (i % 2)),
  Worse: Array.from({ length: 12 }, (_, i) => 2 + (i % 2)),
  Perhaps: [-3, -2, -1],
  Neither: [1, -1, 0, 1, -1, 0, 0, 0],
  Twice: [-4, -4],
}).flatMap(([exerciseName, changes]) => logsOf(changes, { exerciseName, notes: `After ${exerciseName}` }));

test('an exercise without a noticeable difference is not called open', () => {
  const none = logsOf(
    Array.from({ length: 60 }, (_, i) => (i % 3) - 1),
    { exerciseName: 'None' },
  );
  const html = page([...none, ...logsOf([1, -1, 0, 1, -1, 0, 0, 0], { exerciseName: 'Neither' })]);
  const text = sectionOf(html, 'In short');
  expect(text).toContain('No noticeable difference None no difference 0.0 (');
  expect(text).toContain('Not settled yet Neither open 0.0 (');
  expect(sectionOf(html, 'Each exercise')).toContain('None, stretch no difference 60');
});

test('the first section says what the last trial has shown, as a sentence and a picture', () => {
  const trial = { ...exampleOf(trialFields), exerciseName: 'Bridge <b>', against: 'rest' as const };
  const result: TrialResult = {
    verdict: 'less',
    difference: -1.6,
    interval: [-2.5, -0.7],
    withIt: 3,
    without: 2,
    afterDays: 28,
  };
  const ended = { trial: { trial, result, outcomes: { a: [3, 3, 4], b: [5, 6] } } };
  const text = sectionOf(reportHtml(buildReport(nora, some, {}, ended)), 'In short');
  expect(text).toContain('Bridge <b> against rest');
  expect(text).toContain(
    'On 3 days with it pain an hour later was 1.6 lower (0.7 to 2.5) than on 2 days without, at the same pain before.',
  );
  expect(text).toContain('you knew which day it was');
  // On a phone a row is a list, in which the number of days stands beside the pain.
  expect(reportHtml(buildReport(nora, some, {}, ended))).toContain('data-label="pain 3">2<');
  expect(reportMarkdown(buildReport(nora, some, {}, ended))).toMatch(/with it \| · \| · \| 2 \| 1 \| ·/);
  expect(sectionOf(page(some), 'In short')).not.toContain('Trial');
});

test('the first section lists severe pain entries with their notes, with and without sessions', () => {
  const entries = [10, 8].map((pain, i) => ({
    id: i + 1,
    userId: 1,
    date: '2026-01-20',
    pain,
    notes: `Numb ${pain}`,
  }));
  for (const logs of [some, []]) {
    const text = sectionOf(reportHtml(buildReport(nora, logs, {}, { entries })), 'In short');
    expect(text).toContain('2026-01-20 · pain 10/10 Numb 10');
    expect(text).not.toContain('Numb 8');
  }
});

test('the severe pains of the first section are said to be those outside sessions, which it does not count', () => {
  const felt = [{ id: 1, date: '2026-01-20', pain: 9 }];
  const logs = some.map((log) => ({ ...log, painBefore: 10, painAfter: 10 }));
  const text = sectionOf(reportHtml(buildReport(nora, logs, {}, { felt })), 'In short');
  expect(text).toContain('Pain of 9 or 10 outside sessions 2026-01-20 · pain 9/10');
});

test('the first section lists severe pain of trials with what was noted that day', () => {
  const felt = [9, 8].map((pain, i) => ({ id: i + 1, date: '2026-01-20', pain, notes: `Numb ${pain}` }));
  const text = sectionOf(reportHtml(buildReport(nora, some, {}, { felt })), 'In short');
  expect(text).toContain('Pain of 9 or 10');
  expect(text).toContain('2026-01-20 · pain 9/10 Numb 9');
  expect(text).not.toContain('Numb 8');
});

test.each([
  ['with', some],
  ['without', []],
])(
  'the first section lists rises on days of trials by day, %s sessions, and each severe pain once',
  (_, logs) => {
    const day = { userId: 1, done: true };
    const trialDays = [
      { ...day, id: 1, date: '2026-01-02', first: 3, second: 5, notes: 'Hours in the car' },
      { ...day, id: 2, date: '2026-01-20', first: 4, second: 7, done: false },
      { ...day, id: 3, date: '2026-01-21', first: 4, second: 9 },
      { ...day, id: 4, date: '2026-01-22', first: 4, second: 5 },
    ];
    const felt = [{ id: 3, date: '2026-01-21', pain: 9 }];
    const text = sectionOf(reportHtml(buildReport(nora, logs, {}, { felt, trialDays })), 'In short');
    expect(text).toMatch(
      /2026-01-21 · pain 9\/10 2026-01-20 · trial, not as drawn · 4 → 7 .*2026-01-02 · trial · 3 → 5 Hours in the car/,
    );
    expect(text).not.toMatch(/4 → [59]/);
  },
);

test('of so few sessions that no exercise has an interval, the mean has none either', () => {
  const said = /All sessions: mean change −2\.0(.*?), response/;
  expect(said.exec(textOf(page(logsOf([-2, -2]))))?.[1]).toBe('');
  expect(said.exec(textOf(page(logsOf([-2, -2, -2]))))?.[1]).toMatch(/^ \(95 % interval /);
});

test('numbers of sessions have their thousands apart, above the tables and below them', () => {
  const html = page(sessions(1200), { previous: '2015-01-01' });
  expect(sectionOf(html, 'In short')).toMatch(/Sessions 1,200 .*of 1,200 sessions/);
  expect(sectionOf(html, 'Pain over time')).toContain('1,200 sessions on ');
  expect(sectionOf(html, 'What changed since 2015-01-01')).toContain('1,200 since');
});

describe('the first section', () => {
  const html = page(kinds, { target: { perWeek: 2, counts: 'sessions' }, previous: '2026-01-05' });
  const text = sectionOf(html, 'In short');

  test.each([
    ['the answer in words', 'Clearly less pain after Better (−2.5). Clearly more pain after Worse (+2.5).'],
    ['how often, against the target', 'target of 2 a week reached in 1 of 1 whole week'],
    ['the last session', 'the last on 2026-01-12'],
    ['response, and what the rule is for', 'That threshold is for weeks of treatment.'],
    ['how many rises', 'Rises of 2 or more 12 of 37 sessions Worse (12)'],
    ['what is less', 'Less pain after Better clear −2.5 ('],
    ['what is more', 'More pain after Worse clear +2.5 ('],
    ['what is not settled', 'Not settled yet Perhaps likely less −2.0 ('],
    ['what is open', 'Neither open 0.0 ('],
    ['what has too few', 'Too few sessions to say: Twice (2).'],
    ['the latest rises with their notes', '2026-01-12 · Worse · 5 → 8 After Worse'],
    ['since the last report', 'Since the report of 2026-01-05'],
    ['an emergency', redFlags.now],
    ['a matter of today', redFlags.today],
  ])('says %s', (_, said) => {
    expect(text).toContain(said);
  });

  test('says in words where it hurts', () => {
    expect(markdown(some, {}, { ...nora, painLocation: 'lower-back-left' })).toContain(
      'pain: lower back left, ',
    );
  });

  test('says the day once where all sessions are of one', () => {
    expect(markdown([log({ date: '2026-01-05' }), log({ date: '2026-01-05' })])).toMatch(
      /^# Exercise and pain: Nora Lind\n\n2026-01-05\n/,
    );
  });

  test('says who it is and when above it', () => {
    expect(textOf(html.slice(0, html.indexOf('<main>')))).toMatch(
      /Exercise and pain: Nora Lind.*2026-01-01 to 2026-01-12.*44 years · pain: glute left, 6 of 10 in the profile/,
    );
  });

  test('has a bar and a line for each exercise that has enough sessions', () => {
    expect(html.match(/<rect class="(less|more|open)"/g)).toHaveLength(4);
    expect(html.match(/<rect class="less"/g)).toHaveLength(1);
    expect(html.match(/<rect class="more"/g)).toHaveLength(1);
    expect(html.match(/<g class="range">/g)).toHaveLength(4);
  });

  test.each([
    ['2026-01', 3, '2026-01', 3, '8.0 mean of 3 days'],
    ['2026-01', 3, '2026-10', 3, '8.0 → 5.0 January to October 2026 means of 3 and 3 days'],
    ['2025-12', 4, '2026-01', 3, '8.0 → 5.0 December 2025 to January 2026 means of 4 and 3 days'],
    ['2025-12', 3, '2026-01', 2, '6.8 mean of 5 days'],
  ])('sets the pain of %s, %i sessions, against that of %s, %i sessions', (first, n, last, m, said) => {
    const of = (month: string, painBefore: number, times: number) =>
      Array.from({ length: times }, (_, i) => log({ id: i + 1, date: `${month}-0${i + 1}`, painBefore }));
    const text = sectionOf(page([...of(first, 8, n), ...of(last, 5, m)]), 'In short');
    expect(text).toContain(`Pain before exercise ${said}`);
  });

  test('says once that nothing is clear, and makes no room for it', () => {
    const text = sectionOf(page(logsOf([1, -1, 0])), 'In short');
    expect(text).toContain('No exercise is clearly followed by less or by more pain yet.');
    expect(text.match(/clear/g)).toHaveLength(1);
    expect(text).not.toMatch(/Less pain after|More pain after|none/i);
  });

  test('cuts a long note, and names no more exercises than it has room for', () => {
    const text = sectionOf(page(samples['40 exercises']?.logs ?? []), 'In short');
    expect(text).toMatch(/\d+ more in the table\./);
    const [row] = logsOf([3], { notes: `${'word '.repeat(100)}end` });
    expect(sectionOf(page([row as Log]), 'In short')).not.toContain('end');
    for (const [length, said] of [
      [120, 'x'.repeat(120)],
      [121, `${'x'.repeat(119)}…`],
    ] as const)
      expect(sectionOf(page(logsOf([3], { notes: 'x'.repeat(length) })), 'In short')).toContain(` ${said} `);
  });

  test('names first what pain rose after most often, and shows the rises that there is room for', () => {
    const rises = [
      ...logsOf([2], { exerciseName: 'Once' }),
      ...logsOf([2, 2], { exerciseName: 'Twice', notes: 'word '.repeat(24) }),
    ];
    const text = sectionOf(page(rises), 'In short');
    expect(text).toContain('of 3 sessions Twice (2) and Once (1)');
    const three = [...rises, ...logsOf([2], { exerciseName: 'Also' })];
    expect(sectionOf(page(three), 'In short')).toContain('of 4 sessions Twice (2), Once (1) and 1 more');
    expect(page(logsOf([3]))).not.toContain('dir="auto"></span>');
    expect(text).toContain('The latest 1 rise of 2 points or more');
    expect(text.match(/word…? /g)).toHaveLength(24);
  });

  test('draws within its axis, however wide an interval is', () => {
    const wide = [1, 10, 1, 10].map((painAfter, i) =>
      log({ id: i + 1, date: `2026-01-0${i + 1}`, painBefore: 11 - painAfter, painAfter }),
    );
    const places = [...markupOf(page(wide), 'In short').matchAll(/ x[12]?="(-?[\d.]+)%"/g)];
    expect(places.map(([, share]) => Number(share)).filter((share) => share < 0 || share > 100)).toEqual([]);
  });

  test('lays what was up to the day of the last report, that day included, beside what came after', () => {
    const { sincePrevious } = buildReport(nora, some, { previous: '2026-01-05' });
    const of = (isBefore: boolean) => some.filter(({ date }) => date <= '2026-01-05' === isBefore).length;
    expect([sincePrevious?.first.sessions, sincePrevious?.second.sessions]).toEqual([of(true), of(false)]);
  });
});

test('counts weeks without a session since the last report, and before it', () => {
  const logs = ['01-01', '01-04', '01-20', '02-03'].map((day, i) => log({ id: i + 1, date: `2026-${day}` }));
  const text = (options: ReportOptions) =>
    sectionOf(page(logs, { previous: '2026-01-14', ...options }), 'What changed since 2026-01-14');
  expect(text({ today: '2026-02-25' })).toContain('2 up to 2026-01-14 (1 a week), 2 since (0.3 a week).');
  expect(text({ since: '2025-12-18', until: '2026-02-11' })).toContain('(0.5 a week), 2 since (0.5 a week).');
});

describe('the report', () => {
  test('holds every part the physiotherapist looks for, in order', () => {
    const headings = [...page(some, { previous: '2026-01-05' }).matchAll(/<h2[^>]*>(.*?)<\/h2>/g)].map(
      ([, text]) => text,
    );
    expect(headings).toEqual([
      'In short',
      'Pain over time',
      'Each exercise',
      'What changed since 2026-01-05',
      'Method',
      'Notes',
      'Appendix: the records',
    ]);
  });

  test('of too few sessions to say anything holds little method', () => {
    const titles = (n: number) =>
      [...markupOf(page(sessions(n)), 'Method').matchAll(/<dt>(.*?)<\/dt>/g)].map(([, title]) => title);
    expect(titles(3)).toEqual(['Change', 'Scale', 'Response']);
    expect(titles(60).length).toBeGreaterThan(10);
  });

  test.each([1, 3, 60, 299, 300, 2000])('shows every one of %i sessions, in well-formed markup', (n) => {
    const html = page(sessions(n), { target: { perWeek: 3, counts: 'sessions' } });
    expectWellFormed(html);
    const dots = html.match(/<circle cx="[^"]*" cy="[^"]*" r="[^"]*"\/>/g) ?? [];
    expect(dots).toHaveLength(n < 300 ? n : 0);
    expect(html.match(/<g class="box">/g) ?? []).toHaveLength(n < 300 ? 0 : 1);
    const records = sectionOf(html, 'Appendix: the records');
    expect(records.match(/\d\d: \d+ → \d+/g)).toHaveLength(n);
    expect(records.match(/✓/g)).toHaveLength(n + 1);
    for (const svg of html.match(/<svg xmlns[\s\S]*?<\/svg>/g) ?? [])
      expect(svg).toMatch(
        /^<svg [^>]*role="img" aria-labelledby="(\w+)-title \1-desc"><title id="\1-title">.+?<\/title><desc id="\1-desc">.+?<\/desc>/,
      );
    expect(html).not.toContain('NaN');
  });

  test.each([
    [40, 1],
    [410, 1],
    [440, 2],
    [800, 2],
    [3000, 13],
    [9000, 26],
  ])('draws 300 sessions over %i days in at most 61 boxes, of %i weeks each', (days, weeks) => {
    const logs = sessions(300).map((each, i) => ({
      ...each,
      date: new Date(Date.UTC(2000, 0, 1 + Math.floor((days * i) / 300))).toISOString().slice(0, 10),
    }));
    const html = page(logs);
    expect(html.match(/<line class="middle"/g)?.length).toBeLessThanOrEqual(61);
    expect(html).toContain(
      weeks === 1 ? 'Pain before exercise of each week.' : `exercise of each ${weeks} weeks.`,
    );
  });

  test('has the verdict beside the name, and a median outside its interval with a word', () => {
    const html = page([
      ...kinds,
      ...logsOf([...Array(30).fill(0), ...Array(9).fill(-4)], { exerciseName: 'Odd' }),
    ]);
    expect(html).toMatch(
      /<tr><th scope="row">Better, stretch<\/th><td class="text" data-label="Verdict">clear: less</,
    );
    expect(html).toMatch(/<th scope="row">Odd, stretch<\/th>.*data-label="Median">0 †</);
    expect(textOf(html)).toContain('† Outside the interval, which is that of the mean');
    expect(textOf(page(kinds))).not.toContain('†');
  });

  test('speaks of the day after only where days follow each other often enough', () => {
    expect(textOf(page(some))).not.toContain('The day after: ');
    const text = textOf(page(samples['300 sessions']?.logs ?? []));
    expect(text).toMatch(/The day after\s+Days\s+Difference \(95 % interval\)/);
  });

  test('of what changed shows only exercises with 3 sessions or more on both sides', () => {
    const after = { date: '2026-02-01' };
    const logs = [
      ...logsOf([-2, -2, -2], { exerciseName: 'Enough', date: '2026-01-01' }),
      ...logsOf([-1, -1, -1], { exerciseName: 'Enough', ...after }),
      ...logsOf([-2, -2, -2], { exerciseName: 'Fewer', date: '2026-01-01' }),
      ...logsOf([-1, -1], { exerciseName: 'Fewer', ...after }),
      ...logsOf([-1, -1, -1], { exerciseName: 'Begun', ...after }),
      ...logsOf([-1], { exerciseName: 'Tried', ...after }),
    ].map((each, i) => ({ ...each, id: i + 1 }));
    const text = sectionOf(page(logs, { previous: '2026-01-15' }), 'What changed since 2026-01-15');
    expect(text).toContain('Enough, stretch');
    expect(text).toContain('New: Begun.');
    expect(text).not.toMatch(/Fewer|Tried/);
  });

  test('of more sessions than anybody reads is refused', () => {
    const many = Array.from({ length: 20_001 }, (_, i) =>
      log({ id: i + 1, date: i < 1 ? '2025-01-01' : '2026-01-01' }),
    );
    expect(() => buildReport(nora, many)).toThrow(
      'since must be a later day: a report holds 20,000 sessions at most',
    );
    expect(buildReport(nora, many, { since: '2026-01-01' }).logs).toHaveLength(20_000);
  });

  test('without sessions is still a report', () => {
    expectWellFormed(page([]));
    for (const text of [textOf(page([], { since: '2026-01-01', previous: '2026-01-02' })), markdown([])]) {
      expect(text).toContain('No sessions in this period.');
      expect(text).toContain(redFlags.now);
    }
    const entries = [{ id: 1, userId: 1, date: '2026-01-20', pain: 9 }];
    expect(reportMarkdown(buildReport(nora, [], {}, { entries }))).toContain('No sessions in this period.');
  });

  test('is the same, byte for byte, in whatever order the logs come', () => {
    const options = { previous: '2026-01-04', target: { perWeek: 4, counts: 'sessions' } as const };
    expect(page(some.toReversed(), options)).toBe(page(some, options));
    expect(markdown(some.toReversed(), options)).toBe(markdown(some, options));
  });

  test('loads nothing and runs nothing: the policy allows its own style sheet only', () => {
    const html = page(some);
    const style = /<style>([\s\S]*?)<\/style>/.exec(html)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    expect(html).toContain(
      `<meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; style-src &#39;sha256-${hash}&#39;; base-uri &#39;none&#39;; form-action &#39;none&#39;">`,
    );
    expect(html).not.toMatch(
      /<(script|link|img|iframe|object|embed|form|a)\b|\sstyle=|\son\w+=|url\(|@import|(?<!xmlns=")https?:/i,
    );
  });

  test('anonymous leaves out name and e-mail, everywhere', () => {
    for (const text of [page(some, { anonymous: true }), markdown(some, { anonymous: true })]) {
      expect(text).not.toMatch(/Nora|Lind|nora|example\.org/);
      expect(text).toContain('Patient 7');
    }
  });

  test('speaks of response, never of recovery, and names what the figures cannot say', () => {
    for (const text of [textOf(page(some)), markdown(some)]) {
      expect(text).toMatch(/no value for “no pain”/);
      expect(text).toMatch(/Regression to the mean/);
      expect(text).toMatch(/at least 2 points or 30 %/);
      expect(text).toMatch(/moderated standard deviation/);
      expect(text.replace('never “recovery”', '')).not.toMatch(/recover/i);
    }
  });
});

describe('in Markdown', () => {
  const logs = [
    ...logsOf([-2, -3, -2, -3, -2, -3, -2, -3, -1, -2], { exerciseName: 'Better' }).map((each, i) => ({
      ...each,
      effective: i < 3,
    })),
    ...logsOf([2, 3, 2, 3, 2, 3], { exerciseName: 'Worse', notes: 'a  b\nc' }),
    ...logsOf([0, 1], { exerciseName: 'Few' }),
    ...logsOf([0, 0, 0, -4, -4], { exerciseName: 'Tie' }),
  ].map((each, i) => ({ ...each, id: i + 1 }));
  const target = { perWeek: 3, counts: 'sessions' } as const;
  const lines = markdown(logs, { previous: '2026-01-04', target, leftOut: 2 }).split('\n');

  test.each([
    '44 years · pain: glute left, 6 of 10 in the profile · diagnosed 2026-01-15 · patient 7 · nora\\@example.org · 2 records are left out: the day is after today, or before the birth that the age implies.',
    '- **Sessions:** 23 (16.1 a week, on 10 days; target of 3 a week: no whole week yet; the last on 2026-01-10)',
    '- **Response:** 48 % (of sessions: pain fell by at least 2 points or 30\u00a0%. That threshold is for weeks of treatment.)',
    '- **Rises of 2 or more:** 6 (of 23 sessions; Worse (6))',
    '| Exercise | Verdict | Mean (95 % interval) | Sessions |',
    '| Worse | clear | \\+2.5 (+1.5 to +3.5) | 6 |',
    'Too few sessions to say: Few (2).',
    '### The latest 3 rises of 2 points or more',
    '- **2026-01-06 · Worse · 5 → 8:** a b c',
    '| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
    '| Better, stretch | clear: less | 10 | −2.3 | −3.0 to −1.6 | −2 | – | 90 % | 30 % |',
    '| Worse, stretch | clear: more | 6 | \\+2.5 | \\+1.5 to +3.5 | \\+2.5 | – | 0 % | 100 % |',
    '| Few, stretch | too few | 2 | \\+0.5 | – | \\+0.5 | – | 0 % | 100 % |',
    'All sessions: mean change −0.7 (95 % interval −1.6 to +0.3), response in 48 %, marked effective 70 %.',
    '- **Sessions:** 14 up to 2026-01-04 (14 a week), 9 since (9 a week).',
    '| Exercise | Says | Sessions then | Mean then | Sessions since | Mean since | Difference | 95 % interval |',
    '| Better, stretch | No clear difference | 4 | −2.5 | 6 | −2.2 | \\+0.3 | −1.9 to +2.6 |',
    '> a  b\\',
    '- **2026-01:** 01: 5 → 5 ✓, 02: 5 → 5 ✓, 03: 5 → 5 ✓, 04: 5 → 1 ✓, 05: 5 → 1 ✓',
  ])('there is the line %s', (line) => {
    expect(lines).toContain(line);
  });

  test('a name in the title, a sentence, a list or a heading is never markup', () => {
    const user = { ...nora, firstName: '*x*', lastName: '<b>', email: 'a_*x*@example.org' };
    const named = (changes: number[], exerciseName: string) =>
      logsOf(changes, { exerciseName, notes: '*x*' });
    const all = [
      ...named([-2, -3, -2, -3, -2, -3, -2, -3, -2, -3], 'A *x* <b>'),
      ...named([2, 3, 2, 3, 2, 3, 2, 3, 2, 3], 'B *x* <b>'),
      ...named([0, 1], 'C *x* <b>'),
    ];
    const trial = { ...exampleOf(trialFields), exerciseName: '*x* <b>' };
    const shown = { withIt: 1, without: 0, afterDays: 28 };
    const result: TrialResult = { verdict: 'open', difference: null, interval: null, ...shown };
    const ended = { trial: { trial, result, outcomes: { a: [3], b: [] } } };
    const text = reportMarkdown(buildReport(user, all, { previous: '2026-01-05' }, ended));
    expect(text.match(/\\\*x\\\*/g)?.length).toBeGreaterThan(20);
    expect(text).not.toMatch(/(?<!\\)\*x|x(?<!\\)\*(?!\*)|(?<!\\)<b/);
  });

  test('a bar has its remark, and where there is none the caption is left out', () => {
    const medicated = logs.map((each) =>
      each.exerciseName === 'Tie' ? { ...each, medication: 'para' } : each,
    );
    expect(markdown(medicated)).toContain('| Tie (always with para) | open |');
    expect(markdown(logsOf([0, 1]))).not.toContain('Change in points, pain after minus pain before.');
  });
});

test('a table of few sessions makes no mark of a median outside an interval that is not shown', () => {
  const [row] = markdown([log({ painBefore: 10, painAfter: 1 })]).match(/^\| Piri.*$/m) ?? [];
  expect(row).toBe('| Piriformis Stretch, stretch | too few | 1 | −9.0 | – | −9 | – | 100 % | 100 % |');
});

test('pain without exercise is in the figures, what was felt in a trial only in the chart', () => {
  const entry = { id: 1, userId: 1, date: '2026-01-20', pain: 9 };
  const felt = { id: 2, date: '2026-01-21', pain: 8 };
  const report = buildReport(nora, some, {}, { entries: [entry], felt: [felt] });
  expect(report.days.slice(-2).map(({ date, pain }) => [date, pain])).toEqual([
    ['2026-01-20', 9],
    ['2026-01-21', 8],
  ]);
  expect(report.summary.pain?.daysWithoutExercise).toBe(1);
});

test('the sessions of a day stay in the order in which they were recorded, and what changed goes by the same rule and target', () => {
  const target = { perWeek: 3, counts: 'sessions' } as const;
  const options = { previous: '2026-01-05', rule: responseRules.radicular, target };
  const same = [3, 1, 2].map((id) => log({ id, date: '2026-01-06' }));
  const { logs, sincePrevious } = buildReport(nora, same, options);
  expect(logs.map(({ id }) => id)).toEqual([3, 1, 2]);
  expect(sincePrevious?.second).toMatchObject({ rule: { name: 'radicular' }, rhythm: { target } });
});

test('the first title is for who hears the page, and small print is what is not read first', () => {
  const html = page(some);
  expect(html.match(/<h2[^>]*>[^<]*/g)?.filter((tag) => tag.includes('hidden'))).toEqual([
    '<h2 class="hidden">In short',
  ]);
  const small = [...html.matchAll(/<section class="small">\s*<h2>([^<]*)/g)].map(([, title]) => title);
  expect(small).toEqual(['Method', 'Appendix: the records']);
});

test('the first sentence names what was clearly followed by less pain, not all that helps', () => {
  const report = buildReport(nora, logsOf([-2, -3, -2, -3, -2, -3, -2, -3]));
  const leadOf = (verdict: 'clear' | 'open') => {
    const exercises = report.summary.exercises.map((each) => ({ ...each, claim: 'helps' as const, verdict }));
    return documentOf({ ...report, summary: { ...report.summary, exercises } }).sections[0]?.blocks[0];
  };
  expect(leadOf('clear')).toMatchObject({ text: 'Clearly less pain after Piriformis Stretch (−2.5).' });
  expect(leadOf('open')).toMatchObject({
    text: 'No exercise is clearly followed by less or by more pain yet.',
  });
});

describe('the first page holds no more than fits', () => {
  const full = samples['a full first page'];
  const withChart = samples['a full first page with the chart'];
  const firstOf = ({ user, logs, options }: Sample, more = {}) =>
    documentOf(buildReport(user, logs, options, more)).sections[0]?.blocks ?? [];
  const barsOf = (blocks: readonly Block[]) =>
    blocks.flatMap((block) => (block.kind === 'bars' ? block.groups : []));

  test('of bars', () => {
    if (!full || !withChart) throw new Error('no samples');
    const few = Array.from({ length: 4 }, (_, i) => `Supine Piriformis Stretch, variation ${16 + i} (2)`);
    const [groups, besideChart] = [full, withChart].map((sample) =>
      barsOf(firstOf(sample)).map(({ title, rows, rest }) => [title, rows.length, rest]),
    );
    expect(groups).toEqual([
      ['Less pain after', 3, '1 more in the table.'],
      ['More pain after', 3, '1 more in the table.'],
      ['Not settled yet', 1, `7 more in the table. Too few sessions to say: ${few.join(', ')} and 4 more.`],
    ]);
    expect(besideChart).toEqual([
      ['Less pain after', 3, null],
      ['More pain after', 3, null],
      ['Not settled yet', 2, 'Too few sessions to say: Exercise 8 (2) and Exercise 9 (2).'],
    ]);
  });

  test('of bars with short names, those with a remark in two lines, and of names in a sentence', () => {
    const names = ['A', 'B', 'C', 'D', 'E', 'F', 'G'];
    const logs = names.flatMap((exerciseName) => logsOf([-2, -3, -2, -3, -2, -3, -2, -3], { exerciseName }));
    const none = logsOf(
      Array.from({ length: 60 }, (_, i) => (i % 3) - 1),
      { exerciseName: 'None' },
    );
    const rowsOf = (logs: readonly Log[]) =>
      barsOf(firstOf({ user: nora, logs, options: {} })).map(({ title, rows, rest }) => [
        title,
        rows.length,
        rest,
      ]);
    expect(rowsOf([...logs, ...none])).toEqual([
      ['Less pain after', 6, '1 more in the table.'],
      ['No noticeable difference', 1, null],
    ]);
    expect(rowsOf(logs.map((each) => ({ ...each, medication: 'para' })))).toEqual([
      ['Less pain after', 3, '4 more in the table.'],
    ]);
    expect(page(logsOf([-2, -3, -2, -3, -2, -3, -2, -3]))).not.toContain('class="rest"');
    expect(sectionOf(page(logs), 'In short')).toMatch(
      /Clearly less pain after . \(−2\.5\), . \(−2\.5\), . \(−2\.5\) and 4 more\./,
    );
  });

  test.each([
    [22, 'A, B, C and 1 more', 4],
    [23, 'A and 3 more', 3],
  ])('of names with %i letters: %s, and %i bars', (letters, named, bars) => {
    const names = ['A', 'B', 'C', 'D'];
    const logs = names.flatMap((name) =>
      logsOf([-2, -3, -2, -3, -2, -3, -2, -3], { exerciseName: name.padEnd(letters, name.toLowerCase()) }),
    );
    const blocks = firstOf({ user: nora, logs, options: {} });
    const lead = blocks.flatMap((block) => (block.kind === 'lead' ? block.text : [])).join();
    expect(lead.replace(/[a-d]{9,} \(−2\.5\)/g, '')).toBe(`Clearly less pain after ${named}.`);
    expect(barsOf(blocks).map(({ rows }) => rows.length)).toEqual([bars]);
  });

  test('of rises and names, and a chart only where it fits and no trial is told', () => {
    if (!full || !withChart) throw new Error('no samples');
    const toldOf = (sample: Sample, more = {}) => {
      const blocks = firstOf(sample, more);
      return {
        rises: blocks.flatMap((block) =>
          block.kind === 'notes' ? `${block.title}: ${block.notes.length}` : [],
        ),
        lead: blocks.flatMap((block) => (block.kind === 'lead' ? block.text : [])),
        chart: blocks.some(({ kind }) => kind === 'chart'),
      };
    };
    const long = 'Supine Piriformis Stretch, variation';
    expect(toldOf(full)).toEqual({
      rises: ['The latest 3 rises of 2 points or more: 3'],
      lead: [
        `Clearly less pain after ${long} 8 (−3.0) and 3 more. Clearly more pain after ${long} 13 (+3.0) and 3 more.`,
      ],
      chart: false,
    });
    expect(toldOf(withChart)).toEqual({
      rises: ['The latest 1 rise of 2 points or more: 1'],
      lead: [
        'Clearly less pain after Exercise 3 (−2.5) and 2 more. Clearly more pain after Exercise 7 (+2.5), Exercise 4 (+2.5) and Exercise 1 (+2.5).',
      ],
      chart: true,
    });
    const trial = { ...exampleOf(trialFields), against: 'rest' as const };
    const shown = { withIt: 1, without: 0, afterDays: 28 };
    const result: TrialResult = { verdict: 'open', difference: null, interval: null, ...shown };
    expect(toldOf(withChart, { trial: { trial, result, outcomes: { a: [3], b: [] } } }).chart).toBe(false);
    const brief = { ...full, logs: full.logs.map((each) => ({ ...each, notes: '' })) };
    expect(toldOf(brief).rises).toEqual(['The latest 5 rises of 2 points or more: 5']);
    const rises = { user: nora, logs: logsOf(Array(7).fill(2)), options: {} };
    expect(toldOf(rises).rises).toEqual(['The latest 3 rises of 2 points or more: 3']);
    expect(toldOf({ ...rises, logs: logsOf([2, 2]) }).rises).toEqual(['Rises of 2 points or more: 2']);
  });
});

describe('the notes', () => {
  const noted = (n: number) =>
    Array.from({ length: n }, (_, i) =>
      log({
        id: i + 1,
        date: new Date(Date.UTC(2025, 0, 1 + i)).toISOString().slice(0, 10),
        painBefore: 5,
        painAfter: i % 10 === 0 ? 7 : 6,
        notes: `note ${i + 1}.`,
      }),
    );
  const shown = (logs: readonly Log[], options?: ReportOptions) =>
    (sectionOf(page(logs, options), 'Notes').match(/note \d+\./g) ?? []).map((text) =>
      Number(text.slice(5, -1)),
    );

  test('are the latest 20', () => {
    expect(shown(noted(60))).toEqual(Array.from({ length: 20 }, (_, i) => 60 - i));
    expect(sectionOf(page(noted(60)), 'Notes')).toContain('The latest 20 of 60 notes.');
    expect(shown(noted(7))).toEqual([7, 6, 5, 4, 3, 2, 1]);
    expect(sectionOf(page(noted(7)), 'Notes')).not.toContain('--full');
  });

  test('from 300 sessions on are those of rises', () => {
    expect(shown(noted(299))).toEqual(Array.from({ length: 20 }, (_, i) => 299 - i));
    expect(shown(noted(300))).toEqual(Array.from({ length: 20 }, (_, i) => 291 - 10 * i));
  });

  test('of white space only are none', () => {
    expect(sectionOf(page([...noted(1), log({ id: 2, notes: ' \n' })]), 'Notes')).toContain('1 note.');
    expect(sectionOf(page([log({ id: 2, notes: '' })]), 'Notes')).toContain('No notes.');
  });

  test('are all there when they are asked for', () => {
    expect(shown(noted(301), { full: true })).toEqual(Array.from({ length: 301 }, (_, i) => 301 - i));
  });
});

describe('of pain entries', () => {
  const entry = { userId: 1, date: '2026-01-03', pain: 7 };
  const entries = [
    { ...entry, id: 1, timeOfDay: 'night' as const, notes: 'Could <b>not</b> sleep' },
    { ...entry, id: 2, timeOfDay: 'morning' as const, pain: 4, notes: 'Stiff' },
    { ...entry, id: 3, notes: 'Sat all day' },
    { ...entry, id: 4, date: '2025-12-30' },
  ];
  const logs = [log({ date: '2026-01-03', notes: 'Held 30 s' }), log({ date: '2026-01-05', notes: '' })];
  const given = (options: ReportOptions = {}) => buildReport(nora, logs, options, { entries });

  test('the notes stand among those of sessions, in the order of the day, with time and pain', () => {
    const text = sectionOf(reportHtml(given()), 'Notes');
    expect(text).toContain('4 notes, the latest first.');
    expect(text).toMatch(
      /2026-01-03, night · pain 7\/10 Could <b>not<\/b> sleep 2026-01-03 · Piriformis Stretch · 6 → 4 Held 30 s 2026-01-03 · pain 7\/10 Sat all day 2026-01-03, morning · pain 4\/10 Stiff/,
    );
  });

  test('the notes are told beside those of rises, and are all there where they are asked for', () => {
    const many = [...logs, ...sessions(300)];
    const notes = (options: ReportOptions) =>
      sectionOf(reportHtml(buildReport(nora, many, options, { entries })), 'Notes');
    expect(notes({})).toMatch(/ notes of sessions with a rise and pain entries\./);
    expect(notes({ full: true })).toContain('Could <b>not</b> sleep');
  });

  test('the notes of trial days stand among them, with both pains, and alone too', () => {
    const day = { userId: 1, date: '2026-01-03', first: 6, done: true };
    const trialDays = [
      { ...day, id: 1, second: 3, done: false, notes: 'Was away' },
      { ...day, id: 2, date: '2026-01-04', notes: 'Rested' },
      { ...day, id: 3, date: '2026-01-05' },
    ];
    const notes = (those: readonly Log[]) =>
      sectionOf(reportHtml(buildReport(nora, those, {}, { entries, trialDays })), 'Notes');
    expect(notes(logs)).toMatch(
      /6 notes.*2026-01-04 · trial · pain 6\/10 Rested .* 2026-01-03 · trial, not as drawn · 6 → 3 Was away 2026-01-03 /,
    );
    expect(notes(sessions(300))).toContain('of sessions with a rise, pain entries and trial days.');
    const alone = reportHtml(buildReport(nora, [], {}, { trialDays }));
    expect(sectionOf(alone, 'Notes')).toContain('2 notes,');
    expect(sectionOf(alone, 'In short')).toContain('No sessions in this period, but 3 days of a trial.');
  });

  test('the period above the report covers the days, unless another was asked for', () => {
    expect(documentOf(given()).subtitle).toBe('2025-12-30 to 2026-01-05');
    expect(documentOf(given({ since: '2026-01-01', until: '2026-01-31' })).subtitle).toBe(
      '2026-01-01 to 2026-01-31',
    );
    expect(documentOf(buildReport(nora, [], {}, { entries })).subtitle).toBe('2025-12-30 to 2026-01-03');
  });

  test('those of other days are in no part of it', () => {
    const { severe, days } = buildReport(
      nora,
      logs,
      { since: '2026-01-01' },
      { entries: [{ ...entry, id: 1, date: '2025-12-30', pain: 9 }] },
    );
    expect([severe.length, days[0]?.date]).toEqual([0, '2026-01-03']);
  });
});

describe('of pain entries alone', () => {
  const entries = [6, 6, 9, 7].map((pain, i) => ({ id: i + 1, userId: 1, date: `2026-01-2${i}`, pain }));
  const report = buildReport(nora, [], {}, { entries });

  test('the first section says how the pain is, draws it, and says what is missing', () => {
    const html = reportHtml(report);
    expectWellFormed(html);
    const text = sectionOf(html, 'In short');
    expect(text).toMatch(/^ Pain recorded on 4 days. No sessions in this period. /);
    expect(text).toContain('Pain 7.0 mean of 4 days direction from 8 days');
    expect(text).toContain('A ring is the worst pain of a day.');
    expect(html).not.toContain('without exercise');
    expect(text).toContain('Worst pain 9 on 1 day, the last on 2026-01-22');
    expect(text).toContain('From 3 sessions of one exercise on, this says which way pain went after it');
    expect(text).toContain(
      '4 days from 2026-01-20 to 2026-01-23, pain from 1 to 10. Weekly median of the pain',
    );
    expect(markupOf(html, 'In short').match(/<circle/g)).toHaveLength(4);
    expect(text).toContain(redFlags.now);
  });

  test('a day is a ring, and no dot', () => {
    expect(reportHtml(report)).toMatch(/\.ring circle { fill: #fff; stroke: #/);
  });

  test('the parts about sessions are left out', () => {
    expect(documentOf(report).sections.map(({ title }) => title)).toEqual([
      'In short',
      'Pain over time',
      'Method',
      'Notes',
    ]);
    expect(reportMarkdown(report)).not.toMatch(/undefined|NaN|0 sessions/);
  });

  test('a direction is told as soon as there is one', () => {
    const many = Array.from({ length: 60 }, (_, i) => ({
      id: i,
      userId: 1,
      date: new Date(Date.UTC(2026, 0, 1 + i)).toISOString().slice(0, 10),
      pain: 9 - Math.floor(i / 10),
    }));
    expect(sectionOf(reportHtml(buildReport(nora, [], {}, { entries: many })), 'In short')).toMatch(
      /7\.9 → 5\.0 January to February 2026 .* falling/,
    );
    expect(inWords(summarize([], {}, many)).sentences[0]).toMatch(/ Falling\.$/);
    expect(inWords(summarize([log({ date: '2026-02-01' })], {}, many)).sentences[0]).toMatch(/ Falling\.$/);
  });
});

describe('what a person typed stays text', () => {
  const hostile = '<script>alert("1")</script> & \'quotes\' </p><h1>x</h1> \u0001\u202e';

  test('in notes, exercise names and the name', () => {
    const user = { ...nora, firstName: '<b>Nora</b>', lastName: '"&\'' };
    const html = page([log({ notes: hostile, exerciseName: `<i>${hostile.slice(0, 60)}` })], {}, user);
    expectWellFormed(html);
    expect(html).not.toMatch(/<script|<b>|<i>|<h1>x/);
    expect(html.match(/<h1>/g)).toHaveLength(1);
    expect(textOf(html)).toContain(hostile.replace('\u0001', '␁'));
  });

  test('notes keep their lines, their direction and all of 10,000 characters', () => {
    const long = 'כאב '.repeat(2500);
    const html = page([log({ notes: long }), log({ id: 2, notes: ' two\n\n  lines' })]);
    expect(html).toContain(`<p dir="auto">${long}</p>`);
    expect(html).toContain('<p dir="auto"> two\n\n  lines</p>');
    expect(html).toMatch(/\.note p {[^}]*white-space: pre-wrap; overflow-wrap: anywhere/);
  });

  test('whatever it is, the page stays well formed', () => {
    const anything = fc.string({ unit: 'binary', minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(anything, anything, (notes, exerciseName) => {
        expectWellFormed(page([log({ notes, exerciseName })]));
      }),
      { numRuns: 60 },
    );
  });

  test.each([
    ['# no heading', '> \\# no heading'],
    ['- no list', '> \\- no list'],
    ['12. no list', '> 12\\. no list'],
    ['*a* _b_ `c` ~d~', '> \\*a\\* \\_b\\_ \\`c\\` \\~d\\~'],
    ['[x](http://y) <b> | &amp;', '> \\[x\\](http\\://y) \\<b\\> \\| \\&amp;'],
    ['one\ntwo\n\nthree', '> one\\\n> two\n>\n> three'],
    ['===', '> \\==='],
    ['a\\b @c', '> a\\\\b \\@c'],
    ['www.example.org', '> www\\.example.org'],
    ['    no code', '> no code'],
  ])('in Markdown %j', (notes, expected) => {
    expect(markdown([log({ notes })])).toContain(`\n\n${expected}\n\n`);
  });

  test('a name cannot break a Markdown table', () => {
    const lines = markdown([log({ exerciseName: 'a | b\nc' })]).split('\n');
    expect(lines.find((line) => line.startsWith('| a'))).toContain('| a \\| b c, stretch |');
  });
});
