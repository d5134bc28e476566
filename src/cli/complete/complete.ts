import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { type Candidate, completionOf } from './candidates.ts';
import { forBash, wordsOf } from './shell-words.ts';

/**
 * Prints what the word at the cursor can become, for the scripts of `sciatica completion`: a line `files` or `words`,
 * then a line for each candidate, a tab between it and its description.
 * @param argv the shell, then what it knows: bash the line up to the cursor and COMP_WORDBREAKS, fish the line, zsh the
 *   words after `sciatica`, the last of them the one at the cursor
 */
export async function complete(context: Context, program: Command, argv: readonly string[]): Promise<void> {
  const [shell, ...said] = argv;
  const [line = '', breaks = ''] = shell === 'bash' ? said : [said.join('\n')];
  const typed = wordsOf(line);
  const words = shell === 'zsh' ? said.slice(said[0] === '--' ? 1 : 0) : argumentsOf(typed);
  const { files, candidates } = await completionOf(context, program, words.length > 0 ? words : ['']);
  const last = typed.at(-1);
  const shown = ({ value, description }: Candidate) => {
    if (shell !== 'bash' || !last) return [`${value}\t${description}`];
    const text = forBash(value, last, breaks);
    return text === undefined ? [] : [text];
  };
  const lines = [files ? 'files' : 'words', ...candidates.flatMap(shown)];
  context.stdout.write(`${lines.join('\n')}\n`);
}

/** The words after the command itself, before which variables can be set. */
function argumentsOf(typed: ReturnType<typeof wordsOf>): string[] {
  const texts = typed.map(({ text }) => text);
  return texts.slice(texts.findIndex((text) => !/^\w+=/.test(text)) + 1);
}
