import stringWidth from 'fast-string-width';
import type { Context } from '../../context.ts';
import { type Palette, palette } from './colour.ts';

/** Width and colours of the output. */
export interface Canvas {
  width: number;
  palette: Palette;
}

/** Most columns of a line of running text: longer ones are hard to read. */
const MEASURE = 100;
/** Width where stdout is no terminal, and the least width. */
const [USUAL, NARROWEST] = [80, 30];

/** Width and colours of stdout. */
export async function canvasOf(context: Context): Promise<Canvas> {
  const width = Number.isFinite(context.width) ? context.width : USUAL;
  return { width: Math.max(NARROWEST, width), palette: await palette(context) };
}

/**
 * Wraps text at spaces, but not between a number and its %, each line `indent` columns in; a word longer than a line,
 * such as a path, stays whole.
 */
export function wrap(text: string, { width }: Pick<Canvas, 'width'>, indent = 0): string[] {
  const room = Math.min(width, MEASURE) - indent;
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/ (?!%)/)) {
    if (line !== '' && stringWidth(line) + 1 + stringWidth(word) > room) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].map((text) => ' '.repeat(indent) + text);
}
