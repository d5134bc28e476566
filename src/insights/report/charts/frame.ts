import { type Html, html } from '../../../lib/html.ts';

/**
 * Charts have no drawing width of their own: across they are laid out in percent of the page, down in pixels, and
 * their letters are as large on a phone as on a desk. Labels of the vertical axis stand in the left margin.
 */

/** A chart, its text alternative (also within the SVG) and how to read it. */
export interface Chart {
  readonly svg: Html;
  readonly title: string;
  readonly description: string;
  readonly caption: string;
}

/** An SVG with its text alternative. `name` is unique in the document; `height` is in pixels. */
export function frame(
  name: string,
  height: number,
  title: string,
  description: string,
  content: readonly Html[],
): Html {
  return html`<svg xmlns="http://www.w3.org/2000/svg" class="plot" width="100%" height="${Math.ceil(height)}" role="img" aria-labelledby="${name}-title ${name}-desc"><title id="${name}-title">${title}</title><desc id="${name}-desc">${description}</desc>${content}</svg>`;
}

/** A coordinate in pixels with at most 2 decimals. */
export const at = (value: number): number => Math.round(value * 100) / 100;

/** A share of the width, 0 to 1, as a coordinate. */
export const across = (share: number): string => `${at(share * 100)}%`;
