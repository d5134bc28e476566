import type { Context } from '../../context.ts';
import { dayInNotes } from '../../domain/day-pain.ts';
import type { Fields } from '../../domain/fields.ts';
import { didYouMean } from '../../domain/words/suggest.ts';
import { storedJson } from '../../store/sqlite/errors.ts';
import { type Column, fitColumns } from './columns.ts';
import { usage } from './errors.ts';
import {
  commandLine,
  displayable,
  escapeControls,
  print,
  quoted,
  say,
  sayDone,
  writeAll,
  writeData,
} from './io.ts';
import { clip, widthOf } from './width.ts';

/** The options of a command line, as commander parsed them. */
export type Options = Readonly<Record<string, unknown>>;

/** A list of records in every output format. */
export interface List<R extends object> {
  /** The names of the fields. */
  names: readonly string[];
  /** The columns of a table in a terminal. */
  columns(): readonly Column<R>[] | Promise<readonly Column<R>[]>;
  /** The records in blocks, from the start each time it is called. */
  rows(): Iterable<readonly R[]>;
  /** The records as JSON texts that SQLite renders, in blocks; undefined to render those of `rows`. */
  json?(): Iterable<string[]>;
}

/** Prints a record as details, or as JSON with `--json`. */
export function printRecord<R extends object>(
  context: Context,
  options: Options,
  { fields, columns, record }: { fields: Fields; columns: readonly Column<R>[]; record: R },
): void {
  const pick = pickedBy(options, fields);
  if (pick) print(context, json(context, pick(record)));
  else print(context, details(columns, record));
}

/** A record as lines of label and value, the values aligned and cut to `width` terminal columns. */
function details<R>(columns: readonly Column<R>[], row: R, width = Number.POSITIVE_INFINITY): string {
  const pairs = columns.flatMap((column): [label: string, value: string][] => {
    const text = clip(column.cell(row), width);
    return column.optional && text === '' ? [] : [[column.title, column.paint?.(text, row) ?? text]];
  });
  const widest = Math.max(...pairs.map(([label]) => widthOf(label)));
  return pairs
    .map(([label, value]) => `${label}${' '.repeat(widest - widthOf(label))}  ${value}`.trimEnd())
    .join('\n');
}

/** Prints the result of a change: a sentence with the command that undoes it, or the record with `--json`. */
export function printDone<R extends object>(
  context: Context,
  options: Options,
  { fields, record, done }: { fields: Fields; record: R; done: string },
): void {
  const pick = pickedBy(options, fields);
  if (pick) print(context, json(context, pick(record)));
  else sayChanged(context, done);
}

/** Prints what was changed and the command that undoes it, on a line of its own if the terminal would wrap it. */
export function sayChanged(context: Context, done: string): void {
  const line = `${done}${wrongHint(context)}`;
  const fits = widthOf(line, context.width) <= context.width;
  sayDone(context, fits ? line : `${done}\n${wrongHint(context).trim()}`);
}

/** ` Wrong? sciatica undo 12`, to end a sentence about the change just made; empty if there was none. */
export function wrongHint(context: Context): string {
  const change = context.store.latestChange;
  return change === undefined ? '' : ` Wrong? ${commandLine(context, `undo ${change}`)}`;
}

/** Warns of a day in the future, which no statistic includes yet. */
export function sayDoubtOfDay(context: Context, day: string): void {
  if (day > context.today) say(context, `Note: ${day} is in the future.`);
}

/** Points out words of a command that became a note, where something else may be meant. */
export const sayKeptAsNote = (context: Context, words: string): void =>
  say(context, `Note: ${quoted(escapeControls(words))} was kept as a note.`);

/**
 * Warns if the notes are only the name of another day, which may be meant as the date.
 * @param edit the command that changes the record, such as `log edit 12`
 * @param timeFlag the name of its flag for the time of day; if it has none, a time stays in the notes
 */
export function sayDayInNotes(
  context: Context,
  { date, notes = '' }: { date: string; notes?: string | undefined },
  edit: string,
  timeFlag?: string,
): void {
  const { day = date, time = '' } = dayInNotes(notes, context.today) ?? {};
  if (day === date) return;
  const rest =
    timeFlag && /^[a-z]/i.test(time) ? `--${timeFlag} ${time} --notes ''` : `--notes ${quoted(time)}`;
  sayKeptAsNote(context, notes);
  say(context, `If it is the day: ${commandLine(context, `${edit} --date ${day} ${rest}`)}`);
}

/** Prints any other value as JSON. */
export function printJson(context: Context, value: object): void {
  print(context, json(context, value));
}

/** Checks the fields of `--json` before anything is changed. @throws SciaticaError `invalid` for an unknown field */
export function checkJson(options: Options, fields: Fields): void {
  pickedBy(options, fields);
}

/** Prints a list as JSON or CSV if a flag says so, else as `printRows` does. @returns titles of columns that did not fit */
export async function printList<R extends object>(
  context: Context,
  options: Options,
  list: List<R>,
): Promise<readonly string[]> {
  const pick = pickerOf(options, list.names);
  if (!pick && !options['csv']) return printRows(context, list);
  const texts = list.json?.() ?? rendered(list.rows());
  if (pick) await writeData(context, jsonList(context, texts, options['json'] === true ? undefined : pick));
  else {
    const { csvOf } = await import('../../exchange/csv.ts');
    await writeData(context, csvOf(list.names, parsedRecords(texts)));
  }
  return [];
}

/**
 * Prints a table in a terminal, or details if it is too narrow; tab-separated lines if stdout is not a terminal.
 * @returns the titles of the columns that did not fit
 */
async function printRows<R extends object>(
  context: Context,
  { names, columns, rows }: List<R>,
): Promise<readonly string[]> {
  if (!context.stdout.isTTY) {
    const { tsvOf } = await import('./tsv.ts');
    await writeAll(context.stdout, tsvOf(names, rows()));
    return [];
  }
  const { draw } = await import('./table.ts');
  const all = await columns();
  const layout = fitColumns(all, rows(), context.width);
  await writeAll(context.stdout, layout ? draw(layout, rows()) : stacked(all, rows(), context.width));
  const leftOut = layout?.leftOut ?? [];
  if (leftOut.length > 0) say(context, `Too narrow for ${leftOut.join(', ')}.`);
  return leftOut;
}

function* rendered(blocks: Iterable<readonly object[]>): Generator<string[]> {
  for (const block of blocks) yield block.map((value) => JSON.stringify(value));
}

function* stacked<R>(
  columns: readonly Column<R>[],
  rows: Iterable<readonly R[]>,
  limit: number,
): Generator<string> {
  const width = limit - Math.max(...columns.map(({ title }) => title.length)) - 2;
  let first = true;
  for (const block of rows)
    for (const row of block) {
      yield `${first ? '' : '\n'}${details(columns, row, width)}\n`;
      first = false;
    }
}

type Pick = (record: object) => object;

/** The projection of `--json`: all fields, or those that it names, in that order; undefined without `--json`. */
export const pickedBy = (options: Options, fields: Fields): Pick | undefined =>
  pickerOf(options, Object.keys(fields));

function pickerOf({ json: asked }: Options, known: readonly string[]): Pick | undefined {
  if (asked === undefined) return undefined;
  if (asked === true) return (record) => record;
  const names = String(asked).split(',');
  const faults = names
    .filter((name) => !known.includes(name))
    .map((name) => `"${escapeControls(name)}" is not a field${didYouMean(name, known)}`);
  if (faults.length > 0) throw usage(`--json: ${faults.join('; ')}. The fields are ${known.join(', ')}.`);
  return (record) => {
    const values = record as Record<string, unknown>;
    return Object.fromEntries(names.map((name) => [name, values[name]]));
  };
}

/** A value as JSON: compact, as the HTTP service sends it, but indented in a terminal. */
function json(context: Context, value: object): string {
  return context.stdout.isTTY ? displayable(context, JSON.stringify(value, null, 2)) : JSON.stringify(value);
}

/** A JSON array, block by block. Texts that need no change are passed on as SQLite rendered them. */
function* jsonList(context: Context, blocks: Iterable<string[]>, pick: Pick | undefined): Generator<string> {
  const indented = context.stdout.isTTY;
  const render = (text: string) => {
    const record = storedJson<object>(text);
    const value = pick ? pick(record) : record;
    return indented ? JSON.stringify(value, null, 2).replace(/^/gm, '  ') : JSON.stringify(value);
  };
  const [open, between, close] = indented ? ['[\n', ',\n', '\n]\n'] : ['[', ',', ']\n'];
  let started = false;
  for (const block of blocks) {
    const texts = !pick && !indented ? block : block.map(render);
    yield `${started ? between : open}${texts.join(between)}`;
    started = true;
  }
  yield started ? close : '[]\n';
}

/** Parses JSON texts into records, one by one. */
export function* parsedRecords(blocks: Iterable<readonly string[]>): Generator<Record<string, unknown>> {
  for (const block of blocks) for (const text of block) yield storedJson<Record<string, unknown>>(text);
}
