import { type Html, html } from '../../lib/html.ts';

/** A description as paragraphs. */
export function paragraphs(text: string | undefined): Html[] {
  return (text?.split(/\n\n+/) ?? []).map((paragraph) => html`<p>${inline(paragraph)}</p>\n`);
}

/** A text with code between backticks, as in Markdown. */
export function inline(text: string): (Html | string)[] {
  return text.split(/`([^`]+)`/).map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : part));
}

/** `Not Found` of `NotFound`. */
export const spaced = (name: string): string => name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ');
