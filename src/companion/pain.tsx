import { firstOf, rankOf, UNTIMED } from '../domain/day-pain.ts';
import type { Shown } from './phone.ts';
import { Table } from './table.tsx';
import { dayOf, daysAgo, groupsOf, logsOf, painsOf, spoken } from './words.ts';

/** The chart of the pain of each of the last 90 days, by the rule of the summary. */
export function Pain90({ kept }: Pick<Shown, 'kept'>) {
  const since = daysAgo(89);
  const logs = logsOf(kept);
  const what = logs.length > 0 ? 'Pain before or without exercise' : 'Pain';
  const values = [
    ...logs.map(({ date, painBefore }) => ({ date, pain: painBefore, rank: UNTIMED, isSession: true })),
    ...painsOf(kept).map((entry) => ({ ...entry, rank: rankOf(entry), isSession: false })),
  ].filter(({ date }) => date >= since && date <= dayOf(new Date()));
  const days = groupsOf(values, ({ date }) => date)
    .map(([day, those]) => ({ day, pain: firstOf(those)?.pain ?? 0 }))
    .sort((a, b) => a.day.localeCompare(b.day));
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) return null;
  const at = (day: string) => ((Date.parse(day) - Date.parse(since)) / 86_400_000 / 89) * 178 + 1;
  const points = days.map(({ day, pain }) => `${at(day).toFixed(1)},${62 - pain * 6}`);
  return (
    <section aria-label="Pain of the last 90 days">
      <h2>{what}, the last 90 days</h2>
      <svg
        class="course"
        viewBox="0 0 180 64"
        role="img"
        aria-label={`${what} on ${days.length} ${days.length === 1 ? 'day' : 'days'}: ${first.pain} on ${spoken(first.day)}, ${last.pain} on ${spoken(last.day)}`}
      >
        <path class="zero" d="M0 2H180M0 32H180M0 62H180" />
        <polyline class="line" points={points.join(' ')} />
        {days.map(({ day, pain }) => (
          <circle key={day} cx={at(day)} cy={62 - pain * 6} r="1.6" />
        ))}
      </svg>
      <p class="notes">
        Of each day the pain before the first session, without one that of the first entry. 10 is at the top,
        0 at the bottom.
      </p>
      <details>
        <summary>As a table</summary>
        <Table head={['Day', 'Pain']} rows={days.map(({ day, pain }) => [spoken(day), pain])} />
      </details>
    </section>
  );
}
