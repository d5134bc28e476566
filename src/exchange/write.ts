import type { FileOrigin } from '../domain/origin.ts';
import { ContentDigest } from './digest.ts';
import { ORIGIN, SEAL, STATES } from './records.ts';

/** Blocks of records, each a JSON text. */
export type Blocks = Iterable<readonly string[]>;

/** What stands between two records of a file. */
export const separators = { json: ',\n', ndjson: '\n' } as const;

/** The database that the records of a document are from, and their states. */
export interface Provenance {
  origin: FileOrigin;
  /** Lines of JSON, each with the states of some records. */
  lines: Blocks;
  /** What is true of all states, asked for once all lines were taken. */
  seal(): object;
}

/**
 * A JSON object of lists, a record per line, so that two exports can be compared by line. With their origin on the first line, and their
 * states at the end.
 */
export function* documentOf(
  lists: Readonly<Record<string, Blocks>>,
  provenance?: Provenance,
): Generator<string> {
  const { origin, lines, seal } = provenance ?? ({} as Partial<Provenance>);
  const digest = origin && new ContentDigest(origin);
  let before = origin ? `{${JSON.stringify(ORIGIN)}:${JSON.stringify(origin)},\n` : '{';
  for (const [key, blocks] of Object.entries({ ...lists, ...(lines && { [STATES]: lines }) })) {
    digest?.line(key);
    yield `${before}${JSON.stringify(key)}:`;
    yield* arrayOf(blocks, digest);
    before = ',';
  }
  const sealed = seal?.();
  if (sealed && digest)
    yield `,${JSON.stringify(SEAL)}:${JSON.stringify({ ...sealed, sha256: digest.end(sealed) })}`;
  yield '}\n';
}

/** A JSON array, a record per line. */
export function* listOf(blocks: Blocks): Generator<string> {
  yield* arrayOf(blocks);
  yield '\n';
}

function* arrayOf(blocks: Blocks, digest?: ContentDigest): Generator<string> {
  let before = '[\n';
  for (const block of blocks) {
    const text = block.join(separators.json);
    digest?.line(text);
    yield before + text;
    before = separators.json;
  }
  yield before === '[\n' ? '[]' : '\n]';
}

/**
 * NDJSON: a record per line. With their origin as the first line, and their states, and what is true of all of these, as the last ones.
 */
export function* linesOf(blocks: Blocks, provenance?: Provenance): Generator<string> {
  if (!provenance) {
    for (const block of blocks) yield `${block.join(separators.ndjson)}\n`;
    return;
  }
  const { origin, lines, seal } = provenance;
  const digest = new ContentDigest(origin);
  yield `${JSON.stringify({ [ORIGIN]: origin })}\n`;
  for (const part of [blocks, named(STATES, lines)])
    for (const block of part) {
      const text = block.join(separators.ndjson);
      digest.line(text.replaceAll(separators.ndjson, separators.json));
      yield `${text}\n`;
    }
  const sealed = seal();
  yield `${JSON.stringify({ [SEAL]: { ...sealed, sha256: digest.end(sealed) } })}\n`;
}

function* named(key: string, blocks: Blocks): Generator<string[]> {
  for (const block of blocks) yield block.map((text) => `{${JSON.stringify(key)}:${text}}`);
}
