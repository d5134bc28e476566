import type { Command } from 'commander';
import { version } from '../../package.json';
import { Context } from '../context.ts';
import { createProgram } from './program.ts';

/**
 * The manual page sciatica(1), from the help of every command, as the build writes it.
 * @param reference docs/commands.md, whose tables of exit codes and of the environment go into the page
 * @returns roff with the macros of man(7)
 */
export async function manPage(reference: string): Promise<string> {
  const { stdin, stdout, stderr } = process;
  let help = '';
  const context = new Context({ env: {}, stdin, stdout, stderr, now: () => new Date() });
  const program = await createProgram(context, undefined, (text) => {
    help += text;
  });
  const afterHelpOf = (command: Command): string => {
    help = '';
    command.outputHelp();
    return help.slice(command.helpInformation().length).trim();
  };
  const lines = [
    `.TH SCIATICA 1 "" "sciatica ${version}" "User Commands"`,
    '.SH NAME',
    `sciatica \\- ${text(program.description())}`,
    '.SH SYNOPSIS',
    '.B sciatica',
    text('[options] [command]'),
    '.SH DESCRIPTION',
    paragraph(
      'Without a command it shows today, the week against the goal, the last session and what to type next. In a terminal, what a command needs and was not said is asked for; elsewhere nothing is ever asked.',
    ),
    ...blocksOf(afterHelpOf(program)),
    '.SH OPTIONS',
    paragraph('Every command takes these.'),
    ...optionItems(program),
    '.SH COMMANDS',
    ...leavesOf(program).flatMap((command) => sectionOf(command, afterHelpOf(command))),
    '.SH EXIT STATUS',
    ...tableOf(reference, 'Exit codes'),
    '.SH ENVIRONMENT',
    ...tableOf(reference, 'Environment'),
  ];
  return `${lines.join('\n')}\n`;
}

/** The commands that can be run, in the order of the help, among them groups with arguments or options of their own. */
function leavesOf(parent: Command): Command[] {
  return parent.commands.flatMap((command) => {
    const { commands, registeredArguments, options } = command;
    const isGroup = commands.length > 0 && registeredArguments.length === 0 && options.length === 0;
    return [...(isGroup ? [] : [command]), ...leavesOf(command)];
  });
}

function sectionOf(command: Command, after: string): string[] {
  const help = command.createHelp();
  const usage = help.commandUsage(command);
  const list = help
    .visibleArguments(command)
    .flatMap((argument) => item(help.argumentTerm(argument), help.argumentDescription(argument)));
  return [
    `.SS ${quotedArgument(usage)}`,
    paragraph(command.description()),
    ...list,
    ...optionItems(command),
    ...blocksOf(after),
  ];
}

function optionItems(command: Command): string[] {
  const help = command.createHelp();
  return help
    .visibleOptions(command)
    .filter(({ long }) => command.parent === null || long !== '--help')
    .flatMap((option) => item(help.optionTerm(option), help.optionDescription(option)));
}

const item = (term: string, description: string): string[] => [
  '.TP',
  `.B ${text(term)}`,
  paragraph(description),
];

/** Formats paragraphs. Those with indented lines are examples, and are not filled. */
const blocksOf = (text: string): string[] =>
  text
    .split('\n\n')
    .filter((block) => block !== '')
    .flatMap((block) =>
      /^ /m.test(block)
        ? ['.PP', '.EX', ...block.split('\n').map(paragraph), '.EE']
        : ['.PP', paragraph(block.replaceAll('\n', ' '))],
    );

/** The rows of the first table under a heading of a page. @throws Error if there is none */
function tableOf(page: string, heading: string): string[] {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const rows = [...(section.split('\n## ')[0]?.matchAll(/^\| (.*?) \| (.*) \|$/gm) ?? [])].slice(2);
  if (rows.length === 0) throw new Error(`docs/commands.md has no table under ${heading}.`);
  const ends = section.indexOf('\n\n', section.indexOf('| ---'));
  return rows
    .filter(({ index }) => ends < 0 || (index ?? 0) < ends)
    .flatMap(([, term = '', meaning = '']) => item(plain(term), plain(meaning)));
}

/** Markdown without code marks and links. */
const plain = (markdown: string): string => markdown.replaceAll('`', '').replace(/\[(.*?)\]\(.*?\)/g, '$1');

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
};

/** Escapes text for roff, in which some characters have a meaning or are typeset as others. */
const text = (plain: string): string => plain.replace(/[\\\-'`^~]/g, (character) => ESCAPES[character] ?? '');

/** Escapes text at the beginning of a line, where a dot would begin a request. */
const paragraph = (line: string): string => text(line).replace(/^\./, '\\&.');

/** Quotes an argument of a macro, and escapes the quotes in it, which would end it. */
const quotedArgument = (line: string): string => `"${text(line).replaceAll('"', '\\(dq')}"`;
