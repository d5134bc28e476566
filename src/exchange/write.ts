import type { FileOrigin } from '../domain/origin.ts';
import { ORIGIN } from './records.ts';

/** Blocks of records, each a JSON text. */
export type Blocks = Iterable<readonly string[]>;

/** What stands between two records of a file. */
export const separators = { json: ',\n', ndjson: '\n' } as const;

/**
 * A JSON object of lists, a record per line, so that two exports can be compared by line.
 * @param origin the database that the records are from, on the first line
 */
export function* documentOf(lists: Readonly<Record<string, Blocks>>, origin?: FileOrigin): Generator<string> {
  let before = origin ? `{${JSON.stringify(ORIGIN)}:${JSON.stringify(origin)},\n` : '{';
  for (const [key, blocks] of Object.entries(lists)) {
    yield `${before}${JSON.stringify(key)}:`;
    yield* arrayOf(blocks);
    before = ',';
  }
  yield '}\n';
}

/** A JSON array, a record per line. */
export function* listOf(blocks: Blocks): Generator<string> {
  yield* arrayOf(blocks);
  yield '\n';
}

function* arrayOf(blocks: Blocks): Generator<string> {
  let before = '[\n';
  for (const block of blocks) {
    yield before + block.join(separators.json);
    before = separators.json;
  }
  yield before === '[\n' ? '[]' : '\n]';
}

/**
 * NDJSON: a record per line.
 * @param origin the database that the records are from, as a line of its own
 */
export function* linesOf(blocks: Blocks, origin?: FileOrigin): Generator<string> {
  if (origin) yield `${JSON.stringify({ [ORIGIN]: origin })}\n`;
  for (const block of blocks) yield `${block.join(separators.ndjson)}\n`;
}
