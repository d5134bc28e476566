import { type CsvError, Parser } from 'csv-parse';
import { fromTexts } from '../domain/codec.ts';
import { type Issue, invalid } from '../domain/errors.ts';
import type { ChoiceField, Fields } from '../domain/fields.ts';
import { type KindName, kindNames, kindOf, nounOf, withArticle } from '../domain/kinds.ts';
import { POSITION } from '../domain/log.ts';
import { meantBy, suggestion } from '../domain/words/suggest.ts';
import { unmarked } from '../lib/csv-cell.ts';
import { tryJson } from '../lib/strict-json.ts';
import { type DayOrder, DayReader } from './days.ts';
import { About, readDocument } from './document.ts';
import {
  type Format,
  type Item,
  isLineOf,
  itemOf,
  kindOfValue,
  MAX_RECORD,
  ORIGIN,
  type Reading,
  SEAL,
  STATES,
  unreadable,
} from './records.ts';

/**
 * Reads the records of a file.
 * @param options.format its format; without one the first line decides
 * @param options.dates what 5/11/2026 means in CSV; without it the rows of the file decide
 * @throws SciaticaError `invalid`, at once or while the batches are read, for a file of none of the formats
 */
export async function readRecords(
  bytes: AsyncIterable<Uint8Array>,
  options: { format?: Format | undefined } & CsvOptions,
): Promise<Reading> {
  const { line, pieces } = await withFirstLine(decoded(bytes));
  if (line === '') throw unreadable('It is empty.');
  switch (options.format ?? sniffed(line)) {
    case 'json':
      return readDocument(pieces);
    case 'ndjson':
      return readNdjson(pieces);
    case 'csv':
      return { batches: csvBatches(pieces, options), where: (at) => `line ${at}` };
  }
}

/** The format by the first line. A whole record, or an origin: NDJSON; another brace or bracket: JSON; otherwise: CSV. */
function sniffed(line: string): Format {
  if (!/^[[{]/.test(line)) return 'csv';
  const result = tryJson(line);
  if (!('value' in result)) return 'json';
  return kindOfValue(result.value) || isLineOf(ORIGIN, result.value) ? 'ndjson' : 'json';
}

/** Reads one JSON record per line; skips blank lines. The first line may be the origin, the last ones states and their seal. */
function readNdjson(text: AsyncIterable<string>): Reading {
  const about = new About(true);
  const itemsOf = (at: number, line: string): Item[] => {
    if (line.trim() === '') return [];
    if (line.length > MAX_RECORD) return [{ at, fault: { field: '', message: 'is too long for a record' } }];
    const result = tryJson(line);
    if ('fault' in result) {
      const { message, at: column } = result.fault;
      return [{ at, fault: { field: '', message: `${message} at column ${column + 1}` } }];
    }
    const { value } = result;
    if (at === 1 && isLineOf(ORIGIN, value)) about.readOrigin(value.origin);
    else if (!about.origin) return [itemOf(at, value)];
    else if (isLineOf(SEAL, value)) about.readSeal(value.seal);
    else {
      about.readEntry(value);
      return [isLineOf(STATES, value) ? { at, line: JSON.stringify(value.states) } : itemOf(at, value)];
    }
    return [];
  };
  async function* batches(): AsyncGenerator<Item[]> {
    let rest = '';
    let line = 1;
    for await (const piece of text) {
      const lines = (rest + piece).split('\n');
      rest = lines.pop() ?? '';
      const first = line;
      line += lines.length;
      if (lines.length > 0) yield lines.flatMap((content, i) => itemsOf(first + i, content));
      // Not buffered further: the beginning of an endless line is enough to refuse it.
      if (rest.length > MAX_RECORD) break;
    }
    yield itemsOf(line, rest);
  }
  const where = (at: number) => `line ${at}`;
  return { batches: batches(), where, origin: () => about.origin, seal: () => about.origin && about.sealed };
}

interface CsvOptions {
  /** The file was written with `--raw`: no `'` is taken off a text. */
  raw?: boolean;
  dates?: DayOrder | undefined;
  /** Id of the owner of the records, if no column has it. */
  userId?: number | undefined;
}

interface Header {
  kind: KindName;
  fields: Fields;
  columns: string[];
}

/**
 * Reads records of one kind from CSV; the header determines the kind. The separator is that of the header: comma, semicolon
 * or tab. Lines that hold only empty cells are skipped.
 */
async function* csvBatches(
  text: AsyncIterable<string>,
  { raw = false, dates, userId }: CsvOptions,
): AsyncGenerator<Item[]> {
  const { line, pieces } = await withFirstLine(text);
  const days = new DayReader(dates);
  let rows: { at: number; cells: string[] }[] = [];
  let header: Header | undefined;
  let read = 0;
  const parser = new Parser({
    // A header has no cell with a separator in it: the first one there is the file's.
    delimiter: /[,;\t]/.exec(line)?.[0] ?? ',',
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
    // Bounds what an unclosed quote swallows before it is noticed.
    max_record_size: MAX_RECORD,
    on_record: (cells: string[], { empty_lines }) => {
      const at = 1 + read + empty_lines;
      read += 1 + cells.reduce((sum, cell) => sum + newlines(cell), 0);
      // The line `sep=`, which tells Excel the separator, is skipped.
      if (at === 1 && cells[0] === 'sep=') return null;
      if (!header) header = headerOf(cells, userId);
      else if (cells.some((cell) => cell !== '')) {
        for (const [i, column] of header.columns.entries())
          if (header.fields[column]?.kind === 'date') days.see(cells[i] ?? '', at);
        rows.push({ at, cells });
      }
      return null;
    },
  });
  const items = () => {
    const read = rows;
    rows = [];
    return read.map(({ at, cells }) => csvItem(at, header as Header, cells, { raw, days, userId }));
  };
  // The parser also emits an error that it has passed to the callback, after the listener of `fed` is gone.
  parser.on('error', () => {});
  parser.resume();
  for await (const piece of pieces) {
    await fed(parser, (done) => parser.write(piece, done));
    // Not while the order of the dates is open: a later row may decide it for the rows before.
    if (!days.isOpen) yield items();
  }
  await fed(parser, (done) => parser.end(done));
  yield items();
}

function fed(parser: Parser, feed: (done: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(explained(error));
    parser.once('error', fail);
    feed((error) => {
      parser.off('error', fail);
      if (error) fail(error);
      else resolve();
    });
  });
}

function explained(error: Error): Error {
  const { code, lines } = error as CsvError & { lines?: number };
  const at = `near line ${lines}`;
  if (code === 'CSV_QUOTE_NOT_CLOSED') return unreadable('A quote is opened and never closed.');
  if (code === 'CSV_MAX_RECORD_SIZE')
    return unreadable(`A record ${at} is too long: a quote that is opened and never closed?`);
  if (code === 'CSV_INVALID_CLOSING_QUOTE' || code === 'INVALID_OPENING_QUOTE')
    return unreadable(`A quote ${at} is in the wrong place: inside a quoted cell, write "" for ".`);
  return error;
}

/** @throws SciaticaError `invalid` for columns that are unknown, missing or there twice */
function headerOf(cells: string[], userId: number | undefined): Header {
  const columns = cells.map((cell) => cell.trim());
  while (columns.at(-1) === '') columns.pop();
  const shared = (fields: Fields) =>
    columns.filter((column) => Object.hasOwn(fields, column) || headedBy(column, fields)).length;
  // The kind that shares most fields with the header; of several, the first.
  const [kind] = kindNames.toSorted((a, b) => shared(kindOf(b).fields) - shared(kindOf(a).fields)) as [
    KindName,
  ];
  const { fields } = kindOf(kind);
  const known = Object.keys(fields);
  if (shared(fields) === 0)
    throw unreadable(
      'It is neither JSON nor CSV of sciatica, the first line of which holds the names of the fields, such as userId,exerciseName,date.',
    );
  // A field that a misspelt column probably means is not reported as missing, too.
  const meantFields = new Set<string>();
  const faults: Issue[] = columns.flatMap((column, i) => {
    if (column === '') return { field: `column ${i + 1}`, message: 'has no name' };
    const field = column.slice(0, 60);
    if (!known.includes(column) && !(kind === 'log' && column === POSITION)) {
      const meant = fieldMeantBy(column, fields);
      if (meant !== undefined) meantFields.add(meant);
      return { field, message: `is not a field of ${withArticle(nounOf(kind))}${suggestion(meant)}` };
    }
    return columns.indexOf(column) < i ? { field, message: 'is there twice' } : [];
  });
  const isNeeded = (name: string) =>
    name !== 'id' && !(name === 'userId' && userId !== undefined) && !fields[name]?.optional;
  const missing = known.filter((name) => isNeeded(name) && !columns.includes(name) && !meantFields.has(name));
  faults.push(...missing.map((field) => ({ field, message: 'is missing' })));
  if (faults.length > 0) throw invalid(faults.map((fault) => ({ ...fault, at: 'header' })));
  return { kind, fields, columns };
}

/** The field that an unknown column probably means: the one with this label, otherwise the one with the most similar name. */
const fieldMeantBy = (column: string, fields: Fields): string | undefined =>
  headedBy(column, fields) ?? meantBy(column, Object.keys(fields));

/** The field whose label, which heads the tables, is the name of a column, in any case. */
const headedBy = (column: string, fields: Fields): string | undefined =>
  Object.keys(fields).find((name) => fields[name]?.label.toLowerCase() === column.toLowerCase());

/** What spreadsheets, and people, write for true and false in English, German and French. */
const BOOLEANS: Readonly<Record<string, string>> = {
  true: 'true',
  wahr: 'true',
  vrai: 'true',
  false: 'false',
  falsch: 'false',
  faux: 'false',
  yes: 'true',
  ja: 'true',
  oui: 'true',
  no: 'false',
  nein: 'false',
  non: 'false',
};

/** The choice that a cell means: `stretch` for `Stretch`, `glute-left` for `glute left`; another cell as it is. */
const choiceOf = ({ choices }: ChoiceField, cell: string): string =>
  choices.find((choice) => choice === cell.toLowerCase().replace(/\s+/g, '-')) ?? cell;

function csvItem(
  at: number,
  { kind, fields, columns }: Header,
  cells: string[],
  { raw, days, userId }: { raw: boolean; days: DayReader; userId: number | undefined },
): Item {
  // Spreadsheets save empty columns behind the last one: they do not count.
  const count = Math.max(columns.length, cells.findLastIndex((cell) => cell !== '') + 1);
  if (cells.length < columns.length || count > columns.length) {
    const message = `has ${Math.min(cells.length, count)} cells, the header has ${columns.length}`;
    return { at, kind, fault: { field: '', message } };
  }
  const texts: Record<string, string> = {};
  if (userId !== undefined && Object.hasOwn(fields, 'userId')) texts['userId'] = String(userId);
  for (const [i, column] of columns.entries()) {
    if (column === POSITION) continue;
    const field = fields[column];
    const { kind: type, optional } = field ?? {};
    const isText = type === 'text' || type === 'email' || type === 'list';
    const cell = isText ? (cells[i] ?? '') : (cells[i] ?? '').trim();
    // An empty cell is how a record goes without an id, or without an optional field.
    if (cell === '' && (column === 'id' || optional)) continue;
    if (type === 'boolean') texts[column] = BOOLEANS[cell.toLowerCase()] ?? cell;
    // `7.0` and `7,00` are 7; with three zeros it may be a thousand.
    else if (type === 'integer') texts[column] = cell.replace(/^(\d+)[.,]0{1,2}$/, '$1');
    else if (type === 'date') {
      const reading = days.read(cell);
      if ('fault' in reading) return { at, kind, fault: { field: column, message: reading.fault } };
      texts[column] = reading.day;
    } else if (field?.kind === 'choice') texts[column] = choiceOf(field, cell);
    else if (raw) texts[column] = cell;
    else texts[column] = unmarked(cell);
  }
  return { at, kind, value: fromTexts(fields, texts) };
}

/**
 * Decodes UTF-8, with or without a byte order mark, piece by piece.
 * @throws SciaticaError `invalid` for another encoding, and for what is no text
 */
async function* decoded(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
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

/** The signatures of files that are no text, each with what to do instead. */
const signatures: readonly (readonly [string, string])[] = [
  ['PK\x03\x04', 'It is a workbook or a ZIP file. Save it as CSV UTF-8 and try again.'],
  [
    'SQLite format 3\0',
    'It is a database. Write its records to a file first: sciatica export --db FILE -o export.json',
  ],
  ['\x1f\x8b', 'It is compressed. Unpack it first: gunzip FILE'],
  ['age-encryption.org/', 'It is encrypted with age. Decrypt it first.'],
];

/** Refuses binary files, and UTF-16, which spreadsheets save unless they are asked for "CSV UTF-8". */
function refuseOtherFiles(start: Uint8Array): void {
  const head = Buffer.from(start.subarray(0, 32)).toString('latin1');
  for (const [signature, message] of signatures) if (head.startsWith(signature)) throw unreadable(message);
  const [a, b, c, d] = start;
  const utf16 = (a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff) || (a !== 0 && b === 0 && d === 0);
  if (utf16 || (a === 0 && b !== 0 && c === 0))
    throw unreadable('It is UTF-16. Save it as UTF-8 (in Excel: "CSV UTF-8") and try again.');
}

function newlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** Most characters that are read to find the end of the first line. */
const MAX_FIRST_LINE = 256 * 1024;

/** Reads up to the end of the first line. @returns the line, and all pieces, including those that were read */
async function withFirstLine(
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
