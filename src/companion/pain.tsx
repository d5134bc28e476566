import type { Shown } from './phone.ts';
import { Table } from './table.tsx';
import { dayOf, daysAgo, groupsOf, logsOf, painsOf, spoken } from './words.ts';

/** The mean pain before and without exercise of each day of the last 90. */
export function Pain90({ kept }: Pick<Shown, 'kept'>) {
  const since = daysAgo(89);
  const logs = logsOf(kept);
  const what = logs.length > 0 ? 'Pain before and without exercise' : 'Pain';
  const values = [
    ...logs.map(({ date, painBefore }) => ({ date, pain: painBefore })),
    ...painsOf(kept),
  ].filter(({ date }) => date >= since && date <= dayOf(new Date()));
  const days = groupsOf(values, ({ date }) => date)
    .map(([day, those]) => ({ day, mean: those.reduce((sum, { pain }) => sum + pain, 0) / those.length }))
    .sort((a, b) => a.day.localeCompare(b.day));
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) return null;
  const at = (day: string) => ((Date.parse(day) - Date.parse(since)) / 86_400_000 / 89) * 178 + 1;
  const points = days.map(({ day, mean }) => `${at(day).toFixed(1)},${(62 - mean * 6).toFixed(1)}`);
  return (
    <section aria-label="Pain of the last 90 days">
      <h2>{what}, the last 90 days</h2>
      <svg
        class="course"
        viewBox="0 0 180 64"
        role="img"
        aria-label={`${what} on ${days.length} days: ${first.mean.toFixed(1)} on ${spoken(first.day)}, ${last.mean.toFixed(1)} on ${spoken(last.day)}`}
      >
        <path class="zero" d="M0 2H180M0 32H180M0 62H180" />
        <polyline class="line" points={points.join(' ')} />
        {days.map(({ day, mean }) => (
          <circle key={day} cx={at(day)} cy={62 - mean * 6} r="1.6" />
        ))}
      </svg>
      <p class="notes">10 is at the top, 0 at the bottom.</p>
      <details>
        <summary>As a table</summary>
        <Table
          head={['Day', 'Mean pain']}
          rows={days.map(({ day, mean }) => [spoken(day), mean.toFixed(1)])}
        />
      </details>
    </section>
  );
}
