import { open } from 'node:fs/promises';
import type { Context } from '../../context.ts';
import { SciaticaError } from '../../domain/errors.ts';
import { usage } from '../errors.ts';
import { escapeControls } from '../output/io.ts';

const PIECE = 256 * 1024;

/** What a command reads from: a file or stdin. */
export interface InputFile {
  /** How messages call it. */
  name: string;
  /** Its length, if it has one. */
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
    throw explained(error, path);
  }
}

/** A disk can fail half way. */
async function* readable(path: string, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (error) {
    throw explained(error, path);
  }
}

function explained(error: unknown, path: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof SciaticaError || typeof code !== 'string') return error;
  const name = escapeControls(path);
  const why =
    code === 'ENOENT' || code === 'ENOTDIR'
      ? `There is no file ${name}.`
      : code === 'EACCES' || code === 'EPERM'
        ? `${name} cannot be read: no permission.`
        : `${name} cannot be read (${code}).`;
  return new SciaticaError('unusable', why, [], { cause: error });
}
