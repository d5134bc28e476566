import { escapeControls } from '../terminal/io.ts';
import { clip } from '../terminal/width.ts';

/** Most columns of the name of an exercise. */
export const LONGEST_NAME = 30;
/** Columns that a line of running text has beside a name. */
const BESIDE = 14;

/** The name of an exercise within running text `width` columns wide: what has no space in it is not wrapped. */
export function nameIn({ width }: { width: number }, { exerciseName }: { exerciseName: string }): string {
  return clip(escapeControls(exerciseName), Math.min(LONGEST_NAME, width - BESIDE));
}
