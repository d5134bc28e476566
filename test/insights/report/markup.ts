import { expect } from 'vitest';

const VOID = new Set(['meta', '!doctype']);

/** Checks that elements nest and close, attributes are quoted, ids are unique, and no stray `<` or `&` stands in text. */
export function expectWellFormed(markup: string): void {
  const open: string[] = [];
  const tags = /<(\/?)([!\w]+)((?:\s+[\w:-]+(?:="[^"<]*")?)*)\s*(\/?)>/g;
  const rest = markup
    .replace(/<style>[\s\S]*?<\/style>/, '')
    .replace(tags, (tag, close, name, _, selfClosed) => {
      if (close) expect(open.pop(), tag).toBe(name);
      else if (!selfClosed && !VOID.has(name)) open.push(name);
      return '';
    });
  expect(open).toEqual([]);
  expect(rest.replace(/&(amp|lt|gt|quot|#39);/g, '')).not.toMatch(/[<>&]/);
  expect(rest).not.toMatch(/[\u0000-\u0008\u000b-\u001f]/);
  const ids = [...markup.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
}

/** The text of a page as a reader sees it. */
export function textOf(markup: string): string {
  return markup
    .replace(/<style>[\s\S]*?<\/style>/, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, '&');
}
