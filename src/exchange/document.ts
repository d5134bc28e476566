import { type Issue, invalid } from '../domain/errors.ts';
import { type KindName, kindNames } from '../domain/kinds.ts';
import type { FileOrigin } from '../domain/origin.ts';
import { didYouMean } from '../domain/words/suggest.ts';
import {
  DUPLICATE_KEY,
  type Fault,
  findFault,
  isObject,
  type Place,
  place,
  placeAt,
  type Surroundings,
  tryJson,
  valueEnd,
} from '../lib/strict-json.ts';
import { ContentDigest } from './digest.ts';
import { faultAt } from './json.ts';
import type { Item, Reading, Sealed } from './records.ts';
import * as records from './records.ts';

const BATCH = 1000;

/**
 * Reads a JSON document, `{ "users": […], "userExerciseLogs": […], … }` with a list for some or all kinds and, beside
 * the lists, perhaps the origin and the states of the records; or a bare list of records. At most one batch of records
 * is in memory.
 */
export function readDocument(text: AsyncIterable<string>): Reading {
  let bare = false;
  const about = new About(false);
  async function* batches(): AsyncGenerator<Item[]> {
    const window = new JsonWindow(text);
    const first = await window.peek();
    let faults: Issue[] = [];
    bare = first === '[';
    if (bare) yield* listed(window, ['['], records.itemOf);
    else if (first === '{') faults = yield* members(window, about);
    else await window.value({ open: [], wanted: 'value' });
    if ((await window.peek()) !== undefined) throw window.fault({ open: [], wanted: 'more' });
    if (faults.length > 0) throw invalid(faults);
    if (first !== '[' && first !== '{')
      throw records.unreadable(
        'It must be a JSON object with "users" and "userExerciseLogs", or a list of records.',
      );
  }
  const where = (at: number, kind?: KindName) => `${bare || !kind ? '' : records.listKeyOf(kind)}[${at}]`;
  return { batches: batches(), where, origin: () => about.origin, seal: () => about.sealed };
}

/** What a file holds besides records: its origin and the seal of its states. */
export class About {
  origin: FileOrigin | undefined;
  #hasStates: boolean;
  /** The seal; unset when anything follows it. */
  #sealed: Sealed | undefined;
  /** The digest of all content from the origin on; undefined without an origin. */
  #digest: ContentDigest | undefined;

  /** @param hasStates whether files of this format always have states; otherwise, a key `states` tells */
  constructor(hasStates: boolean) {
    this.#hasStates = hasStates;
  }

  readOrigin(value: unknown): void {
    this.origin = records.requiredOrigin(value);
    this.#digest = new ContentDigest(this.origin);
  }

  readKey(key: string): void {
    this.#hasStates ||= key === records.STATES;
    this.#sealed = undefined;
    this.#digest?.line(key);
  }

  /** @returns the value as JSON; empty if the file has no origin */
  readEntry(value: unknown): string {
    this.#sealed = undefined;
    if (!this.#digest) return '';
    const text = JSON.stringify(value);
    this.#digest.line(text);
    return text;
  }

  readSeal(value: unknown): void {
    const { sha256, ...seal } = isObject(value) ? value : {};
    const isWhole = sha256 !== undefined && sha256 === this.#digest?.end(seal);
    this.#digest = undefined;
    this.#sealed = isWhole ? { seal, isEdited: false } : undefined;
  }

  get sealed(): Sealed | undefined {
    return this.#hasStates ? (this.#sealed ?? { isEdited: true }) : undefined;
  }
}

const FHIR =
  'It is FHIR, which sciatica writes and does not read. Import what sciatica export writes as JSON.';

/** The records of the lists of a document. @returns the faults of its shape */
async function* members(window: JsonWindow, about: About): AsyncGenerator<Item[], Issue[]> {
  const open = ['{'] as const;
  const keys = new Set<string>();
  const faults: Issue[] = [];
  for await (const isFirst of entries(window, open, '}')) {
    const around: Surroundings = { open, wanted: isFirst ? 'key or }' : 'key' };
    if ((await window.peek()) !== '"') throw window.fault(around);
    const key = (await window.value(around)) as string;
    if (keys.has(key)) throw window.duplicate();
    if (key === 'resourceType') throw records.unreadable(FHIR);
    keys.add(key);
    if ((await window.peek()) !== ':') throw window.fault({ open, wanted: 'colon' });
    window.take();
    const kind = records.kindOfList(key);
    const next = await window.peek();
    if (kind || key === records.STATES) about.readKey(key);
    if (kind && next === '[')
      yield* listed(window, [...open, '['], (at, value) => {
        about.readEntry(value);
        return { at, kind, value };
      });
    else if (key === records.STATES && next === '[')
      yield* listed(window, [...open, '['], (at, value) => ({ at, line: about.readEntry(value) }));
    else if (key === records.ORIGIN && next === '{')
      about.readOrigin(await window.value({ open, wanted: 'value' }));
    else if (key === records.SEAL && next === '{')
      about.readSeal(await window.value({ open, wanted: 'value' }));
    else if (key === records.LAST_CHANGES && next === '[')
      for await (const _ of entries(window, [...open, '['], ']'))
        await window.value({ open, wanted: 'value' });
    else {
      // json-server writes $schema beside the lists.
      if (key !== '$schema') faults.push(memberFault(key, kind));
      await skipped(window, open, faults);
    }
  }
  return faults;
}

function memberFault(key: string, kind: KindName | undefined): Issue {
  if (kind) return { field: key, message: 'must be a list of records' };
  const known = kindNames.map(records.listKeyOf);
  const field = key.slice(0, 60);
  return { field, message: `is none of ${known.join(', ')}${didYouMean(field, known)}` };
}

/** Skips a value. A value that is too long to be skipped ends the reading, with the faults so far. */
async function skipped(window: JsonWindow, open: Surroundings['open'], faults: Issue[]): Promise<void> {
  await window.peek();
  try {
    await window.value({ open, wanted: 'value' });
  } catch (error) {
    if (error instanceof TooLong)
      throw faults.length > 0 ? invalid(faults) : records.unreadable('The value of $schema is too long.');
    throw error;
  }
}

/** The records of a list, its brackets included. */
async function* listed(
  window: JsonWindow,
  open: Surroundings['open'],
  itemAt: (at: number, value: unknown) => Item,
): AsyncGenerator<Item[]> {
  let items: Item[] = [];
  let at = 0;
  for await (const isFirst of entries(window, open, ']')) {
    try {
      items.push(itemAt(at, await window.value({ open, wanted: isFirst ? 'value or ]' : 'value' })));
    } catch (error) {
      throw error instanceof TooLong ? records.unreadable(`The record [${at}] is too long.`) : error;
    }
    at += 1;
    if (items.length < BATCH) continue;
    yield items;
    items = [];
  }
  yield items;
}

/** Takes the brackets and commas of a list or an object; the caller takes each entry. Yields whether it is the first. */
async function* entries(
  window: JsonWindow,
  open: Surroundings['open'],
  close: ']' | '}',
): AsyncGenerator<boolean> {
  window.take();
  for (let isFirst = true; ; isFirst = false) {
    if (isFirst && (await window.peek()) === close) break;
    await window.peek();
    yield isFirst;
    const next = await window.peek();
    if (next === close) break;
    if (next !== ',') throw window.fault({ open, wanted: 'more' });
    window.take();
  }
  window.take();
}

/** A value is longer than `MAX_RECORD`. */
class TooLong extends Error {}

/**
 * A window on a long JSON text: text that was taken is dropped as more is read. Its errors are those of `parseJson`, with line
 * and column in the whole text.
 */
class JsonWindow {
  readonly #pieces: AsyncIterator<string>;
  #text = '';
  #at = 0;
  /** Index in `#text` of the value that was taken last. */
  #taken = 0;
  /** The place of the first character of `#text`. */
  #from: Place = { line: 1, column: 1 };

  constructor(pieces: AsyncIterable<string>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  /** The next character that is no white space; nothing at the end of the text. */
  async peek(): Promise<string | undefined> {
    for (;;) {
      while (isSpace(this.#text.charCodeAt(this.#at))) this.#at += 1;
      if (this.#at < this.#text.length) return this.#text[this.#at];
      if (!(await this.#more())) return undefined;
    }
  }

  /** Takes the character that `peek` returned. */
  take(): void {
    this.#at += 1;
  }

  /**
   * Takes the value that begins with the character that `peek` returned.
   * @param around the surroundings of the value, for the error
   * @throws SciaticaError `invalid` when it is not JSON; TooLong
   */
  async value(around: Surroundings): Promise<unknown> {
    for (;;) {
      const end = valueEnd(this.#text, this.#at);
      if (end !== undefined) return this.#parsed(end, around);
      if (this.#text.length - this.#at > records.MAX_RECORD) throw new TooLong();
      if (!(await this.#more())) return this.#parsed(this.#text.length, around);
    }
  }

  /** The error for a repeated key: the value that was taken last. */
  duplicate(): Error {
    return this.#error({ at: this.#taken, message: DUPLICATE_KEY });
  }

  /** The error for what begins with the character that `peek` returned, and is not allowed there or is not JSON. */
  fault(around: Surroundings): Error {
    const { at, message } = findFault(this.#text.slice(this.#at), around);
    return this.#error({ at: this.#at + at, message });
  }

  #parsed(end: number, around: Surroundings): unknown {
    const result = tryJson(this.#text.slice(this.#at, end));
    if ('fault' in result) throw this.fault(around);
    this.#taken = this.#at;
    this.#at = end;
    return result.value;
  }

  #error(fault: Fault): Error {
    return faultAt(fault, place(this.#text, fault.at, this.#from));
  }

  /** @returns false at the end of the text */
  async #more(): Promise<boolean> {
    const { value, done } = await this.#pieces.next();
    if (done) return false;
    this.#from = placeAt(this.#text, this.#at, this.#from);
    this.#text = this.#text.slice(this.#at) + value;
    this.#at = 0;
    return true;
  }
}

/** The white space of JSON (RFC 8259, 2). */
function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
