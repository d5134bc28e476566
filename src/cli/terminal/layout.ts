import type { Context } from '../../context.ts';
import { type Palette, palette } from './colour.ts';

/** Width and colours of the output. */
export interface Canvas {
  width: number;
  palette: Palette;
}

/** Width where stdout is no terminal, and the least width. */
const [USUAL, NARROWEST] = [80, 30];

/** Width and colours of stdout. */
export async function canvasOf(context: Context): Promise<Canvas> {
  const width = Number.isFinite(context.width) ? context.width : USUAL;
  return { width: Math.max(NARROWEST, width), palette: await palette(context) };
}
