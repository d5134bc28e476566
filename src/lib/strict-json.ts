/** Why a text is not JSON, and the index of the character where it is not. */
export interface Fault {
  at: number;
  message: string;
}

export const DUPLICATE_KEY = 'the same key stands twice in one object';

/** Whether a JSON value is an object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Parses a JSON text, strictly: the same key twice in an object, at any depth, is refused, where
 * JSON.parse would silently keep the last. Linear in time and without recursion.
 */
export function tryJson(text: string): { value: unknown } | { fault: Fault } {
  try {
    const value: unknown = JSON.parse(text);
    if (keysIn(text) === keysOf(value)) return { value };
  } catch {
    // `findFault` says why.
  }
  return { fault: findFault(text) };
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const BACKSLASH = 0x5c;

/** The number of keys in a valid JSON text. It exceeds that in the parsed value if a key is repeated, which JSON.parse drops. */
function keysIn(text: string): number {
  let count = 0;
  for (let i = text.indexOf('"'); i !== -1; i = text.indexOf('"', i)) {
    i = stringEnd(text, i);
    // A string is a key exactly when a colon follows it.
    if (isColon(text, i)) count += 1;
  }
  return count;
}

/** The number of keys of all objects in a parsed value. */
function keysOf(value: unknown): number {
  const open = [value];
  let count = 0;
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null) continue;
    const values: unknown[] = Object.values(next);
    if (!Array.isArray(next)) count += values.length;
    for (const inner of values) if (typeof inner === 'object' && inner !== null) open.push(inner);
  }
  return count;
}

/**
 * Finds the end of the value that begins at `start` by brackets and quotes alone: it may not be JSON.
 * @returns the index after it; undefined when the text ends before it does
 */
export function valueEnd(text: string, start: number): number | undefined {
  let depth = 0;
  for (let i = start; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) {
      const end = stringEnd(text, i);
      if (end === 0 || depth === 0) return end || undefined;
      i = end - 1;
    } else if (code === OPEN_OBJECT || code === OPEN_ARRAY) depth += 1;
    else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      if (depth <= 1) return depth === 0 ? i : i + 1;
      depth -= 1;
    } else if (depth === 0 && (code === COMMA || code === COLON || code <= 0x20)) return i;
  }
  return undefined;
}

/** The index after the string that begins at `start`; 0 if it is not closed. Linear: each run of backslashes is counted once. */
function stringEnd(text: string, start: number): number {
  for (let from = start + 1; ; ) {
    const quote = text.indexOf('"', from);
    if (quote === -1) return 0;
    let backslashes = 0;
    while (text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
    from = quote + 1;
  }
}

function isColon(text: string, from: number): boolean {
  let i = from;
  while (text.charCodeAt(i) <= 0x20) i += 1;
  return text.charCodeAt(i) === COLON;
}

const SPACE = /[\t\n\r ]*/y;
const SCALAR = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

const malformed = (at: number, what: string): Fault => ({ at, message: `this is not valid JSON: ${what}` });

/** A place in a text, both counted from 1. */
export interface Place {
  line: number;
  column: number;
}

const BEGINNING: Place = { line: 1, column: 1 };

/** The brackets that are open around a place in a JSON text, the outermost first, and what may follow there. */
export interface Surroundings {
  open: readonly ('{' | '[')[];
  wanted: 'value' | 'value or ]' | 'key' | 'key or }' | 'colon' | 'more';
}

/**
 * Finds where a text stops being strict JSON, by the grammar of RFC 8259. It has a stack of its own, so no depth overflows it.
 * @param text not JSON, or with a repeated key
 * @param surroundings of its first character, if it is a part of a longer text
 */
export function findFault(text: string, surroundings: Surroundings = { open: [], wanted: 'value' }): Fault {
  const open = surroundings.open.map(opened);
  let at = skip(SPACE, text, 0);
  let { wanted } = surroundings;
  for (;;) {
    const char = text[at];
    if (wanted === 'more') {
      const inside = open.at(-1)?.bracket;
      if (inside === undefined) return malformed(at, 'nothing more was expected');
      if (char === ',') wanted = inside === '{' ? 'key' : 'value';
      else if (char === (inside === '{' ? '}' : ']')) open.pop();
      else return malformed(at, `expected a comma or ${inside === '{' ? '}' : ']'}`);
      at += 1;
    } else if ((wanted === 'key or }' && char === '}') || (wanted === 'value or ]' && char === ']')) {
      open.pop();
      wanted = 'more';
      at += 1;
    } else if (wanted === 'key' || wanted === 'key or }') {
      if (char !== '"')
        return malformed(at, `expected a key in double quotes${wanted === 'key' ? '' : ' or }'}`);
      const string = stringFault(text, at);
      if (typeof string !== 'number') return string;
      const keys = open.at(-1)?.keys;
      const key = JSON.parse(text.slice(at, string)) as string;
      if (keys?.has(key)) return { at, message: DUPLICATE_KEY };
      keys?.add(key);
      wanted = 'colon';
      at = string;
    } else if (wanted === 'colon') {
      if (char !== ':') return malformed(at, 'expected a colon');
      wanted = 'value';
      at += 1;
    } else if (char === '{' || char === '[') {
      open.push(opened(char));
      wanted = char === '{' ? 'key or }' : 'value or ]';
      at += 1;
    } else if (char === '"') {
      const string = stringFault(text, at);
      if (typeof string !== 'number') return string;
      wanted = 'more';
      at = string;
    } else {
      const end = skip(SCALAR, text, at);
      if (end === at) return malformed(at, `expected a ${wanted}`);
      wanted = 'more';
      at = end;
    }
    at = skip(SPACE, text, at);
  }
}

/** An open bracket; for an object, with its keys so far. */
const opened = (bracket: '{' | '[') => ({ bracket, keys: bracket === '{' ? new Set<string>() : undefined });

/** The index after the string that begins at `start`, or what is wrong with it. */
function stringFault(text: string, start: number): number | Fault {
  for (let at = start + 1; ; ) {
    at = skip(PLAIN, text, at);
    if (text[at] === '"') return at + 1;
    const end = skip(ESCAPE, text, at);
    if (at >= text.length) return malformed(at, 'a string is not closed');
    if (end === at)
      return malformed(
        at,
        text[at] === '\\' ? 'a wrong escape in a string' : 'a raw control character in a string',
      );
    at = end;
  }
}

/** The index where a match of a sticky pattern at `at` ends; `at` if it does not match. */
function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/**
 * The line and the column of the character at an index.
 * @param from the place of the first character of the text
 */
export function placeAt(text: string, at: number, from = BEGINNING): Place {
  let { line, column } = from;
  let start = 0;
  for (let end = text.indexOf('\n'); end !== -1 && end < at; end = text.indexOf('\n', start)) {
    line += 1;
    column = 1;
    start = end + 1;
  }
  return { line, column: column + at - start };
}

/** `line 3, column 14`, or `the end, line 3, column 14`. */
export function place(text: string, at: number, from = BEGINNING): string {
  const { line, column } = placeAt(text, at, from);
  return `${at >= text.length ? 'the end, ' : ''}line ${line}, column ${column}`;
}
