import type { Context } from '../../context.ts';

/** Width (in columns) and colours of the output. */
export interface Canvas {
  width: number;
  palette: Palette;
}

/** Colours by their meaning: less pain, more pain. */
export interface Palette {
  relief(text: string): string;
  aggravation(text: string): string;
}

const plain: Palette = { relief: (text) => text, aggravation: (text) => text };

/** The colours of stdout; chalk is loaded only where colours are shown. */
export async function palette(context: Context): Promise<Palette> {
  if (!context.colour) return plain;
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: 1 });
  return { relief: chalk.green, aggravation: chalk.red };
}

/** Width in columns if stdout is not a terminal, and the least width. */
const [USUAL, NARROWEST] = [80, 30];

/** Width and colours of stdout. */
export async function canvasOf(context: Context): Promise<Canvas> {
  const width = Number.isFinite(context.width) ? context.width : USUAL;
  return { width: Math.max(NARROWEST, width), palette: await palette(context) };
}
