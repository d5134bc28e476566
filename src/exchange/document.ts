import { invalid } from '../domain/errors.ts';
import type { Noun } from '../domain/records.ts';
import { didYouMean } from '../domain/suggest.ts';
import { parseJson } from './json.ts';
import { documentKeys, type Item, isObject, itemOf, type Reading, unreadable } from './records.ts';

const BATCH = 1000;

/** V8 holds no longer text than 2^29 - 24 characters. */
const MAX_TEXT = 2 ** 29 - 24;

/**
 * Reads one JSON document, `{ "users": […], "userExerciseLogs": […] }` with either key, or a bare list of records.
 * The document is in memory as a whole: for millions of records NDJSON is the better format.
 */
export function readDocument(text: AsyncIterable<string>): Reading {
  let bare = false;
  async function* batches(): AsyncGenerator<Item[]> {
    const document = parseJson(await joined(text));
    bare = Array.isArray(document);
    if (Array.isArray(document)) yield* inBatches(document, itemOf);
    else
      for (const [noun, values] of lists(document))
        yield* inBatches(values, (at, value) => ({ at, noun, value }));
  }
  const keys = Object.fromEntries(Object.entries(documentKeys).map(([key, noun]) => [noun, key]));
  return { batches: batches(), where: (at, noun) => `${bare || !noun ? '' : keys[noun]}[${at}]` };
}

async function joined(pieces: AsyncIterable<string>): Promise<string> {
  const all: string[] = [];
  let length = 0;
  for await (const piece of pieces) {
    length += piece.length;
    if (length > MAX_TEXT)
      throw unreadable('It is too large for one JSON document. Convert it to NDJSON (one record per line).');
    all.push(piece);
  }
  return all.join('');
}

/** @throws SciaticaError `invalid` for a document of another shape */
function lists(document: unknown): [Noun, unknown[]][] {
  if (!isObject(document))
    throw unreadable('It must be a JSON object with "users" and "userExerciseLogs", or a list of records.');
  const known = Object.keys(documentKeys);
  // json-server writes $schema beside the lists.
  const keys = Object.keys(document).filter((key) => key !== '$schema');
  const faults = keys.flatMap((field) => {
    if (!known.includes(field))
      return {
        field: field.slice(0, 60),
        message: `is neither ${known.join(' nor ')}${didYouMean(field, known)}`,
      };
    return Array.isArray(document[field]) ? [] : { field, message: 'must be a list of records' };
  });
  if (faults.length > 0) throw invalid(faults);
  return Object.entries(documentKeys).map(([key, noun]) => [noun, (document[key] ?? []) as unknown[]]);
}

function* inBatches(values: unknown[], item: (at: number, value: unknown) => Item): Generator<Item[]> {
  for (let start = 0; start < values.length; start += BATCH)
    yield values.slice(start, start + BATCH).map((value, i) => item(start + i, value));
}
