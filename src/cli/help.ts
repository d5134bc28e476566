import { type Argument, type Command, Help, type Option } from 'commander';

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const standard = new Help();

function termOf(argument: Argument): string {
  const word = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${word}>` : `[${word}]`;
}

/** How every help looks: global options shown, sentences that begin with a capital. */
export const helpStyle = {
  showGlobalOptions: true,
  minWidthToWrap: 20,
  // As in the usage: <file> must be given, [file] may be.
  subcommandTerm: (command: Command) =>
    [command.name(), ...command.registeredArguments.map(termOf)].join(' '),
  subcommandDescription: (command: Command) => capital(standard.subcommandDescription(command)),
  argumentDescription: (argument: Argument) => capital(standard.argumentDescription(argument)),
  // That a flag which may be repeated begins with an empty list is nothing to tell.
  optionDescription: (option: Option) =>
    capital(standard.optionDescription(option)).replace(' (default: [])', ''),
};

/** Examples, as they stand at the end of a command's help. */
export function examples(...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`;
}
