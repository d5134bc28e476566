import { check, objectOf } from '../../domain/schema.ts';
import { parseJson } from '../../exchange/json.ts';
import { type HttpRequest, MAX_BATCH_BYTES, MAX_BODY_BYTES } from '../wire/message.ts';
import { Problem } from '../wire/problem.ts';
import { tooLarge } from '../wire/request.ts';

/** The body of a request: its text, and the JSON value parsed from it. */
export interface Body {
  text: string;
  value: unknown;
}

/**
 * Reads the body of a request as JSON.
 * @param most largest accepted body, in bytes
 * @throws Problem 415 unless it is uncompressed application/json in UTF-8, 413 if it is larger, 400 if it is not valid UTF-8;
 *   SciaticaError `invalid` if it is not JSON
 */
export async function readJson(request: HttpRequest, most = MAX_BODY_BYTES): Promise<Body> {
  requireJson(request.headers);
  return parsed(await request.readBody(most));
}

/** As `readJson`, for an optional body: without one, undefined, after the check of `requireOwnHeader`. */
export async function readJsonIfAny(request: HttpRequest): Promise<Body | undefined> {
  const bytes = await request.readBody(MAX_BODY_BYTES);
  if (bytes.length === 0) {
    requireOwnHeader(request);
    return undefined;
  }
  requireJson(request.headers);
  return parsed(bytes);
}

/** Reads the body of a write that takes none: it must be empty, or an object without fields. @throws as `readJson` */
export async function readNothing(request: HttpRequest): Promise<void> {
  const bytes = await request.readBody(MAX_BODY_BYTES);
  if (bytes.length === 0) return;
  requireJson(request.headers);
  check(objectOf({}), parsed(bytes).value);
}

/**
 * Requires, of a write without a body, a header that an HTML form of another site cannot send: Content-Type: application/json,
 * or an Idempotency-Key (https://fetch.spec.whatwg.org/#cors-safelisted-request-header).
 * @throws Problem 415
 */
export function requireOwnHeader({ headers }: HttpRequest): void {
  if (headers['idempotency-key'] === undefined) requireJson(headers);
}

/** As `readJson`, for one record, or for an array of records, which may have `MAX_BATCH_BYTES`. */
export async function readOneOrMany(request: HttpRequest): Promise<Body> {
  requireJson(request.headers);
  const bytes = await request.readBody(MAX_BATCH_BYTES);
  const body = parsed(bytes);
  if (bytes.length > MAX_BODY_BYTES && !Array.isArray(body.value)) throw tooLarge(MAX_BODY_BYTES);
  return body;
}

function parsed(bytes: Uint8Array): Body {
  const text = decodeUtf8(bytes);
  return { text, value: parseJson(text) };
}

function requireJson(headers: HttpRequest['headers']): void {
  const [type, ...parameters] = (headers['content-type'] ?? '')
    .split(';')
    .map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  if (type !== 'application/json' || (charset !== undefined && charset.replaceAll('"', '') !== 'utf-8'))
    throw new Problem(415, 'Send the body as JSON in UTF-8, with the header Content-Type: application/json.');
  if ((headers['transfer-encoding'] ?? 'chunked').trim().toLowerCase() !== 'chunked')
    throw new Problem(400, 'Send the body with no transfer coding but chunked.');
  if ((headers['content-encoding'] ?? 'identity').trim().toLowerCase() !== 'identity')
    throw new Problem(415, 'Send the body uncompressed, without Content-Encoding.', {
      'accept-encoding': 'identity',
    });
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Problem(400, 'The body is not valid UTF-8.');
  }
}
