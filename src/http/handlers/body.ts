import { parseJson } from '../../exchange/json.ts';
import { Problem } from '../problem.ts';
import type { HttpRequest } from '../wire/message.ts';

/**
 * Reads the body of a request as JSON.
 * @throws Problem 415 unless it is plain application/json, 413 when too large; SciaticaError `invalid`
 */
export async function readJson(request: HttpRequest): Promise<unknown> {
  return (await readJsonText(request)).value;
}

/** As `readJson`, with the text of the body. */
export async function readJsonText(request: HttpRequest): Promise<{ text: string; value: unknown }> {
  requireJson(request.headers);
  const text = decodeUtf8(await request.readBody());
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
