import { type Issue, invalid } from '../domain/errors.ts';
import { type KindName, kindNames } from '../domain/kinds.ts';
import type { FileOrigin } from '../domain/origin.ts';
import { didYouMean } from '../domain/words/suggest.ts';
import type { Surroundings } from '../lib/strict-json.ts';
import { JsonWindow, TooLong } from './json-window.ts';
import {
  type Item,
  itemOf,
  kindOfList,
  LAST_CHANGES,
  lastChangeOf,
  listKeyOf,
  ORIGIN,
  type Reading,
  requiredOrigin,
  unreadable,
} from './records.ts';

const BATCH = 1000;

/** Longer than any record can be, with every character escaped. */
const MAX_RECORD = 1024 * 1024;

/**
 * Reads one JSON document, `{ "users": […], "userExerciseLogs": […], … }` with a key for each
 * kind or for some, or a bare list of records; beside the lists, `origin` and `lastChanges` (see `FileOrigin`). One batch of records is in memory at once.
 */
export function readDocument(text: AsyncIterable<string>): Reading {
  let bare = false;
  const about: { origin?: FileOrigin } = {};
  async function* batches(): AsyncGenerator<Item[]> {
    const window = new JsonWindow(text, MAX_RECORD);
    const first = await window.peek();
    let faults: Issue[] = [];
    bare = first === '[';
    if (bare) yield* listed(window, ['['], itemOf);
    else if (first === '{') faults = yield* members(window, about);
    else await window.value({ open: [], wanted: 'value' });
    if ((await window.peek()) !== undefined) throw window.fault({ open: [], wanted: 'more' });
    if (faults.length > 0) throw invalid(faults);
    if (first !== '[' && first !== '{')
      throw unreadable('It must be a JSON object with "users" and "userExerciseLogs", or a list of records.');
  }
  const where = (at: number, kind?: KindName) => `${bare || !kind ? '' : listKeyOf(kind)}[${at}]`;
  return { batches: batches(), where, origin: () => about.origin };
}

const FHIR =
  'It is FHIR, which sciatica writes and does not read. Import what sciatica export writes as JSON.';

/** The records of the lists of a document. @returns what is wrong with its shape */
async function* members(window: JsonWindow, about: { origin?: FileOrigin }): AsyncGenerator<Item[], Issue[]> {
  const open = ['{'] as const;
  const keys = new Set<string>();
  const faults: Issue[] = [];
  for await (const isFirst of entries(window, open, '}')) {
    const around: Surroundings = { open, wanted: isFirst ? 'key or }' : 'key' };
    if ((await window.peek()) !== '"') throw window.fault(around);
    const key = (await window.value(around)) as string;
    if (keys.has(key)) throw window.duplicate();
    if (key === 'resourceType') throw unreadable(FHIR);
    keys.add(key);
    if ((await window.peek()) !== ':') throw window.fault({ open, wanted: 'colon' });
    window.take();
    const kind = kindOfList(key);
    if (kind && (await window.peek()) === '[')
      yield* listed(window, [...open, '['], (at, value) => ({ at, kind, value }));
    else if (key === LAST_CHANGES && (await window.peek()) === '[')
      yield* listed(window, [...open, '['], lastChangeOf);
    else if (key === ORIGIN && (await window.peek()) === '{')
      about.origin = requiredOrigin(await window.value({ open, wanted: 'value' }));
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
  const known = kindNames.map(listKeyOf);
  const field = key.slice(0, 60);
  return { field, message: `is none of ${known.join(', ')}${didYouMean(field, known)}` };
}

/** Reads over a value that is not wanted. What is too long to be read over ends the reading, with the faults so far. */
async function skipped(window: JsonWindow, open: Surroundings['open'], faults: Issue[]): Promise<void> {
  await window.peek();
  try {
    await window.value({ open, wanted: 'value' });
  } catch (error) {
    if (error instanceof TooLong)
      throw faults.length > 0 ? invalid(faults) : unreadable('The value of $schema is too long.');
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
      throw error instanceof TooLong ? unreadable(`The record [${at}] is too long.`) : error;
    }
    at += 1;
    if (items.length < BATCH) continue;
    yield items;
    items = [];
  }
  yield items;
}

/** Goes over the brackets and commas of a list or an object; whoever asks takes each entry. */
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
