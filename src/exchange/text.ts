import { unreadable } from './records.ts';

/**
 * Decodes UTF-8, with or without a byte order mark, piece by piece.
 * @throws SciaticaError `invalid` for another encoding, and for what is no text
 */
export async function* decoded(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let line = 1;
  let first = true;
  for await (const piece of bytes) {
    if (first) refuseOtherFiles(piece);
    first = false;
    const text = decode(decoder, piece, line);
    if (text.includes('\0')) throw unreadable('It holds a NUL character: this is not a text file.');
    line += newlines(text);
    if (text !== '') yield text;
  }
  decode(decoder, undefined, line);
}

function decode(
  decoder: InstanceType<typeof TextDecoder>,
  piece: Uint8Array | undefined,
  line: number,
): string {
  try {
    return piece ? decoder.decode(piece, { stream: true }) : decoder.decode();
  } catch {
    const at = piece ? `in line ${line} or after it` : 'at its end';
    throw unreadable(`It is not valid UTF-8, ${at}. Save it as UTF-8 and try again.`);
  }
}

/** How files begin that are no text, and what to do with them. */
const signatures: readonly (readonly [string, string])[] = [
  ['PK\x03\x04', 'It is a workbook or a ZIP file. Save it as CSV UTF-8 and try again.'],
  [
    'SQLite format 3\0',
    'It is a database. Write its records to a file first: sciatica export --db FILE -o export.json',
  ],
  ['\x1f\x8b', 'It is compressed. Unpack it first: gunzip FILE'],
  ['age-encryption.org/', 'It is encrypted with age. Decrypt it first.'],
];

/** Refuses what is no text, and what spreadsheets save when they are not asked for "CSV UTF-8". */
function refuseOtherFiles(start: Uint8Array): void {
  const head = Buffer.from(start.subarray(0, 32)).toString('latin1');
  for (const [signature, message] of signatures) if (head.startsWith(signature)) throw unreadable(message);
  const [a, b, c, d] = start;
  const utf16 = (a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff) || (a !== 0 && b === 0 && d === 0);
  if (utf16 || (a === 0 && b !== 0 && c === 0))
    throw unreadable('It is UTF-16. Save it as UTF-8 (in Excel: "CSV UTF-8") and try again.');
}

export function newlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** Where a first line that is looked at in advance must have ended. */
const MAX_FIRST_LINE = 256 * 1024;

/** Reads on to the end of the first line; gives it and all the pieces, what was read included. */
export async function withFirstLine(
  text: AsyncIterable<string>,
): Promise<{ line: string; pieces: AsyncIterable<string> }> {
  const source = text[Symbol.asyncIterator]();
  let start = '';
  while (!/[\r\n]/.test(start.trimStart()) && start.length < MAX_FIRST_LINE) {
    const { value, done } = await source.next();
    if (done) break;
    start += value;
  }
  async function* pieces(): AsyncGenerator<string> {
    yield start;
    yield* { [Symbol.asyncIterator]: () => source };
  }
  return { line: /^\s*([^\r\n]*)/.exec(start)?.[1] ?? '', pieces: pieces() };
}
