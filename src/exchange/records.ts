import { extname } from 'node:path';
import { type Issue, invalid, SciaticaError } from '../domain/errors.ts';
import { type KindName, kindNames, kindOf, ownedKindNames, withArticle } from '../domain/kinds.ts';
import { type FileOrigin, ORIGIN_EXPECTED, originOf } from '../domain/origin.ts';
import { isObject } from '../lib/strict-json.ts';

/** How records are laid out in a file. */
export const formats = ['json', 'ndjson', 'csv'] as const;
export type Format = (typeof formats)[number];

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

/** Whether a Bundle of FHIR has the records of a kind: what was done and felt, and no plans but trials. */
export const inFhir: Readonly<Record<KindName, boolean>> = {
  user: true,
  log: true,
  routine: false,
  goal: false,
  painEntry: true,
  trial: true,
  trialDay: true,
};

/** What stands at one place of a file: a record, not yet checked, or what keeps it from being one; or states of some, as JSON. */
export type Item =
  | { at: number; kind: KindName; value: unknown; fault?: never; line?: never }
  | { at: number; kind?: never; value?: never; line: string; fault?: never }
  | { at: number; kind?: KindName; fault: Omit<Issue, 'at'>; line?: never };

/** The records of a file, a batch at a time, and how one of its places is called. */
export interface Reading {
  batches: AsyncIterable<Item[]>;
  where(at: number, kind?: KindName): string;
  /** What the file says of the database that it is from, once all batches are read; nothing if it says nothing. */
  origin?(): FileOrigin | undefined;
  /** Once all batches are read: what is true of the states of its records; nothing if it has none. */
  seal?(): Sealed | undefined;
}

/** The states in a file. `isEdited`: something in it was changed since, so that they are not those of its records. */
export type Sealed = { seal: object; isEdited: false } | { isEdited: true };

/** In characters: longer than any record can be, with every one escaped. */
export const MAX_RECORD = 1024 * 1024;

/** The members of a JSON document beside the lists of records. */
export const ORIGIN = 'origin';
export const STATES = 'states';
export const SEAL = 'seal';
/** In files of older versions: read over. */
export const LAST_CHANGES = 'lastChanges';

/** The key of the list of a kind in a JSON document: what the interface calls it. */
export const listKeyOf = (kind: KindName): string => kindOf(kind).path.slice(1);

/** The kind of the list with a key in a JSON document. */
export const kindOfList = (key: string): KindName | undefined =>
  kindNames.find((kind) => listKeyOf(kind) === key);

/** Kinds are told apart in this order: other records of users have a `userId` too. */
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

/** A value that is a record by its own fields. */
export function itemOf(at: number, value: unknown): Item {
  const kind = kindOfValue(value);
  if (kind) return { at, kind, value };
  const message = isObject(value) ? `is no record of sciatica: ${signs()}` : 'must be a JSON object';
  return { at, fault: { field: '', message } };
}

/** Whether a line of NDJSON says something beside the records: `{"origin":{…}}`. */
export function isLineOf<Key extends string>(key: Key, value: unknown): value is Record<Key, unknown> {
  return isObject(value) && Object.keys(value).join() === key;
}

/** @throws SciaticaError `invalid` for what is no origin */
export function requiredOrigin(value: unknown): FileOrigin {
  const origin = originOf(value);
  if (!origin) throw invalid([{ field: ORIGIN, message: ORIGIN_EXPECTED }]);
  return origin;
}

/** A file that cannot be read as what it should be. */
export function unreadable(message: string): SciaticaError {
  return new SciaticaError('invalid', message);
}
