import { hash } from 'node:crypto';
import { invalid, issue } from '../../domain/errors.ts';
import { isObject } from '../../lib/strict-json.ts';
import { decodedTag } from '../wire/encoding.ts';
import { type HttpHeaders, type HttpRequest, type HttpResponse, json } from '../wire/message.ts';
import { Problem } from '../wire/problem.ts';
import { yesParameter } from './parameter.ts';

/** A strong entity tag of a body (RFC 9110, 8.8.3). */
export function etagOf(body: string): string {
  return `"${hash('sha1', body, 'base64')}"`;
}

/** Adds a last member `etag` to a record, given as JSON: the entity tag that the record has when it is read alone. */
export const withTag = (json: string): string =>
  `${json.slice(0, -1)},"etag":${JSON.stringify(etagOf(json))}}`;

/** The query parameter that asks for records with their entity tags. */
export const etagsParameter = {
  etags: yesParameter('Whether each record comes with its ETag as etag, for a change that is made offline'),
};

/** A response with a body and its entity tag; 304 when If-None-Match names it (weak comparison, RFC 9110, 13.1.2). */
export function tagged(
  request: HttpRequest,
  body: string,
  headers?: HttpHeaders,
  etag = etagOf(body),
): HttpResponse {
  const condition = request.headers['if-none-match'];
  const named = condition === undefined ? undefined : namedTag(condition, etag, true);
  if (named !== undefined) return { status: 304, headers: { ...headers, etag: named } };
  const response = json(200, body, headers);
  response.headers['etag'] = etag;
  return response;
}

/**
 * The headers of a write. Without If-Match, the `etag` in the body of a record that was read with `etags=true` counts as one, so
 * that a client can send back what it got, and overwrites no change that it has not seen (as https://google.aip.dev/154).
 * @throws SciaticaError `invalid` for an `etag` that is no text
 */
export function withSentTag(headers: HttpRequest['headers'], sent: unknown): HttpRequest['headers'] {
  const etag = isObject(sent) ? sent['etag'] : undefined;
  if (etag === undefined || headers['if-match'] !== undefined) return headers;
  if (typeof etag !== 'string') throw invalid([issue('etag', 'must be an entity tag', 'wrong-type')]);
  return { ...headers, 'if-match': etag };
}

/**
 * A guard for a write: throws Problem 412 for a record that the conditional headers exclude (If-Match by strong comparison,
 * RFC 9110, 13.1.1; If-None-Match, 13.1.2). Undefined without such headers.
 */
export function precondition(headers: HttpRequest['headers']): ((body: string) => void) | undefined {
  const match = headers['if-match'];
  const noneMatch = headers['if-none-match'];
  if (match === undefined && noneMatch === undefined) return undefined;
  return (body) => {
    const etag = etagOf(body);
    const stale = match !== undefined && !names(match, etag, false);
    if (stale || (noneMatch !== undefined && names(noneMatch, etag, true)))
      throw new Problem(
        412,
        'The record is not the one the condition names: current has it as it is.',
        { etag },
        'record-changed',
        { current: JSON.parse(body) as unknown },
      );
  };
}

const names = (condition: string, etag: string, weakly: boolean) =>
  namedTag(condition, etag, weakly) !== undefined;

/** The tag in a condition that equals `etag`, in any content coding; `etag` itself for `*`; undefined if there is none. */
function namedTag(condition: string, etag: string, weakly: boolean): string | undefined {
  if (condition.trim() === '*') return etag;
  const tags = condition.match(/(?:W\/)?"[^"]*"/g) ?? [];
  return tags
    .filter((tag) => weakly || !tag.startsWith('W/'))
    .map((tag) => tag.replace(/^W\//, ''))
    .find((tag) => decodedTag(tag) === etag);
}
