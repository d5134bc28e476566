import type { Chunk } from '../wire/message.ts';

/**
 * One JSON array in chunks, one for each batch of elements.
 * @param batches elements as JSON texts
 * @param disclosed the records in a batch
 */
export function* arrayOf<B extends { rows: string[] }>(
  batches: Iterable<B>,
  disclosed: (batch: B) => Chunk['disclosed'],
): Generator<Chunk> {
  let before = '[';
  for (const batch of batches) {
    yield { text: before + batch.rows.join(','), disclosed: disclosed(batch) };
    before = ',';
  }
  yield { text: before === '[' ? '[]' : ']' };
}
