import practice from '../../../src/cli/practice.json';
import type { Log } from '../../../src/domain/log.ts';
import type { User } from '../../../src/domain/user.ts';
import type { ReportOptions } from '../../../src/insights/report/report.ts';
import { nora as someone } from '../../helpers.ts';
import { generator, log } from '../helpers.ts';

export const nora: User = { id: 7, ...someone };

const EFFECTS = { 'Bird Dog': -2, 'Cobra Stretch': -1, 'Dead Bug': 0, 'Glute Bridge': 1 };
const NOTES = ['', '3 sets of 10', 'After a long drive', 'first line\nsecond line', 'Slept badly, "stiff"'];

/** Sessions over 300 days, the same for the same number. */
export function sessions(n: number): Log[] {
  const random = generator(n);
  const pick = <T>(values: readonly T[]) => values[Math.floor(random() * values.length)] as T;
  const level = (value: number) => Math.min(10, Math.max(1, Math.round(value)));
  return Array.from({ length: n }, (_, i) => {
    const [exerciseName, effect] = pick(Object.entries(EFFECTS));
    const painBefore = level(6 - (2 * i) / n + 4 * (random() - 0.5));
    const painAfter = level(painBefore + effect + 4 * (random() - 0.5));
    const date = new Date(Date.UTC(2026, 0, 1 + Math.floor((300 * i) / n))).toISOString().slice(0, 10);
    return log({ id: i + 1, exerciseName, date, painBefore, painAfter, notes: pick(NOTES) });
  });
}

/** What a page must bear: words without end, the other direction, markup, control characters. */
const HOSTILE = [
  'x'.repeat(3000),
  `${'כאב '.repeat(300)}\u202e`,
  '<script>alert(1)</script><img src=x onerror=alert(1)> & "quotes" \'too\'',
  'a\u0000b\u0007\u001b[31mred\u0085',
  '𝔘𝔫𝔦𝔠𝔬𝔡𝔢 '.repeat(200),
  '\n\n\n | a | b |\n# heading',
  `https://example.org/${'long'.repeat(100)}`,
];
const NAMES = ['W'.repeat(100), 'מתיחת גב', '<b>Bird</b> & Dog', 'Bird Dog'];

export interface Sample {
  readonly user: User;
  readonly logs: readonly Log[];
  readonly options: ReportOptions;
}

/** The reports that are looked at, by name. */
export const samples: Readonly<Record<string, Sample>> = {
  '3 sessions': { user: nora, logs: sessions(3), options: {} },
  '62 sessions': {
    user: nora,
    logs: (practice.userExerciseLogs as Log[]).filter(({ userId }) => userId === 3),
    options: { previous: '2026-08-01', target: { perWeek: 3, counts: 'sessions' } },
  },
  '300 sessions': {
    user: nora,
    logs: sessions(300),
    options: { previous: '2026-06-01', target: { perWeek: 9, counts: 'sessions' } },
  },
  '2,000 sessions': {
    user: nora,
    logs: sessions(2000),
    options: { target: { perWeek: 14, counts: 'sessions' } },
  },
  '40 exercises': {
    user: nora,
    logs: sessions(250).map((each, i) => ({ ...each, exerciseName: `Exercise number ${i % 40}` })),
    options: { previous: '2026-06-01', target: { perWeek: 3, counts: 'sessions' } },
  },
  // All that the first page can hold: long names, bars of every kind, long notes, what is new and what has stopped.
  'a full first page': {
    user: nora,
    logs: Array.from({ length: 24 }, (_, exercise) =>
      Array.from({ length: exercise < 16 ? 12 : 2 }, (_, i) => {
        const change = [-3, 3, -1, 1][exercise % 4] as number;
        const month = exercise % 3 === 0 ? 1 + (i % 6) : exercise % 3 === 1 ? 1 + (i % 3) : 4 + (i % 3);
        return log({
          exerciseName: `Supine Piriformis Stretch, variation ${exercise}`,
          date: `2026-0${month}-${10 + i}`,
          painBefore: 6,
          painAfter: 6 + change + (exercise % 4 < 2 ? 0 : ((i % 3) - 1) * 2),
          notes: 'Tingling in the toes, stopped early, and it took until the evening to get better. '.repeat(
            3,
          ),
        });
      }),
    )
      .flat()
      .map((each, i) => ({ ...each, id: i + 1 })),
    options: { previous: '2026-03-31', target: { perWeek: 3, counts: 'sessions' } },
  },
  // All that fits beside the chart: ten lines of bars, a long note to each rise.
  'a full first page with the chart': {
    user: nora,
    logs: Array.from({ length: 10 }, (_, exercise) =>
      Array.from({ length: exercise < 8 ? 12 : 2 }, (_, i) =>
        log({
          exerciseName: exercise === 0 ? 'Supine Piriformis Stretch, seated' : `Exercise ${exercise}`,
          date: `2026-0${1 + (i % 6)}-${10 + i}`,
          painBefore: 6,
          painAfter: [3 + (i % 2), 9 - (i % 2), 4 + (i % 5)][exercise % 3] as number,
          notes: 'Tingling in the toes, stopped early, and it took until the evening to get better.',
        }),
      ),
    )
      .flat()
      .map((each, i) => ({ ...each, id: i + 1 })),
    options: { previous: '2026-03-31', target: { perWeek: 3, counts: 'sessions' } },
  },
  'hostile notes': {
    user: {
      ...nora,
      firstName: 'W'.repeat(100),
      lastName: 'א'.repeat(100),
      email: `${'a'.repeat(240)}@b.org`,
    },
    logs: sessions(60).map((each, i) => ({
      ...each,
      exerciseName: NAMES[i % NAMES.length] ?? '',
      painAfter: i % 4 === 0 ? Math.min(10, each.painBefore + 3) : each.painAfter,
      notes: HOSTILE[i % HOSTILE.length] ?? '',
    })),
    options: { previous: '2026-06-01', target: { perWeek: 3, counts: 'sessions' } },
  },
};
