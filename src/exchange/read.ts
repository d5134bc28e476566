import { tryJson } from '../lib/strict-json.ts';
import { readCsv } from './csv-reader.ts';
import { readDocument } from './document.ts';
import { readNdjson } from './ndjson.ts';
import { type Format, isOriginLine, kindOfValue, type Reading, unreadable } from './records.ts';
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
