import { readFileSync, writeFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { Option } from 'commander';
import type { Context } from '../../context.ts';
import { unusable } from '../../domain/errors.ts';
import { temporaryBeside } from '../../lib/files.ts';
import { usage } from '../terminal/errors.ts';
import type { Options } from './options.ts';

/** `--edit`. For `--notes -`, the flag of the field is enough. */
export const notesOption = () =>
  new Option('--edit', 'write the notes in your editor ($VISUAL, else $EDITOR); --notes - reads stdin');

/**
 * The options, with the notes read from stdin (`--notes -`) or from an editor (`--edit`).
 * @param current the text with which the editor opens, unless `--notes` gives one
 * @throws SciaticaError `invalid`, `unusable` if the editor fails
 */
export async function withNotes(context: Context, options: Options, current = ''): Promise<Options> {
  const { edit, ...others } = options;
  if (edit && options['notes'] === '-') throw usage('--notes - and --edit cannot both be given.');
  if (edit) return { ...others, notes: await edited(context, String(options['notes'] ?? current)) };
  return options['notes'] === '-' ? { ...others, notes: await fromStdin(context) } : options;
}

async function fromStdin(context: Context): Promise<string> {
  const { openInput } = await import('./input-file.ts');
  const { bytes } = await openInput(context, '-');
  return withoutLastBreak(decoded(await buffer(bytes)));
}

/** Lets the user edit a text. The temporary file is in the database's folder, and only its owner can read it (0600). */
async function edited(context: Context, text: string): Promise<string> {
  if (!context.interactive) throw usage('--edit needs a terminal. In a script: --notes TEXT, or --notes -');
  const { spawnSync } = await import('node:child_process');
  const file = temporaryBeside(context.store.path);
  try {
    writeFileSync(file.path, text && `${text}\n`, { mode: 0o600 });
    const editor = context.env['VISUAL'] || context.env['EDITOR'] || 'vi';
    // As in git: the variable is a command line, and the file is one more argument.
    const { status } = spawnSync('sh', ['-c', `${editor} "$@"`, editor, file.path], { stdio: 'inherit' });
    if (status !== 0) throw unusable(`The editor (${editor}) failed: nothing was recorded.`);
    return withoutLastBreak(decoded(readFileSync(file.path)));
  } finally {
    file.remove();
  }
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw usage('The notes are not valid UTF-8 text.');
  }
}

const withoutLastBreak = (text: string) => text.replace(/\r?\n$/, '');
