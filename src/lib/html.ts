/** Markup that is safe to send as it is: what `html` and `inElement` make, or a constant. */
export class Html {
  constructor(readonly markup: string) {}
  toString(): string {
    return this.markup;
  }
}

type Value = Html | string | number | null | undefined | false | readonly Value[];

/** A template tag that escapes values, unless they are `Html`. Lists are concatenated; null, undefined and false are empty. */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(parts.reduce((text, part, i) => text + render(values[i - 1]) + part));
}

function render(value: Value): string {
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Html) return value.markup;
  if (typeof value === 'string') return escapeHtml(value);
  if (typeof value === 'number') return String(value);
  return value.map(render).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as it may stand in HTML and XML, in an element or an attribute. */
function escapeHtml(text: string): string {
  return visible(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** Text for an element, in which quotation marks need no escape. */
export function inElement(text: string): Html {
  return new Html(visible(text).replace(/[&<>]/g, (character) => ENTITIES[character] ?? ''));
}

/** Replaces control characters, which HTML and XML do not allow, by their pictures (␀, ␁, …) or by U+FFFD. */
export function visible(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/[\u0000-\u0008\u000b-\u001f]/g, (character) =>
      String.fromCharCode(0x2400 + character.charCodeAt(0)),
    )
    .replace(/[\u007f-\u009f\ufffe\uffff]/g, '\ufffd');
}
