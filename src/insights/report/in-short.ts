import type { Comparison } from '../compare.ts';
import type { ExerciseSummary, Verdict } from '../exercises.ts';
import { RED_FLAGS, SCALE_NOTE } from '../method.ts';
import { describeRule } from '../rules.ts';
import type { Fact, Section } from './document.ts';
import type { Report } from './report.ts';
import {
  count,
  differenceSentence,
  exerciseInShort,
  exerciseShifts,
  fourWeeksSentence,
  interval,
  percent,
  quoted,
  rhythmSentences,
  signed,
  trendSentence,
} from './words.ts';

/** What a physiotherapist reads in the sixty seconds before an appointment. */
export function inShort({ subject, summary, sincePrevious, previous }: Report): Section {
  const { overall, pain, rhythm, exercises } = summary;
  const facts: Fact[] = [
    {
      label: 'Who',
      lines: [
        [
          subject.name === null ? `Patient ${subject.id}` : `${quoted(subject.name)} (no. ${subject.id})`,
          `${subject.age} years`,
          `pain: ${subject.painLocation.replaceAll('-', ' ')}, ${subject.painLevel} of 10 in the profile`,
          `diagnosed ${subject.diagnosisDate}`,
        ].join(' · '),
        ...(subject.email === null ? [] : [subject.email]),
      ],
    },
  ];
  if (overall === null || pain === null || rhythm === null) {
    facts.push({ label: 'Sessions', lines: ['None in this period.'] });
    return {
      title: 'In short',
      blocks: [
        { kind: 'facts', rows: facts },
        { kind: 'alert', text: RED_FLAGS },
      ],
    };
  }
  facts.push(
    { label: 'Sessions', lines: [rhythmSentences(summary.sessions, rhythm)] },
    { label: 'Pain before exercise', lines: [trendSentence(pain), fourWeeksSentence(pain)] },
    ...byVerdict('lower', 'Pain lower after', 'None that is clear.', exercises),
    ...byVerdict('higher', 'Pain higher after', 'None that is clear.', exercises),
    ...byVerdict('unclear', 'Not clear yet: mean change (sessions)', '', exercises),
    ...byVerdict('too-few', 'Too few to say: mean change (sessions)', '', exercises),
    {
      label: 'All sessions',
      lines: [
        `Mean change ${signed(overall.meanChange)} (95 % interval ${interval(overall.interval)}). Response (${describeRule(summary.rule)}) in ${percent(overall.responded)}; marked effective by the patient: ${percent(overall.effective)}.`,
      ],
    },
  );
  if (sincePrevious && previous) facts.push(sinceInShort(previous, sincePrevious));
  return {
    title: 'In short',
    blocks: [
      { kind: 'facts', rows: facts },
      { kind: 'alert', text: RED_FLAGS },
      {
        kind: 'paragraph',
        text: `Changes are points, pain after minus pain before; in brackets the 95 % interval. ${SCALE_NOTE} See “Method” for what the figures cannot say.`,
      },
    ],
  };
}

const MOST_NAMED = 8;

function byVerdict(
  verdict: Verdict,
  label: string,
  none: string,
  exercises: readonly ExerciseSummary[],
): Fact[] {
  const those = exercises.filter((exercise) => exercise.verdict === verdict);
  if (those.length === 0) return none ? [{ label, lines: [none] }] : [];
  const ordered = verdict === 'higher' ? those.toReversed() : those;
  const rest = those.length - MOST_NAMED;
  const named = ordered.slice(0, MOST_NAMED);
  const lines =
    verdict === 'lower' || verdict === 'higher'
      ? named.map(exerciseInShort)
      : [
          named
            .map(
              ({ exerciseName, meanChange, sessions }) =>
                `${quoted(exerciseName)} ${signed(meanChange)} (${sessions})`,
            )
            .join(', '),
        ];
  return [{ label, lines: rest > 0 ? [...lines, `and ${rest} more, below`] : lines }];
}

function sinceInShort(previous: string, comparison: Comparison): Fact {
  const { second, painBefore } = comparison;
  return {
    label: `Since the report of ${previous}`,
    lines: [
      `${count(second.sessions, 'session')}. Pain before exercise: ${differenceSentence(painBefore)}`,
      exerciseShifts(comparison),
    ].filter(Boolean),
  };
}
