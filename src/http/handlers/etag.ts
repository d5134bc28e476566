import { hash } from 'node:crypto';
import { SciaticaError } from '../../domain/errors.ts';
import type { Store } from '../../store/store.ts';
import type { HttpRequest } from '../wire/message.ts';

/** A strong entity tag of a body (RFC 9110, 8.8.3). */
export function etagOf(body: string): string {
  return `"${hash('sha1', body, 'base64')}"`;
}

/** The tags of lists, by what was asked, as long as no record changes: hashing a list takes a tenth of its request. */
const listTags = new WeakMap<Store, { revision: number; tags: Map<string, string> }>();

const MOST_TAGS = 100;
const LONGEST_ASKED = 200;

/**
 * As `etagOf`, for a list.
 * @param asked what it follows from, besides the records
 * @param revision of the records that it was read from
 */
export function etagOfList(body: string, store: Store, asked: string, revision: number): string {
  if (asked.length > LONGEST_ASKED) return etagOf(body);
  let known = listTags.get(store);
  if (known?.revision !== revision || known.tags.size >= MOST_TAGS) {
    known = { revision, tags: new Map() };
    listTags.set(store, known);
  }
  const tag = known.tags.get(asked) ?? etagOf(body);
  known.tags.set(asked, tag);
  return tag;
}

/** Whether If-None-Match says that the caller has this body already (weak comparison, RFC 9110, 13.1.2). */
export function isKnown(headers: HttpRequest['headers'], etag: string): boolean {
  const condition = headers['if-none-match'];
  return condition !== undefined && names(condition, etag, true);
}

/**
 * A guard for a write: refuses it when the record is not, or no longer, the one that the caller means
 * (If-Match by strong comparison, RFC 9110, 13.1.1; If-None-Match, 13.1.2).
 */
export function precondition(headers: HttpRequest['headers']): ((body: string) => void) | undefined {
  const match = headers['if-match'];
  const noneMatch = headers['if-none-match'];
  if (match === undefined && noneMatch === undefined) return undefined;
  return (body) => {
    const etag = etagOf(body);
    const stale = match !== undefined && !names(match, etag, false);
    if (stale || (noneMatch !== undefined && names(noneMatch, etag, true)))
      throw new SciaticaError('stale', 'The record is not the one the condition names. Read it again first.');
  };
}

function names(condition: string, etag: string, weakly: boolean): boolean {
  if (condition.trim() === '*') return true;
  const tags = condition.match(/(?:W\/)?"[^"]*"/g) ?? [];
  return tags.some((tag) => tag === etag || (weakly && tag === `W/${etag}`));
}
