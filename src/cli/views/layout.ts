import stringWidth from 'fast-string-width';
import type { Context } from '../../context.ts';
import { type Palette, palette } from '../output/colour.ts';

/** What a screen is drawn on. */
export interface Canvas {
  width: number;
  palette: Palette;
}

/** Lines of running text are no longer than this, however wide the terminal is. */
const MEASURE = 100;
/** Where stdout is no terminal, and the narrowest that is drawn for. */
const [USUAL, NARROWEST] = [80, 30];

/** The terminal as something to draw on. */
export async function canvasOf(context: Context): Promise<Canvas> {
  const width = Number.isFinite(context.width) ? context.width : USUAL;
  return { width: Math.max(NARROWEST, width), palette: await palette(context) };
}

/** Running text as lines that fit; a word that is longer than a line stands on its own. */
export function wrap(text: string, { width }: Canvas): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && stringWidth(line) + 1 + stringWidth(word) > Math.min(width, MEASURE)) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
