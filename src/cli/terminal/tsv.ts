import { toText } from '../../domain/codec.ts';
import { escapeControls } from './io.ts';

const BATCH = 500;

/**
 * Tab-separated lines with a header, nothing cut: for `cut`, `sort` and `column -t`. In a value, a tab, a line
 * break, a backslash and control characters are escaped (`\t`, `\n`, `\\`, `\u001b`); an absent value is an empty cell.
 * @param names the fields, in order
 * @returns the lines in chunks of at most `BATCH`
 */
export function* tsvOf<R extends object>(
  names: readonly string[],
  blocks: Iterable<readonly R[]>,
): Generator<string> {
  const line = (row: R) => {
    const values = row as Readonly<Record<string, unknown>>;
    return names.map((name) => cellOf(values[name])).join('\t');
  };
  yield `${names.join('\t')}\n`;
  for (const block of blocks)
    for (let start = 0; start < block.length; start += BATCH)
      yield `${block
        .slice(start, start + BATCH)
        .map(line)
        .join('\n')}\n`;
}

/** A value as in CSV; objects and arrays, for which CSV has no form, as JSON. */
function cellOf(value: unknown): string {
  if (typeof value === 'string') return escaped(value);
  return typeof value === 'object' && value !== null ? escaped(JSON.stringify(value)) : toText(value);
}

const escaped = (text: string) => escapeControls(text.replaceAll('\\', '\\\\'));
