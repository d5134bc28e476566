import { useEffect } from 'preact/hooks';
import { interval, signed } from '../domain/words/points.ts';
import type { Schemas } from './client.ts';
import { Pain90 } from './pain.tsx';
import type { Shown } from './phone.ts';
import { Table } from './table.tsx';
import { dayOf, logsOf, personOf, sessionsOf, spoken } from './words.ts';

type Exercise = Schemas['ExerciseSummary'];

/** The range of the bars on either side of 0, in points of pain. */
const REACH = 5;

export function WhatHelps({ kept, phone }: Shown) {
  const person = personOf(kept);
  const count = logsOf(kept).length;
  const today = dayOf(new Date());
  useEffect(() => {
    let isLatest = true;
    const read = async () => {
      const client = await phone.client();
      // The day is that of the phone, unless its clock is wrong.
      const day = phone.isClockOff ? '' : `&today=${today}`;
      const figures = await client.json<Schemas['Summary']>(`/users/${person}/summary?words=true${day}`);
      const at = new Date().toISOString();
      await phone.shelf.update((now) =>
        isLatest && personOf(now) === person ? { ...now, summary: { at, figures } } : now,
      );
    };
    // Without a network the last figures stay.
    if (person !== undefined && kept.ended === undefined) void read().catch(() => {});
    return () => {
      isLatest = false;
    };
  }, [person, count, kept.since, today, phone.isClockOff]);
  const { figures, at } = kept.summary ?? {};
  return (
    <>
      <h1 tabIndex={-1}>What helps</h1>
      {figures === undefined && <p>The figures come from the computer: they are here once it is reached.</p>}
      {figures?.level === null && <p>Nothing is recorded yet.</p>}
      {figures?.words?.groups.map(({ title, exercises, remark }) => (
        <section key={title} aria-label={title}>
          <h2>{title}</h2>
          {exercises.map(({ exerciseName, exerciseType, sign, words }) => {
            const found = figures.exercises.find(
              (one) => one.exerciseName === exerciseName && one.exerciseType === exerciseType,
            );
            return found && <Bar key={`${exerciseName} ${exerciseType}`} {...{ found, sign, words }} />;
          })}
          {remark && <p>{remark}</p>}
        </section>
      ))}
      {figures && figures.sessions > 0 && (
        <p class="notes">
          Bar: mean change, pain after minus pain before; thin line: its 95 % interval; left of the middle:
          less pain.
        </p>
      )}
      {figures?.words?.sentences.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      {figures && figures.sessions > 0 && (
        <details>
          <summary>As a table</summary>
          <Table
            head={['Exercise', 'Change', '95 % interval', 'Sessions']}
            rows={figures.exercises.map(
              ({ exerciseName, exerciseType, meanChange, interval: range, sessions }) => [
                `${exerciseName}, ${exerciseType}`,
                signed(meanChange),
                interval(range),
                sessions,
              ],
            )}
          />
        </details>
      )}
      {figures?.level && phone.connection !== 'ok' && at && (
        <p>These figures are of {spoken(dayOf(new Date(at)))}; what was recorded since is not in them.</p>
      )}
      <Pain90 {...{ kept }} />
    </>
  );
}

/** The mean change of an exercise with its interval, on a scale with 0 in the middle. */
function Bar({ found, sign, words }: { found: Exercise; sign: string; words: string }) {
  const { exerciseName, meanChange, interval: range, sessions } = found;
  const x = (points: number) => 50 + (Math.max(-REACH, Math.min(REACH, points)) / REACH) * 50;
  const [low = 0, high = 0] = range;
  return (
    <div class="bar">
      <p>
        {sign && `${sign} `}
        <b>{exerciseName}</b>{' '}
        <span class="figures">
          {signed(meanChange)} · {sessionsOf(sessions)}
        </span>
        {words && <span class="notes">{words}</span>}
      </p>
      <svg
        viewBox="0 0 100 8"
        preserveAspectRatio="none"
        role="img"
        aria-label={`${exerciseName}: ${signed(meanChange)} points, 95 % interval ${interval(range)}`}
      >
        <rect
          class={meanChange > 0 ? 'more' : 'less'}
          x={Math.min(50, x(meanChange))}
          y="1"
          width={Math.abs(x(meanChange) - 50)}
          height="6"
        />
        <path class="line" d={`M${x(low)} 4H${x(high)}`} />
        <path class="zero" d="M50 0V8" />
      </svg>
    </div>
  );
}
