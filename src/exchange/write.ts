import type { FileOrigin } from '../domain/origin.ts';
import { ContentDigest } from './digest.ts';
import { ORIGIN, SEAL, STATES } from './records.ts';

/** Records in blocks, each record a JSON text. */
export type Blocks = Iterable<readonly string[]>;

/** The separators between two records of a file. */
export const separators = { json: ',\n', ndjson: '\n' } as const;

/** The origin of the records of a file, and their states. */
export interface Provenance {
  origin: FileOrigin;
  /** Lines of JSON, each with the states of some records. */
  lines: Blocks;
  /** Returns the seal of all states; called after the last of `lines`. */
  seal(): object;
}

/**
 * Writes a JSON object of lists, one record a line, so that two exports can be compared by line. With a provenance, the origin is
 * on the first line, and the states and their seal are at the end.
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

/** Writes a JSON array, one record a line. */
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
 * Writes NDJSON, one record a line. With a provenance, the origin is the first line, and states and seal are the last ones.
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
