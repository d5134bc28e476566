/**
 * When to get help at once, for wherever somebody reads or records their pain. Nothing here looks for these
 * signs in what was written: silence would reassure.
 *
 * Sources: NHS, “Sciatica” (nhs.uk/conditions/sciatica: when to call 999 or go to A&E); NICE Clinical Knowledge
 * Summaries, “Sciatica (lumbar radiculopathy): red flags” (cauda equina syndrome, with sexual function; new or
 * progressive motor weakness).
 */
export const redFlags = {
  /** Signs of cauda equina syndrome: an emergency. */
  now: 'Call an ambulance or go to an emergency department now for: numbness around the saddle (genitals, anus, buttocks, inner thighs), new trouble with bladder, bowel or sexual function, or weakness or numbness in both legs.',
  /** Signs of a nerve root that is failing. */
  today: 'See a doctor today for new or worsening weakness of one leg.',
} as const;

/** Both, as one text. */
export const RED_FLAGS = `${redFlags.now} ${redFlags.today}`;

/** One line that points to them, for where nothing recorded calls for them. */
export const RED_FLAGS_POINTER =
  'Numb saddle, bladder or bowel trouble, weak legs: see sciatica log add --help';

/** From this rise in a session on, or this pain at any time, the signs are told at once, whatever the notes say. */
const RISE = 3;
export const SEVERE = 9;

/** Whether pain by itself calls for the signs, as that of a pain entry. */
export const isSevere = (pain: number): boolean => pain >= SEVERE;

/** Whether what was recorded calls for the signs; nothing is read into notes, so that silence never reassures. */
export const callsForRedFlags = ({
  painBefore,
  painAfter,
}: {
  painBefore: number;
  painAfter: number;
}): boolean => painAfter - painBefore >= RISE || isSevere(Math.max(painBefore, painAfter));
