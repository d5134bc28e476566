import { FEWEST_PAIRS } from './day-after.ts';
import { describeRule, responseRules } from './rules.ts';
import type { ResponseRule } from './shapes.ts';
import { FEWEST_TO_SAY } from './verdict.ts';

/** The scale, for wherever a level of pain is read. */
export const SCALE_NOTE =
  'Pain is on a scale from 1 to 10, which has no value for “no pain”: 1 is the least that can be said.';

/** What the figures of a screen mean and what they cannot say. */
export function figuresNote(rule: ResponseRule): string {
  const named = rule.name === responseRules.default.name ? '' : ` (rule ${rule.name})`;
  return `Change in points, after minus before; ├─●─┤ mean and 95 % interval. Clear: a 90 % confidence sequence, which holds for daily looks, excludes 0; likely: only the interval does. Response: a fall of ${describeRule(rule)}${named}. ${SCALE_NOTE}`;
}

/** What the figures of two periods side by side mean. */
export const COMPARISON_NOTE = `Means in points, in brackets the sessions. Pain before exercise; of each exercise the change, pain after minus before. Difference: now minus then, with its 95 % interval. “Too few”: fewer than ${FEWEST_TO_SAY} sessions in one of the periods. ${SCALE_NOTE}`;

/**
 * Figures of docs/method.md in percent, which test/insights/simulation counts and holds: the least coverage
 * from 8 sessions on; clear for a true −2 with 8 sessions and a deviation of 1 and of 1.5; ever clear without
 * effect each way, with deviations of 1 to 2 and with rare flares or relief; either way with an autocorrelation
 * of 0.3 and of 0.6; ever likely without effect.
 */
export const measured = {
  coverage: 93,
  clearOfTwo: [94, 63],
  falseClear: 4,
  falseClearUneven: 9,
  falseClearResembling: [24, 63],
  falseLikely: 33,
} as const;

/** How the figures are made and what they cannot say, a paragraph each. */
export function methodNotes(rule: ResponseRule): { title: string; text: string }[] {
  const [narrow, wide] = measured.clearOfTwo;
  const [some, much] = measured.falseClearResembling;
  return [
    {
      title: 'Change',
      text: 'Change is pain after minus pain before one session, in points: below 0 is less pain after. It says what followed a session, not that the exercise was the cause, and not how long it lasted.',
    },
    { title: 'Scale', text: SCALE_NOTE },
    {
      title: 'Response',
      text: `A session counts as a response when pain fell by ${describeRule(rule)} of the pain before, whichever is reached first (rule “${rule.name}”; ${rule.source}). From a pain before of 2 or 3 one point is enough; from 1 no session can respond. These thresholds come from weeks of follow-up, so for one session the word is “response”, never “recovery”. “Marked effective” is the patient’s own mark and is counted separately.`,
    },
    {
      title: 'Interval',
      text: 'The 95 % interval of a mean change is that of Student’s t with a moderated standard deviation (Smyth 2004): it counts as four sessions’ worth of the deviation within all exercises, or of 1.5 points if that is more, so that few sessions that happen to be alike are not taken for certainty. It takes sessions as independent of each other.',
    },
    {
      title: 'Verdict',
      text: `Clear: the 90 % confidence sequence (Lai 1976; Wang & Ramdas 2023) excludes 0. It is wider than the interval, so that it may be looked at after every session. Likely: only the interval excludes 0; that comes and goes by chance. Open: neither. Below ${FEWEST_TO_SAY} sessions there is too little to say.`,
    },
    {
      title: 'How sure',
      text: `Counted by simulation: from 8 sessions on the interval held the true mean change in at least ${measured.coverage} % of cases, under eight laws. With 8 sessions a true fall of 2 points is clear in ${narrow} % of cases where changes vary by 1 point, in ${wide} % where they vary by 1.5. An exercise without effect that is looked at after each of 200 sessions is ever called clear in at most ${measured.falseClear} % of cases each way; with rare flares or rare relief in up to ${measured.falseClearUneven} %; where each session resembles the one before (autocorrelation 0.3 to 0.6) in ${some} to ${much} %. One in three (${measured.falseLikely} %) is called likely at least once.`,
    },
    {
      title: 'Order',
      text: 'Exercises are ordered by their mean change, drawn towards the mean of all sessions as if two such sessions had been added, so that one lucky day does not come first. One name under two types counts as two exercises.',
    },
    {
      title: 'Compared with the others',
      text: 'The change after an exercise is compared with the change after all others at the same pain before (least squares), with the same kind of sequence. This is the only control that such records have: what time alone does to a bad day, it does to all of them.',
    },
    {
      title: 'The day after',
      text: `From ${FEWEST_PAIRS} pairs of consecutive days on: the pain before exercise on the next day, against the days after other exercises, at the same pain on the day itself, with its 95 % interval.`,
    },
    {
      title: 'Periods',
      text: 'Two periods are compared by Welch’s interval (1947), with the same moderated standard deviations.',
    },
    {
      title: 'Trend',
      text: 'The slope of pain before exercise is the median of the slopes between all pairs of days (Theil–Sen), with the interval of Sen (1968). Pain of one day resembles that of the next, so the interval is narrower than it should be.',
    },
    {
      title: 'Regression to the mean',
      text: 'People exercise on bad days, and bad days tend to be followed by better ones whatever is done. Part of every fall is this. Comparing exercises with each other suffers less from it than any single figure.',
    },
  ];
}
