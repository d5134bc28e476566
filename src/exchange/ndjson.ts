import type { FileOrigin } from '../domain/origin.ts';
import { tryJson } from '../lib/strict-json.ts';
import { type Item, isOriginLine, itemOf, type Reading, requiredOrigin } from './records.ts';

/** Longer than any record can be, with every character escaped. */
const MAX_LINE = 1024 * 1024;

/** Reads one JSON record per line; blank lines do not count. The first line may say where the records are from. */
export function readNdjson(text: AsyncIterable<string>): Reading {
  const about: { origin?: FileOrigin } = {};
  return { batches: batches(text, about), where: (at) => `line ${at}`, origin: () => about.origin };
}

async function* batches(text: AsyncIterable<string>, about: { origin?: FileOrigin }): AsyncGenerator<Item[]> {
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
