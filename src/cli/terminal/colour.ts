import type { Context } from '../../context.ts';

/** Colours by their meaning. */
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
