import { type Argument, type Command, Help, type Option } from 'commander';

export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const standard = new Help();

function termOf(argument: Argument): string {
  const word = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${word}>` : `[${word}]`;
}

const rootOf = (command: Command): Command => (command.parent ? rootOf(command.parent) : command);

/** Formatting of all help texts: global options are listed, and descriptions begin with a capital letter. */
export const helpStyle = {
  // Of the root command only: options of a group (`audit`) do not apply to its subcommands (`audit prune`).
  visibleGlobalOptions: (command: Command) => (command.parent ? [...rootOf(command).options] : []),
  minWidthToWrap: 20,
  // As in the usage line: <file> is required, [file] optional.
  subcommandTerm: (command: Command) =>
    [command.name(), ...command.registeredArguments.map(termOf)].join(' '),
  subcommandDescription: (command: Command) => capital(standard.subcommandDescription(command)),
  argumentDescription: (argument: Argument) => capital(standard.argumentDescription(argument)),
  // The empty default of a repeatable flag is an implementation detail.
  optionDescription: (option: Option) =>
    capital(standard.optionDescription(option)).replace(' (default: [])', ''),
};
