/**
 * When to get help at once, shown wherever somebody reads or records pain. Nothing searches notes for these signs: not to find
 * any would falsely reassure.
 */
export const redFlags = {
  /** Signs of cauda equina syndrome: an emergency. */
  now: 'Call an ambulance or go to an emergency department now for: numbness around the saddle (genitals, anus, buttocks, inner thighs), new trouble with bladder, bowel or sexual function, or weakness or numbness in both legs.',
  /** Signs of progressive damage to a nerve root. */
  today: 'See a doctor today for new or worsening weakness of one leg.',
} as const;

/** Both, as one text. */
export const RED_FLAGS = `${redFlags.now} ${redFlags.today}`;

/** One line that points to the signs, shown where no recorded pain calls for them. */
export const RED_FLAGS_POINTER =
  'Numb saddle, bladder or bowel trouble, weak legs: see sciatica log add --help';

/** Rise in a session, and pain at any time, in points, from which the signs are shown at once, whatever the notes say. */
const RISE = 3;
export const SEVERE = 9;

/** Whether a level of pain by itself, such as that of a pain entry, calls for the signs. */
export const isSevere = (pain: number): boolean => pain >= SEVERE;

/** Whether the two pains of a session or trial day call for the signs. Notes are not interpreted: silence would reassure. */
export const callsForRedFlags = ({
  painBefore,
  painAfter,
}: {
  painBefore: number;
  painAfter: number;
}): boolean => painAfter - painBefore >= RISE || isSevere(Math.max(painBefore, painAfter));
