import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { Argument, Command } from 'commander';
import { createProgram } from '../../src/cli/program.ts';
import { report } from '../../src/cli/terminal/errors.ts';
import { Context } from '../../src/context.ts';
import { type ErrorCode, SciaticaError } from '../../src/domain/errors.ts';
import { expectation } from '../../src/domain/field-kinds.ts';
import type { Fields } from '../../src/domain/fields.ts';
import { comparedFields, operatorNames, operators } from '../../src/domain/filter.ts';
import { kindNames, kindOf, withArticle } from '../../src/domain/kinds.ts';
import type { Parameter } from '../../src/http/docs/document.ts';
import { againWords, filteredFields, withoutFilters } from '../../src/http/docs/shared.ts';
import { openApi } from '../../src/http/openapi/document.ts';
import { routes } from '../../src/http/routes/index.ts';
import { problemResponse } from '../../src/http/wire/problem.ts';
import { NOW } from '../helpers.ts';
import { anchorOf, root } from './pages.ts';

/** What the pages say of the code because the code says it: the generated blocks of every page. */

function context(): Context {
  const sink = () => new PassThrough().resume();
  return new Context({ env: {}, stdin: new PassThrough(), stdout: sink(), stderr: sink(), now: () => NOW });
}

export const program = await createProgram(context());

/** Every command under its full name; a group such as `sciatica log` is in front of its verbs. */
export function commandsOf(parent: Command = program, path = 'sciatica'): [name: string, command: Command][] {
  return parent.commands.flatMap((command) => {
    const name = `${path} ${command.name()}`;
    return [[name, command] as [string, Command], ...commandsOf(command, name)];
  });
}

/** The help of a command as it is printed, with its examples. */
export function helpOf(command: Command): string {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text) });
  command.outputHelp();
  return help;
}

/** The examples of a command's help, as they are typed. */
function examplesOf(command: Command): string {
  const [, lines = ''] = /^Examples:\n((?: {2}.*\n?)+)/m.exec(helpOf(command)) ?? [];
  return lines.replace(/^ {2}(?:\$ )?/gm, '').trimEnd();
}

/** What does something by itself, a group that takes words or flags of its own included. */
export const leaves = () =>
  commandsOf().filter(
    ([, { commands, registeredArguments, options }]) =>
      commands.length === 0 || registeredArguments.length > 0 || options.length > 0,
  );

const cell = (text: string) => text.replaceAll('|', '\\|').replace(/\s+/g, ' ').trim();

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function commandBlock(): string {
  const overview = leaves().map(([name, command]) => [
    `[\`${name}\`](#${anchorOf(name)})`,
    command.createHelp().subcommandDescription(command),
  ]);
  const sections = leaves().map(([name, command]) => {
    const help = command.createHelp();
    const rows = [
      ...help
        .visibleArguments(command)
        .map((argument) => [`\`${termOf(argument)}\``, help.argumentDescription(argument)]),
      ...command.options.map((option) => [`\`${help.optionTerm(option)}\``, help.optionDescription(option)]),
    ];
    return [
      `## ${name}`,
      command.description(),
      `\`\`\`text\n${help.commandUsage(command)}\n\`\`\``,
      ...(rows.length > 0 ? [table(['Argument', 'Meaning'], rows)] : []),
      `For example:\n\n\`\`\`sh\n${examplesOf(command)}\n\`\`\``,
    ].join('\n\n');
  });
  const globals = program.createHelp().visibleOptions(program);
  const everywhere = table(
    ['Option', 'Meaning'],
    globals.map((option) => [`\`${option.flags}\``, program.createHelp().optionDescription(option)]),
  );
  return [
    table(['Command', 'What it does'], overview),
    '## Options of every command',
    everywhere,
    ...sections,
  ].join('\n\n');
}

function termOf(argument: Argument): string {
  const word = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${word}>` : `[${word}]`;
}

interface Operation {
  summary: string;
  parameters?: Parameter[];
  responses: Record<string, unknown>;
}

type Paths = Record<string, Record<string, Operation>>;

interface Document {
  paths: Paths;
  components: { parameters: Record<string, Parameter> };
}

export function operations() {
  const { paths, components } = JSON.parse(openApi(routes)) as Document;
  const resolved = (given: Parameter | { $ref: string }) =>
    '$ref' in given ? (components.parameters[given.$ref.split('/').at(-1) ?? ''] as Parameter) : given;
  return routes.map(({ method, path }) => {
    const operation = paths[path]?.[method.toLowerCase()];
    if (!operation) throw new Error(`${method} ${path} is not in the OpenAPI document`);
    return { method, path, ...operation, parameters: operation.parameters?.map(resolved) };
  });
}

function routeBlock(): string {
  const rows = operations().map(({ method, path, summary, responses }) => {
    const statuses = Object.keys(responses);
    const good = statuses.filter((status) => status < '400');
    return [
      `\`${method} ${path}\``,
      summary,
      good.join(', '),
      statuses.filter((status) => !good.includes(status) && status !== 'default').join(', '),
    ];
  });
  return table(['Route', 'What it does', 'Answers', 'Refusals'], rows);
}

/** The query parameters besides filters; those of several routes stand once. */
function parameterBlock(): string {
  const routesOf = new Map<string, { parameter: Parameter; paths: Set<string> }>();
  for (const { path, parameters = [] } of operations())
    for (const parameter of withoutFilters(parameters).filter((one) => one.in === 'query')) {
      const key = `${parameter.name} ${parameter.description}`;
      const known = routesOf.get(key) ?? { parameter, paths: new Set() };
      known.paths.add(`\`${path}\``);
      routesOf.set(key, known);
    }
  const lists = operations().filter(({ parameters = [] }) => filteredFields(parameters).length > 0);
  const rows = [...routesOf.values()].map(({ parameter: { name, description, schema }, paths }) => [
    `\`${name}\``,
    description ?? '',
    `\`${schema.examples?.[0] ?? ''}\``,
    lists.every(({ path }) => paths.has(`\`${path}\``)) ? 'every list' : [...paths].join(', '),
  ]);
  return table(['Parameter', 'Meaning', 'For example', 'Of'], rows);
}

function filterBlock(): string {
  const rows = operatorNames.map((name) => {
    const { suffix, words, by, several } = operators[name];
    const example = by === 'order' ? `painAfter${suffix}=4` : `exerciseName${suffix}=Bird Dog`;
    return [
      `\`FIELD${suffix}\``,
      comparedFields(name).join(', '),
      words,
      againWords[several] || 'refused',
      `\`${example}\``,
    ];
  });
  return table(['Filter', 'Of', 'The field', 'Given again', 'For example'], rows);
}

function fieldBlock(): string {
  const rows = (fields: Fields) =>
    Object.entries(fields).map(([name, field]) => [
      `\`${name}\``,
      field.help,
      expectation(field),
      `\`${JSON.stringify(field.example)}\``,
    ]);
  const head = ['Field', 'Meaning', 'Must be', 'For example'];
  return kindNames
    .map((name) => kindOf(name))
    .map(({ words, fields }) => `### The fields of ${withArticle(words.one)}\n\n${table(head, rows(fields))}`)
    .join('\n\n');
}

/** The codes of errors with the comments that explain them, in the order they stand. */
function errorCodes(): [code: ErrorCode, meaning: string][] {
  const source = readFileSync(join(root, 'src/domain/errors.ts'), 'utf8');
  return [...source.matchAll(/\/\*\* ([^*]*?)\.? \*\/\s+\| '([a-z-]+)'/g)].map(
    ([, meaning = '', code = '']) => [code as ErrorCode, meaning.replace(/;.*/, '').replaceAll('`', '')],
  );
}

function errorBlock(): string {
  const rows = errorCodes().map(([code, meaning]) => {
    const error = new SciaticaError(code, 'x');
    const line = { command: 'sciatica', usage: 'sciatica', flags: [], words: [] };
    return [meaning, String(report(context(), error, line)), String(problemResponse(error).status)];
  });
  return table(['What went wrong', 'Exit code', 'HTTP status'], rows);
}

/** The decisions under docs/decisions, with their titles as links from docs/inside.md. */
function decisionBlock(): string {
  return readdirSync(join(root, 'docs/decisions'))
    .sort()
    .map((name) => {
      const title = /^# (.+)$/m.exec(readFileSync(join(root, 'docs/decisions', name), 'utf8'))?.[1];
      return `- [${title}](decisions/${name})`;
    })
    .join('\n');
}

const code = (path: string) => `\`\`\`ts\n${readFileSync(join(root, path), 'utf8').trim()}\n\`\`\``;

export const blocks: Readonly<Record<string, () => string>> = {
  commands: commandBlock,
  routes: routeBlock,
  filters: filterBlock,
  parameters: parameterBlock,
  fields: fieldBlock,
  errors: errorBlock,
  decisions: decisionBlock,
  client: () => code('src/companion/client.ts'),
  notebook: () => code('src/companion/notebook.ts'),
  offline: () => code('src/companion/offline.ts'),
  pairing: () => code('test/docs/pairing-client.ts'),
};

const BLOCK = /<!-- generated: (\w+) -->\n[\s\S]*?<!-- end -->/g;

/** A page with its blocks made anew. */
export function withBlocks(page: string): string {
  return page.replace(BLOCK, (_, name: string) => {
    const make = blocks[name];
    if (!make) throw new Error(`There is no block called ${name}`);
    return `<!-- generated: ${name} -->\n\n${make()}\n\n<!-- end -->`;
  });
}

/** Every source file, for what no definition holds. */
export function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(root, folder, name), 'utf8'));
}
