import { open } from 'node:fs/promises';
import type { Context } from '../../context.ts';
import { SciaticaError } from '../../domain/errors.ts';
import { fileError, usage } from '../errors.ts';
import { escapeControls } from '../output/io.ts';

const PIECE = 256 * 1024;

/** An input: a file or stdin. */
export interface InputFile {
  /** Its name in messages. */
  name: string;
  /** In bytes; undefined for a stream. */
  size: number | undefined;
  bytes: AsyncIterable<Uint8Array>;
}

/**
 * Opens a file for reading; `-` is stdin.
 * @throws SciaticaError `unusable` for a file that cannot be read, `invalid` if stdin is a terminal
 */
export async function openInput(context: Context, path: string): Promise<InputFile> {
  if (path === '-') {
    if (context.stdin.isTTY) throw usage('Nothing comes in on stdin: name a file, or pipe one in.');
    return { name: 'stdin', size: undefined, bytes: context.stdin };
  }
  try {
    const file = await open(path);
    const stat = await file.stat();
    if (stat.isDirectory()) {
      await file.close();
      throw new SciaticaError('unusable', `${escapeControls(path)} is a folder, not a file.`);
    }
    return {
      name: escapeControls(path),
      size: stat.isFile() ? stat.size : undefined,
      bytes: readable(path, file.createReadStream({ highWaterMark: PIECE })),
    };
  } catch (error) {
    throw readError(error, path);
  }
}

/** Passes the bytes on; errors while reading are explained as those of opening are. */
async function* readable(path: string, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (error) {
    throw readError(error, path);
  }
}

function readError(error: unknown, path: string): unknown {
  const name = escapeControls(path);
  return fileError(error, (errno) => {
    if (errno === 'ENOENT' || errno === 'ENOTDIR') return ['unusable', `There is no file ${name}.`];
    const why = errno === 'EACCES' || errno === 'EPERM' ? ': no permission' : ` (${errno})`;
    return ['unusable', `${name} cannot be read${why}.`];
  });
}
