import { parseJson } from '../../exchange/json.ts';
import { Problem } from '../problem.ts';
import { type HttpRequest, MAX_BATCH_BYTES, MAX_BODY_BYTES } from '../wire/message.ts';
import { tooLarge } from '../wire/request.ts';

/**
 * Reads the body of a request as JSON.
 * @param most bytes that it may have, `MAX_BODY_BYTES` unless given
 * @throws Problem 415 unless it is plain application/json, 413 when too large; SciaticaError `invalid`
 */
export async function readJson(request: HttpRequest, most = MAX_BODY_BYTES): Promise<unknown> {
  requireJson(request.headers);
  return parseJson(decodeUtf8(await request.readBody(most)));
}

/** As `readJson`, with the text of the body; undefined where there is none. */
export async function readJsonIfAny(
  request: HttpRequest,
): Promise<{ text: string; value: unknown } | undefined> {
  const bytes = await request.readBody(MAX_BODY_BYTES);
  if (bytes.length === 0) return undefined;
  requireJson(request.headers);
  const text = decodeUtf8(bytes);
  return { text, value: parseJson(text) };
}

/**
 * As `readJson`, with the text of the body, which may have `MAX_BATCH_BYTES`.
 * @param isOne whether the value is a single record, which may have `MAX_BODY_BYTES` only
 */
export async function readJsonText(
  request: HttpRequest,
  isOne: (value: unknown) => boolean,
): Promise<{ text: string; value: unknown }> {
  requireJson(request.headers);
  const bytes = await request.readBody(MAX_BATCH_BYTES);
  const text = decodeUtf8(bytes);
  const isLarge = bytes.length > MAX_BODY_BYTES;
  const value = parseJson(text);
  if (isLarge && isOne(value)) throw tooLarge(MAX_BODY_BYTES);
  return { text, value };
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
  if ((headers['content-encoding'] ?? 'identity') !== 'identity')
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
