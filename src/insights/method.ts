import { CONTRAST_EVIDENCE, FIRST_EVIDENCE, NOTICEABLE, USUAL_EVIDENCE } from './marks.ts';
import { EVIDENCE_EARLIER, NEXT_DAY_EVIDENCE } from './next-day.ts';
import { describeRule, responseRules } from './rules.ts';
import type { ResponseRule } from './shapes.ts';
import { FEWEST_DAYS } from './trend.ts';
import { FEWEST_TO_SAY } from './verdict.ts';

/** Note on the scale, for every place that shows a level of pain. */
const SCALE_NOTE =
  'Pain is on a scale from 1 to 10, which has no value for “no pain”: 1 stands for none or hardly any.';

/** Note on the figures of a screen: what they mean and what they cannot say. */
export function figuresNote(rule: ResponseRule): string {
  const named = rule.name === responseRules.default.name ? '' : ` (rule ${rule.name})`;
  return `Change in points, after minus before; ├─●─┤ mean and 95 % interval. Clear: a 90 % confidence sequence, which holds for daily looks, excludes 0; likely: only the interval does. Both say what followed. ✔ and ✖ say what the exercise does, against your other exercises at the same pain before and place in the day. Size: noticeable from 1, strong from 2. Response: a fall of ${describeRule(rule)}${named}. ${SCALE_NOTE}`;
}

/** Note on the figures of a comparison. @param pain the label of daily pain */
export const comparisonNote = (pain: string, isWide: boolean): string =>
  `Means in points, in brackets the sessions. ${pain}; of each exercise the change, pain after minus before. ${isWide ? 'Difference: now minus then, with its 95 % interval' : 'By: now minus then'}. “Too few”: fewer than ${FEWEST_TO_SAY} sessions in one of the periods. ${SCALE_NOTE}`;

/**
 * Figures of docs/method.md in percent, measured and enforced by test/insights/simulation: the least coverage of the interval
 * from 8 sessions on; how often a true −2 is clear with 8 sessions, with a standard deviation of 1 and of 1.5; how often an
 * exercise without effect is ever clear, each way, with standard deviations of 1 to 2 and with rare flares or relief, and
 * either way with an autocorrelation of 0.3 and of 0.6; how often one without effect is ever likely.
 */
export const measured = {
  coverage: 93,
  clearOfTwo: [92, 61],
  falseClear: 4,
  falseClearUneven: 9,
  falseClearResembling: [20, 33],
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
      text: 'The 95 % interval of a mean change is that of Student’s t with a moderated standard deviation (Smyth 2004): it counts as four sessions’ worth of the deviation within all exercises, or of 1.5 points if that is more, so that few sessions that happen to be alike are not taken for certainty. It takes sessions as independent of each other: one that was entered twice counts twice. But where the numbers of an exercise’s last session come again more often than by chance (multiple category runs test, Wallis & Roberts 1956), they are taken for entered again: sessions in a row with the same numbers then count once: here, for the verdict, for marks, for “lately” and between periods.',
    },
    {
      title: 'Verdict',
      text: `What was seen. Clear: the 90 % confidence sequence (Lai 1976; Wang & Ramdas 2023) of the change excludes 0. It is wider than the interval, so that it may be looked at after every session, and wider still where it is more likely than not that each session resembles the one before (first-order autoregression, an average over its likelihood). Likely: only the interval excludes 0; that comes and goes by chance. Open: neither. Below ${FEWEST_TO_SAY} sessions there is too little to say. None of this says why.`,
    },
    {
      title: 'Marks',
      text: `✔ and ✖ say what the exercise does, and ask three things at once, each for somebody who looks every day (one-sided e-values of a normal mixture, Wang & Ramdas 2023). First, the change differs from that after the person’s other exercises, or on days without exercise, at the same pain before (its square too: high pain may fall by more), the same first pain of the day (with a slope of its own after the first session, because sessions of a day resemble each other), the same averages of the pain of the last days and weeks, the same place in the day and the same time (a line that bends every three months: what falls by itself grows or fades), with weekends and medication apart, and the first session after it from later ones of the day (medication of a session is what was taken with it, with an earlier one of the day, or with a pain entry of the morning or without a time of day). That asks for evidence of ${CONTRAST_EVIDENCE} times the number of exercises seen, by least squares; the standard errors are by clusters (Liang & Zeger 1986), because sessions of one exercise on one day may resemble each other, or be one that was entered twice, and wider where exercises took turns in long spells and sessions resemble each other, or where those of each exercise resemble its own last one more likely than not. Pain before is a rating, and who chooses by what is felt knows it better: the difference must be there, too, if a third of its variance that nothing else explains is error (Fuller 1987). Second, the raw change of the sessions that came first on their day goes the same way (evidence of ${FIRST_EVIDENCE}). Third, so does the change at the person’s usual pain before (evidence of ${USUAL_EVIDENCE}). Exercises that are marked are no control for others; nor, where pain rises after whatever is done, for ✖ the one that does best. Where days are chosen by their pain, cut off at one, what falls or rises there by itself is not known; others that go the other way are then no control. A mark stays until there is evidence against it among the exercises that had been seen when it was given; a new exercise takes none away. Days without exercise on which pain was recorded twice in one part of the day are a control too, as if they were an exercise, where four of five have the second value; the evidence of the two contrasts is averaged. Where there is neither, or where one exercise always follows another, there is no mark.`,
    },
    {
      title: 'How sure',
      text: `Counted by simulation: from 8 sessions on the interval held the true mean change in at least ${measured.coverage} % of cases, under eight laws. With 8 sessions a true fall of 2 points is clear in ${narrow} % of cases where changes vary by 1 point, in ${wide} % where they vary by 1.5. An exercise without effect that is looked at after each of 200 sessions is ever called clear in at most ${measured.falseClear} % of cases each way; with rare flares or rare relief in up to ${measured.falseClearUneven} %; where each session resembles the one before (autocorrelation 0.3 to 0.6) in ${some} to ${much} %. One in three (${measured.falseLikely} %) is called likely at least once.`,
    },
    {
      title: 'Order',
      text: 'Exercises are ordered by their change at the person’s usual pain before, in the middle of the time and as the first of a day, drawn towards the mean of all sessions as if two such sessions had been added, so that one lucky day does not come first. The raw change stands beside it. One name under two types counts as two exercises.',
    },
    {
      title: 'Size',
      text: 'Of the same change: slight, from 1 point noticeable, from 2 strong; nothing where it goes another way than the raw change. No noticeable difference: the sequences of the raw change and of that change both lie inside ±1.',
    },
    {
      title: 'Compared with the others',
      text: 'The same least squares, with a 90 % sequence: more relief than the others together, with the error shared by all exercises; less relief only than each of them, one by one. It controls for what is recorded: pain before, the first pain of the day, the averages of the days and weeks up to it, the place in the day, the time, weekday or weekend, medication; of what is said, the error of ratings is taken off. Exercises done at weekends only, or with medication only, are no control for the others. Where one pair of numbers stands for several exercises of a day, what one of them does is said of all: nothing is said of those. What else goes along with one exercise only (a tablet that is not recorded, a day off within the week, another hour) it takes for the exercise.',
    },
    {
      title: 'Lately',
      text: 'The last twelve sessions against those before, where the two differ by 4.4 standard errors. Sessions may resemble each other: the standard error is an average over the likelihood of their autocorrelation.',
    },
    {
      title: 'The day after',
      text: `The first pain of a day against whether the exercise was done on the day before, at the same pain on that day, also before the first session where an entry came before it, and on the day after it, and the same averages (exponentially weighted, by 0.3 and 0.1 a day; Roberts 1959) of the days and weeks before, with weekends apart, and of an exercise alone whether it was done again that day: what is done in a flare, or in a bad afternoon, is not blamed for it, nor what is done on Sundays for Mondays. “Worse” has to show also among days around which it was done equally often, from two days before to the day after, with the more evidence, the more its days come in spells or by the pain, and with evidence of ${EVIDENCE_EARLIER} whatever was done on the day before it: what takes two days is not blamed on the exercise that comes next. The interval holds both differences too. Only days between two days whose pain is known count. Where the exercise cannot be told from what else its days have in common, as when pain is recorded every morning and again before it only, there is no figure. “Worse the next day” needs a difference of at least ${NOTICEABLE} point and evidence of ${NEXT_DAY_EVIDENCE} times the number of exercises, and holds for daily looks. It stays, as a mark does, until there is evidence against it, also where the difference becomes smaller.`,
    },
    {
      title: 'Periods',
      text: 'Two periods are compared by Welch’s interval (1947), with the same moderated standard deviations. Days resemble each other, and so do sessions: the interval is wider, by as much as under the trend’s averages over the likelihood of their autocorrelation, up to 0.97 for days and 0.9 for sessions. The interval of pain holds also the difference at equal shares of such kinds. Changes of exercises are called lower or higher where an interval excludes 0 that is wider the more exercises there are (Bonferroni; Dunn 1961): 95 % holds for all of them together.',
    },
    {
      title: 'Trend',
      text: `Of the pain of a day, before the first session or without one the first entry, each less the mean of its kind (who begins to record mornings, or days without exercise, changes no pain), from six weeks and ${FEWEST_DAYS} days on: generalized least squares with residuals that resemble each other the more, the closer their days are (first-order autoregression; Jones 1980), beneath what differs from day to day only (Jones & Boadi-Boateng 1991). Neither the autocorrelation nor its share is known; slope and interval are averages over their likelihood, from none almost to a random walk.`,
    },
    {
      title: 'Regression to the mean',
      text: 'People exercise on bad days, and bad days tend to be followed by better ones whatever is done. Part of every raw fall is this.',
    },
  ];
}
