import { extname } from 'node:path';
import { type Issue, invalid, SciaticaError } from '../domain/errors.ts';
import { type KindName, kindNames, kindOf, ownedKindNames, withArticle } from '../domain/kinds.ts';
import { type FileOrigin, ORIGIN_EXPECTED, originOf } from '../domain/origin.ts';
import { isObject } from '../lib/strict-json.ts';

/** The formats of files of records. */
export const formats = ['json', 'ndjson', 'csv'] as const;
export type Format = (typeof formats)[number];

const extensions: Readonly<Record<string, Format>> = {
  '.json': 'json',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.csv': 'csv',
  '.tsv': 'csv',
};

/** The format that the extension of a file name says; undefined for any other. */
export function formatOfName(path: string): Format | undefined {
  return extensions[extname(path).toLowerCase()];
}

/** Whether a FHIR bundle has the records of a kind: what was done and felt and, of plans, only trials. */
export const inFhir: Readonly<Record<KindName, boolean>> = {
  user: true,
  log: true,
  routine: false,
  goal: false,
  painEntry: true,
  trial: true,
  trialDay: true,
};

/** What a file has at one place, a line or an index: a record, not yet checked; or states of some, as JSON; or a fault. */
export type Item =
  | { at: number; kind: KindName; value: unknown; fault?: never; line?: never }
  | { at: number; kind?: never; value?: never; line: string; fault?: never }
  | { at: number; kind?: KindName; fault: Omit<Issue, 'at'>; line?: never };

/** The items of a file, a batch at a time. `where` formats a place for a message. */
export interface Reading {
  batches: AsyncIterable<Item[]>;
  where(at: number, kind?: KindName): string;
  /** The origin of the records, once all batches are read; undefined if the file has none. */
  origin?(): FileOrigin | undefined;
  /** The seal of the states of the records, once all batches are read; undefined if the file has no states. */
  seal?(): Sealed | undefined;
}

/** The seal of the states in a file. `isEdited`: the digest differs, so the states may not be those of the records any more. */
export type Sealed = { seal: object; isEdited: false } | { isEdited: true };

/** Longest accepted record, in characters: longer than any valid record with each character escaped. */
export const MAX_RECORD = 1024 * 1024;

/** The members of a JSON document beside the lists of records. */
export const ORIGIN = 'origin';
export const STATES = 'states';
export const SEAL = 'seal';
/** In files of older versions; skipped. */
export const LAST_CHANGES = 'lastChanges';

/** The key of the list of a kind in a JSON document: its path in the API, without the slash. */
export const listKeyOf = (kind: KindName): string => kindOf(kind).path.slice(1);

/** The kind of the list with a key in a JSON document. */
export const kindOfList = (key: string): KindName | undefined =>
  kindNames.find((kind) => listKeyOf(kind) === key);

/** The order in which kinds are tried. Those with `userId` as a sign come later, since records of other kinds have it too. */
const bySign: readonly KindName[] = [
  ...ownedKindNames.filter((kind) => !kindOf(kind).sign.includes('userId')),
  ...ownedKindNames.filter((kind) => kindOf(kind).sign.includes('userId')),
  'user',
];

/** The kind of record that a value is by the fields that only one of them has: `exercises` makes a routine. */
export function kindOfValue(value: unknown): KindName | undefined {
  if (!isObject(value)) return undefined;
  return bySign.find((kind) => kindOf(kind).sign.some((field) => Object.hasOwn(value, field)));
}

/** `a user has firstName and email, a log userId and exerciseName` */
const signs = (): string =>
  kindNames
    .map((kind, i) => {
      const { sign, words } = kindOf(kind);
      return `${withArticle(words.one)} ${i === 0 ? 'has ' : ''}${sign.join(' and ')}`;
    })
    .join(', ');

/** The item for a value whose kind its fields tell; a fault if they tell none. */
export function itemOf(at: number, value: unknown): Item {
  const kind = kindOfValue(value);
  if (kind) return { at, kind, value };
  const message = isObject(value) ? `is no record of sciatica: ${signs()}` : 'must be a JSON object';
  return { at, fault: { field: '', message } };
}

/** Whether a line of NDJSON is not a record, but holds this one key: `{"origin":{…}}`. */
export function isLineOf<Key extends string>(key: Key, value: unknown): value is Record<Key, unknown> {
  return isObject(value) && Object.keys(value).join() === key;
}

/** The origin that a value describes. @throws SciaticaError `invalid` for a value that is no origin */
export function requiredOrigin(value: unknown): FileOrigin {
  const origin = originOf(value);
  if (!origin) throw invalid([{ field: ORIGIN, message: ORIGIN_EXPECTED }]);
  return origin;
}

/** The error for a file that cannot be read as what it should be. */
export function unreadable(message: string): SciaticaError {
  return new SciaticaError('invalid', message);
}
