import { FEWEST_TO_RANK, FEWEST_TO_TEST } from './exercises.ts';
import { describeRule, type ResponseRule } from './rules.ts';

/**
 * Least share of samples, in percent, whose interval held the true mean change, over all distributions of
 * test/insights/coverage.test.ts, by number of sessions; the test holds these figures.
 */
export const measuredCoverage = { 4: 86, 8: 96, 20: 94, 60: 96 } as const;

/** The signs that need a doctor at once (cauda equina syndrome). No advice beyond it is given anywhere. */
export const RED_FLAGS =
  'See a doctor at once for: numbness around the saddle (groin, buttocks, genitals), trouble with bladder or bowel, or weakness in both legs.';

/** The scale, for wherever a level of pain is read. */
export const SCALE_NOTE =
  'Pain is on a scale from 1 to 10, which has no value for “no pain”: 1 is the least that can be said.';

/** How the figures are made and what they cannot say, a paragraph each. */
export function methodNotes(rule: ResponseRule): { title: string; text: string }[] {
  const { 4: four, ...enough } = measuredCoverage;
  const least = Math.min(...Object.values(enough));
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
      title: 'Intervals',
      text: `The 95 % interval of a mean change makes no assumption on the shape of the data (Gaffke 2005; Learned-Miller & Thomas 2019). In tests on known, also very uneven, distributions it held the true mean at least ${least} % of the time with 8, 20 and 60 sessions; with 4 sessions ${four} % in the worst of them. It takes sessions as independent of each other. It is wide with few sessions because a rare bad day may not have shown yet.`,
    },
    {
      title: 'Order',
      text: `Exercises are ordered by the cautious end of the interval, the one nearest to harm, so that one lucky day does not come first. Below ${FEWEST_TO_RANK} sessions there is too little to say. One name under two types counts as two exercises.`,
    },
    {
      title: 'Tests',
      text: `From ${FEWEST_TO_TEST} sessions on: two-sided exact sign test (sessions without change left out) and Wilcoxon signed-rank test (ties and zeros after Pratt 1959). With many exercises, one in twenty falls below 0.05 by chance.`,
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
