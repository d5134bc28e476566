import { readFileSync, rmSync, statSync } from 'node:fs';
import type { Context } from '../../context.ts';
import { writeWhole } from '../../lib/files.ts';
import { fileError, usage } from '../terminal/errors.ts';
import { escapeControls, say } from '../terminal/io.ts';

/** Tokens of services and keys of folders, in files: they are in no command line, backup or export. */

/**
 * Reads the token in a file.
 * @throws SciaticaError `unusable` for a file that cannot be read, `invalid` for one that holds no token
 */
export function readToken(context: Context, file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
    if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0)
      say(
        context,
        `Others on this computer may read ${escapeControls(file)}: chmod 600 ${escapeControls(file)}`,
      );
  } catch (error) {
    throw fileError(error, (errno) => ['unusable', `The token cannot be read from ${file} (${errno}).`]);
  }
  return checkToken(text, file);
}

/** Checks that a text is 8 to 500 printable ASCII characters. @param from its source @throws SciaticaError `invalid` */
export function checkToken(text: string, from: string): string {
  if (!/^[\x21-\x7e]{8,500}$/.test(text))
    throw usage(`${from} holds no token: it is one word, as sciatica token add prints it.`);
  return text;
}

/** The path of the file, beside the database, with the token of a remote. */
const fileOf = (context: Context, remote: string) => `${context.databasePath}.token-${remote}`;

/** Stores the token of a remote in a file that only its owner can read. */
export function keepToken(context: Context, remote: string, token: string): void {
  writeWhole(fileOf(context, remote), `${token}\n`);
}

/** The stored token of a remote; undefined if its file is missing or empty. */
export function keptToken(context: Context, remote: string): string | undefined {
  const file = fileOf(context, remote);
  return statSync(file, { throwIfNoEntry: false })?.size ? readToken(context, file) : undefined;
}

export function forgetToken(context: Context, remote: string): void {
  rmSync(fileOf(context, remote), { force: true });
}
