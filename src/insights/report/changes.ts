import type { Comparison, ExerciseComparison } from '../shapes.ts';
import { FEWEST_TO_SAY } from '../verdict.ts';
import type { Block, Section } from './document.ts';
import { differenceSentence, exerciseShifts, interval, plain, quoted, shiftWords, signed } from './words.ts';

/** What is different since the last report, as far as there are enough sessions on both sides to say. */
export function changesSection(previous: string, comparison: Comparison): Section {
  const { first, second, painBefore, meanChange, exercises } = comparison;
  const enough = exercises.filter(
    ({ first: then, second: since }) => Math.min(then?.sessions ?? 0, since?.sessions ?? 0) >= FEWEST_TO_SAY,
  );
  const shifts = exerciseShifts(comparison);
  const facts: Block = {
    kind: 'facts',
    rows: [
      {
        label: 'Sessions',
        lines: [
          `${first.sessions} up to ${previous} (${plain(first.rhythm?.sessionsPerWeek ?? 0)} a week), ${second.sessions} since (${plain(second.rhythm?.sessionsPerWeek ?? 0)} a week).`,
        ],
      },
      { label: 'Pain before exercise', lines: [differenceSentence(painBefore)] },
      { label: 'Change of a session, all exercises', lines: [differenceSentence(meanChange)] },
      ...(shifts ? [{ label: 'Exercises', lines: [shifts] }] : []),
    ],
  };
  return {
    title: `What changed since ${previous}`,
    blocks: enough.length > 0 ? [facts, table(enough)] : [facts],
  };
}

function table(exercises: readonly ExerciseComparison[]): Block {
  return {
    kind: 'table',
    caption: `Mean change of a session in points; exercises with ${FEWEST_TO_SAY} sessions or more on both sides.`,
    columns: [
      { label: 'Exercise' },
      { label: 'Says' },
      { label: 'Sessions then', numeric: true },
      { label: 'Mean then', numeric: true },
      { label: 'Sessions since', numeric: true },
      { label: 'Mean since', numeric: true },
      { label: 'Difference', numeric: true },
      { label: '95 % interval', numeric: true },
    ],
    rows: exercises.map(({ exerciseName, exerciseType, first, second, meanChange }) => [
      `${quoted(exerciseName)}, ${exerciseType}`,
      shiftWords[meanChange.shift],
      String(first?.sessions),
      signed(first?.meanChange ?? 0),
      String(second?.sessions),
      signed(second?.meanChange ?? 0),
      signed(meanChange.difference ?? 0),
      interval(meanChange.interval ?? [0, 0]),
    ]),
  };
}
