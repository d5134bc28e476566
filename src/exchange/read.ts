import type { FileOrigin } from '../domain/origin.ts';
import { tryJson } from '../lib/strict-json.ts';
import { readCsv } from './csv-reader.ts';
import { readDocument } from './document.ts';
import {
  type Format,
  type Item,
  isOriginLine,
  itemOf,
  kindOfValue,
  type Reading,
  requiredOrigin,
  unreadable,
} from './records.ts';
import { decoded, withFirstLine } from './text.ts';

/**
 * Reads the records of a file.
 * @param format its format; without one the first line decides
 * @throws SciaticaError `invalid`, there or while the batches are read, for what is no such file
 */
export async function readRecords(
  bytes: AsyncIterable<Uint8Array>,
  options: { format?: Format | undefined; raw?: boolean },
): Promise<Reading> {
  const { line, pieces } = await withFirstLine(decoded(bytes));
  if (line === '') throw unreadable('It is empty.');
  switch (options.format ?? sniffed(line)) {
    case 'json':
      return readDocument(pieces);
    case 'ndjson':
      return readNdjson(pieces);
    case 'csv':
      return readCsv(pieces, options);
  }
}

/** A whole record, or an origin, on the first line makes NDJSON, another brace or bracket JSON; the rest has a header. */
function sniffed(line: string): Format {
  if (!/^[[{]/.test(line)) return 'csv';
  const result = tryJson(line);
  if (!('value' in result)) return 'json';
  return kindOfValue(result.value) || isOriginLine(result.value) ? 'ndjson' : 'json';
}

/** Longer than any record can be, with every character escaped. */
const MAX_LINE = 1024 * 1024;

/** Reads one JSON record per line; blank lines do not count. The first line may say where the records are from. */
function readNdjson(text: AsyncIterable<string>): Reading {
  const about: { origin?: FileOrigin } = {};
  return { batches: ndjsonBatches(text, about), where: (at) => `line ${at}`, origin: () => about.origin };
}

async function* ndjsonBatches(
  text: AsyncIterable<string>,
  about: { origin?: FileOrigin },
): AsyncGenerator<Item[]> {
  const itemsOf = (at: number, content: string) => recordsOf(at, content, about);
  let rest = '';
  let line = 1;
  for await (const piece of text) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    const first = line;
    line += lines.length;
    if (lines.length > 0) yield lines.flatMap((content, i) => itemsOf(first + i, content));
    // What has no end is not kept: its first part alone is refused.
    if (rest.length > MAX_LINE) {
      yield itemsOf(line, rest);
      return;
    }
  }
  yield itemsOf(line, rest);
}

function recordsOf(at: number, line: string, about: { origin?: FileOrigin }): Item[] {
  if (line.trim() === '') return [];
  if (line.length > MAX_LINE) return [{ at, fault: { field: '', message: 'is too long for a record' } }];
  const result = tryJson(line);
  if (at === 1 && 'value' in result && isOriginLine(result.value)) {
    about.origin = requiredOrigin(result.value.origin);
    return [];
  }
  if (!('fault' in result)) return [itemOf(at, result.value)];
  const { message, at: column } = result.fault;
  return [{ at, fault: { field: '', message: `${message} at column ${column + 1}` } }];
}
