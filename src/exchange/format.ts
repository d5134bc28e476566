import { extname } from 'node:path';
import type { Format } from './records.ts';

const extensions: Readonly<Record<string, Format>> = {
  '.json': 'json',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.csv': 'csv',
  '.tsv': 'csv',
};

/** The format that a file's name says, if it says one. */
export function formatOfName(path: string): Format | undefined {
  return extensions[extname(path).toLowerCase()];
}
