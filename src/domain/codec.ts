import type { Field, Fields } from './fields.ts';

/** A value as a cell of SQLite holds it. */
export type Cell = string | number | null;

type Value = string | number | boolean;

/** How the values of a kind of field look outside a record. */
interface Codec {
  toCell(value: Value): string | number;
  fromCell(cell: string | number): Value;
  /** Parses a text; a malformed one is returned as it is, for the schema to refuse. */
  fromText(text: string): Value;
  /** For a person. */
  shown(value: Value): string;
}

const plain: Codec = {
  toCell: (value) => value as string | number,
  fromCell: (cell) => cell,
  fromText: (text) => text,
  shown: String,
};

const codecs: Readonly<Record<Field['kind'], Codec>> = {
  text: plain,
  email: plain,
  date: plain,
  choice: plain,
  integer: { ...plain, fromText: (text) => (/^-?\d+$/.test(text) ? Number(text) : text) },
  boolean: {
    toCell: Number,
    fromCell: (cell) => (cell === 1 ? true : cell === 0 ? false : cell),
    fromText: (text) => (text === 'true' ? true : text === 'false' ? false : text),
    shown: (value) => (value ? 'yes' : 'no'),
  },
};

/** The cell of a value; null (SQL NULL) for an absent one. */
export function toCell(field: Field | undefined, value: unknown): Cell {
  if (value === undefined || value === null) return null;
  return codecs[field?.kind ?? 'text'].toCell(value as Value);
}

/**
 * The record that the cells of its fields make, in the order of the fields.
 * @param cellOf gives the cell of a field; a field whose cell is NULL or undefined is left out
 */
export function fromCells(fields: Fields, cellOf: (name: string) => unknown): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (const name in fields) {
    const cell = cellOf(name);
    if (cell !== null && cell !== undefined)
      record[name] = codecs[fields[name]?.kind ?? 'text'].fromCell(cell as string | number);
  }
  return record;
}

/** A value as CSV and flags have it; an absent one is empty. */
export function toText(value: unknown): string {
  return value === undefined || value === null ? '' : String(value);
}

/** A value for a person; an absent one is empty. */
export function shown(field: Field, value: unknown): string {
  return value === undefined || value === null ? '' : codecs[field.kind].shown(value as Value);
}

/**
 * Parses texts (flags, query values, CSV cells) into the values of their fields. A malformed text is returned as it
 * is, so that the schema refuses it with the same message as everywhere else.
 */
export function fromTexts(fields: Fields, texts: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, codecs[fields[name]?.kind ?? 'text'].fromText(text)]),
  );
}
