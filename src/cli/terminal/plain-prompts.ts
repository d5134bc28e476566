import { choiceMeant } from '../../domain/words/choice.ts';

/**
 * Prompts for a terminal that cannot move its cursor (`TERM=dumb`): they write a line and read a line, which the
 * terminal itself edits. They implement the part of Inquirer's interface that is used here.
 */

export interface Streams {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
  signal: AbortSignal;
}

interface InputConfig {
  message: string;
  default?: string;
  /** Returns true, or a message that says what is wrong. */
  validate?: (text: string) => boolean | string | Promise<boolean | string>;
  /** Ignored here: only Inquirer styles the question. */
  theme?: { style: { message(text: string, status: string): string } };
}

interface Choice<T> {
  value: T;
  name: string;
  description?: string;
}

/** The answer that stands for the empty text, because Enter alone stands for the default. */
const NOTHING = '-';

/** Asks for a line of text until it is valid. */
export async function input(
  { message, default: usual, validate = () => true }: InputConfig,
  streams: Streams,
): Promise<string> {
  const mayBeEmpty = usual !== undefined && usual !== '' && (await validate('')) === true;
  const nothing = mayBeEmpty ? `, ${NOTHING}: nothing` : '';
  const hint = usual === undefined || usual === '' ? '' : ` [Enter: ${usual}${nothing}]`;
  for (;;) {
    const line = await readLine(`${message}${hint}: `, streams);
    const answer = line === '' ? (usual ?? '') : mayBeEmpty && line === NOTHING ? '' : line;
    const verdict = await validate(answer);
    if (verdict === true) return answer;
    streams.output.write(`${verdict || 'This cannot be.'}\n`);
  }
}

/** Asks a yes-or-no question. */
export async function confirm(
  { message, default: usual = true }: { message: string; default?: boolean },
  streams: Streams,
): Promise<boolean> {
  for (;;) {
    const answer = (await readLine(`${message} (${usual ? 'Y/n' : 'y/N'}) `, streams)).toLowerCase();
    if (answer === '') return usual;
    if (answer !== '' && 'yes'.startsWith(answer)) return true;
    if ('no'.startsWith(answer)) return false;
    streams.output.write('y or n.\n');
  }
}

/** Asks for one of several choices, by its number, or by its value or the beginning of it, as flags accept it. */
export async function select<T>(
  {
    message,
    choices,
    default: usual,
  }: { message: string; choices: readonly Choice<T>[]; default?: NoInfer<T> },
  streams: Streams,
): Promise<T> {
  const first = Math.max(
    0,
    choices.findIndex(({ value }) => value === usual),
  );
  const words = choices.map(({ value }) => String(value));
  for (;;) {
    const answer = await readLine(`${message}\n${listed(choices)}Number [Enter: ${first + 1}]: `, streams);
    const word = /\d/.test(answer) ? undefined : choiceMeant(answer, words);
    const choice = choices[answer === '' ? first : word ? words.indexOf(word) : Number(answer) - 1];
    if (choice) return choice.value;
    streams.output.write(`A number from 1 to ${choices.length}.\n`);
  }
}

interface SearchConfig<T> {
  message: string;
  /** Returns the choices that match a text; all choices if it is undefined. */
  source: (term: string | undefined) => readonly Choice<T>[];
  validate?: (value: T) => boolean | string | Promise<boolean | string>;
}

/** Asks for a known choice, by its number or a part of its name, or for a new one. */
export async function search<T>(
  { message, source, validate = () => true }: SearchConfig<T>,
  streams: Streams,
): Promise<T> {
  let choices = source(undefined);
  for (;;) {
    const answer = await readLine(`${message}\n${listed(choices)}Number or name [Enter: 1]: `, streams);
    const isNumber = /^\d+$/.test(answer);
    const found = answer === '' || isNumber ? [choices[Number(answer || 1) - 1]] : source(answer);
    const [choice, ...others] = found;
    const verdict = choice === undefined ? 'There is none of that number.' : await validate(choice.value);
    if (choice && verdict === true && others.length === 0) return choice.value;
    if (verdict !== true) streams.output.write(`${verdict || 'This cannot be.'}\n`);
    else choices = source(answer);
  }
}

const listed = (choices: readonly Choice<unknown>[]): string =>
  choices
    .map(({ name, description }, i) => `${i + 1}) ${name}${description ? ` (${description})` : ''}\n`)
    .join('');

/** @throws an error named AbortError when the user interrupts the prompt, or the input ends */
function readLine(question: string, { input, output, signal }: Streams): Promise<string> {
  output.write(question);
  return new Promise<string>((resolve, reject) => {
    let line = '';
    const take = (chunk: Buffer | string) => {
      line += chunk.toString();
      if (!/[\r\n]/.test(line)) return;
      stop();
      resolve(line.trim());
    };
    const leave = () => {
      stop();
      output.write('\n');
      reject(Object.assign(new Error('The prompt was left.'), { name: 'AbortError' }));
    };
    const stop = () => {
      input.off('data', take).off('end', leave);
      signal.removeEventListener('abort', leave);
    };
    if (!input.readable || signal.aborted) return leave();
    input.on('data', take).once('end', leave);
    signal.addEventListener('abort', leave, { once: true });
  });
}
