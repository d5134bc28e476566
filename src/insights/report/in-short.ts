import { RED_FLAGS } from '../../domain/red-flags.ts';
import type { Comparison } from '../compare.ts';
import type { ExerciseSummary } from '../exercises.ts';
import { SCALE_NOTE } from '../method.ts';
import { describeRule } from '../rules.ts';
import type { Direction, Verdict } from '../verdict.ts';
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
    ...byVerdict('clear', 'less', 'Less pain after', exercises),
    ...byVerdict('clear', 'more', 'More pain after', exercises),
    ...byVerdict('likely', 'less', 'Likely less pain after', exercises),
    ...byVerdict('likely', 'more', 'Likely more pain after', exercises),
    ...byVerdict('open', null, 'Open: mean change (sessions)', exercises),
    ...byVerdict('too-few', null, 'Too few to say: mean change (sessions)', exercises),
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
  direction: Direction | null,
  label: string,
  exercises: readonly ExerciseSummary[],
): Fact[] {
  const those = exercises.filter((each) => each.verdict === verdict && each.direction === direction);
  if (those.length === 0) return [];
  const ordered = direction === 'more' ? those.toReversed() : those;
  const rest = those.length - MOST_NAMED;
  const named = ordered.slice(0, MOST_NAMED);
  const lines =
    direction !== null
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
