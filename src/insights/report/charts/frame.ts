import { type Html, html } from '../../../lib/html.ts';

/** Charts are drawn this wide and scaled to the page: legible on a phone, not huge on paper. */
export const WIDTH = 480;

/** A chart, its text alternative (also within the SVG) and how to read it. */
export interface Chart {
  readonly svg: Html;
  readonly title: string;
  readonly description: string;
  readonly caption: string;
}

/** An SVG with its text alternative. `name` is unique in the document. */
export function frame(
  name: string,
  height: number,
  title: string,
  description: string,
  content: readonly Html[],
): Html {
  return html`<svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 ${WIDTH} ${Math.ceil(height)}" role="img" aria-labelledby="${name}-title ${name}-desc"><title id="${name}-title">${title}</title><desc id="${name}-desc">${description}</desc>${content}</svg>`;
}

/** A coordinate with at most 2 decimals. */
export const at = (value: number): number => Math.round(value * 100) / 100;

/** A text cut to a number of characters. */
export function cut(text: string, most: number): string {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
}
