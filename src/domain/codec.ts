import { kindOfField, type Value } from './field-kinds.ts';
import type { Field, Fields } from './fields.ts';

/** The value of a cell in SQLite. */
export type Cell = string | number | null;

/** The cell of a value; null (SQL NULL) for an absent one. */
export function toCell(field: Field | undefined, value: unknown): Cell {
  if (value === undefined || value === null) return null;
  return kindOfField(field).toCell(value as Value);
}

/**
 * Builds a record from the cells of its fields, in the order of the fields.
 * @param cellOf returns the cell of a field; a field whose cell is NULL or undefined is left out
 */
export function fromCells(fields: Fields, cellOf: (name: string) => unknown): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (const name in fields) {
    const cell = cellOf(name);
    if (cell !== null && cell !== undefined)
      record[name] = kindOfField(fields[name]).fromCell(cell as string | number);
  }
  return record;
}

/** A value in the form of CSV cells and flags; the empty text for an absent one. */
export function toText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** A value formatted for a person; the empty text for an absent one. */
export function shown(field: Field, value: unknown): string {
  return value === undefined || value === null ? '' : kindOfField(field).shown(value as Value);
}

/**
 * Parses texts (flags, query values, CSV cells) into the values of their fields. A malformed text is returned as it
 * is, so that the schema refuses it with the same message as everywhere else.
 */
export function fromTexts(fields: Fields, texts: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, kindOfField(fields[name]).fromText(text)]),
  );
}
