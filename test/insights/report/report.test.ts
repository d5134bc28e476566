import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Log } from '../../../src/domain/log.ts';
import { RED_FLAGS } from '../../../src/domain/red-flags.ts';
import type { User } from '../../../src/domain/user.ts';
import { buildReport, type ReportOptions, reportHtml, reportMarkdown } from '../../../src/insights/index.ts';
import { log, logsOf } from '../helpers.ts';
import { expectWellFormed, textOf } from './markup.ts';

const nora: User = {
  id: 7,
  firstName: 'Nora',
  lastName: 'Lind',
  email: 'nora@example.org',
  age: 44,
  painLocation: 'glute-left',
  painLevel: 6,
  diagnosisDate: '2026-01-15',
};
const page = (logs: readonly Log[], options?: ReportOptions, user = nora) =>
  reportHtml(buildReport(user, logs, options));
const markdown = (logs: readonly Log[], options?: ReportOptions, user = nora) =>
  reportMarkdown(buildReport(user, logs, options));
const some = logsOf([-2, -1, 0, -3, 1, -2, -2, -1, -2, -1], { notes: 'Held 30 s' });

describe('the report', () => {
  test('says in short who, when, how much, which way, and the red flags', () => {
    const text = textOf(page([...some, ...logsOf([-6], { exerciseName: 'Once', painBefore: 9 })]));
    for (const said of [
      'Nora Lind',
      '2026-01-01 to 2026-01-10',
      '11 sessions',
      'Too few to say',
      'Once −6.0 (1)',
      RED_FLAGS,
    ])
      expect(text.slice(0, text.indexOf('Pain over time'))).toContain(said);
  });

  test('holds every part the physiotherapist looks for, in order', () => {
    const headings = [...page(some, { previous: '2026-01-05' }).matchAll(/<h2>(.*?)<\/h2>/g)].map(
      ([, text]) => text,
    );
    expect(headings).toEqual([
      'In short',
      'Pain over time',
      'Response per exercise',
      'Calendar of sessions',
      'What changed since 2026-01-05',
      'Notes, the latest first',
      'Method',
      'Appendix: the records',
    ]);
  });

  test.each([1, 3, 60, 2000])('shows every one of %i sessions, in well-formed markup', (n) => {
    const html = page(logsOf(Array.from({ length: n }, (_, i) => (i % 5) - 3)));
    expectWellFormed(html);
    expect(html.match(/<circle cx="[^"]*" cy="[^"]*" r="[^"]*"\/>/g)).toHaveLength(n);
    expect(html.match(/<tr><td class="number">/g)?.length).toBeGreaterThanOrEqual(n);
    for (const svg of html.match(/<svg[\s\S]*?<\/svg>/g) ?? []) {
      expect(svg).toMatch(
        /^<svg [^>]*role="img" aria-labelledby="(\w+)-title \1-desc"><title id="\1-title">.+?<\/title><desc id="\1-desc">.+?<\/desc>/,
      );
      expect(svg).not.toContain('NaN');
    }
  });

  test('of more sessions than anybody reads is refused', () => {
    const many = Array.from({ length: 20_001 }, (_, i) =>
      log({ id: i + 1, date: i < 5 ? '2025-01-01' : '2026-01-01' }),
    );
    expect(() => buildReport(nora, many)).toThrow(
      'since must be a later day: a report holds 20,000 sessions at most',
    );
    expect(buildReport(nora, many, { since: '2026-01-01' }).logs).toHaveLength(19_996);
  });

  test('without sessions is still a report', () => {
    expectWellFormed(page([]));
    expect(textOf(page([], { since: '2026-01-01', previous: '2026-01-02' }))).toContain(
      'None in this period.',
    );
    expect(markdown([])).toContain('None in this period.');
  });

  test('is the same, byte for byte, in whatever order the logs come', () => {
    const options = { previous: '2026-01-04', target: 4 };
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
  ])('in Markdown %j', (notes, expected) => {
    expect(markdown([log({ notes })])).toContain(`\n\n${expected}\n\n`);
  });

  test('a name cannot break a Markdown table', () => {
    const lines = markdown([log({ exerciseName: 'a | b\nc' })]).split('\n');
    expect(lines.find((line) => line.startsWith('| 1 |'))).toContain('a \\| b c, stretch');
  });
});
