import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import { weightsOf } from './accept.ts';
import type { Chunks, Encoding, HttpResponse } from './message.ts';

/** Shorter bodies fit into a packet or two: compressing them costs more than it saves. */
const LEAST_CHARACTERS = 1024;

/** Brotli at quality 4 takes the time of gzip at 6 and compresses better; its default, 11, takes fifty times as long. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

/** Whether a response is compressed for a caller that accepts it. */
export function isCompressible({ body, headers, charset }: HttpResponse): boolean {
  if (charset) return false;
  if (typeof body === 'string') return body.length > LEAST_CHARACTERS;
  return body !== undefined && headers['content-type'] !== 'text/event-stream';
}

/** The content coding with the highest weight in Accept-Encoding (RFC 9110, 12.5.3); undefined for none. */
export function preferredEncoding(accept: string | undefined): Encoding | undefined {
  if (accept === undefined) return undefined;
  const weights = weightsOf(accept);
  const weightOf = (encoding: Encoding) => weights.get(encoding) ?? weights.get('*') ?? 0;
  const best = weightOf('br') >= weightOf('gzip') ? 'br' : 'gzip';
  return weightOf(best) > 0 && weightOf(best) >= (weights.get('identity') ?? 0) ? best : undefined;
}

/** The entity tag of a body in a content coding: each coding has its own (RFC 9110, 8.8.3.3). */
export const encodedTag = (etag: string, encoding: Encoding): string => `${etag.slice(0, -1)}-${encoding}"`;

/** The entity tag without the coding that `encodedTag` added. */
export const decodedTag = (etag: string): string => etag.replace(/-(?:br|gzip)"$/, '"');

const compressors = { br: promisify(brotliCompress), gzip: promisify(gzip) };

export function compressWhole(body: string, encoding: Encoding): Promise<Buffer> {
  return encoding === 'br' ? compressors.br(body, BROTLI) : compressors.gzip(body);
}

/** Compresses a streamed body at the speed at which it is read. */
export async function* compressChunks(chunks: Chunks, encoding: Encoding): AsyncGenerator<{ text: Buffer }> {
  const compressor = encoding === 'br' ? createBrotliCompress(BROTLI) : createGzip();
  // Errors surface in the loop below; leaving the loop early ends the chunks too.
  const compressed = pipeline(Readable.from(textsOf(chunks)), compressor, () => {});
  for await (const part of compressed) yield { text: part as Buffer };
}

async function* textsOf(chunks: Chunks): AsyncGenerator<string> {
  for await (const { text } of chunks) yield text;
}
