import { changedFields, type HistoryEntry, type Source } from '../../domain/history.ts';
import { nounOf } from '../../domain/kinds.ts';
import { localMinute } from '../../domain/words/day.ts';
import type { Canvas } from '../terminal/canvas.ts';
import { escapeControls } from '../terminal/io.ts';
import { wrap } from '../terminal/width.ts';
import { summaryOf, valueIn } from './records.ts';

/** Renders the history as text. */

const names: Record<Source, string> = {
  cli: 'command line',
  api: 'app',
  import: 'import',
  sync: 'sync',
  undo: 'undo',
  erase: 'erasure',
};

/** The entries as lines, block by block: a heading for each change, its entries below, wrapped to the width. */
export function* historyText(blocks: Iterable<readonly HistoryEntry[]>, canvas: Canvas): Generator<string> {
  let change: number | undefined;
  const linesOf = (entry: HistoryEntry) => {
    const heading = `Change ${entry.change}, ${localMinute(new Date(entry.at))}, ${byOf(entry)}`;
    const lines = wrap(describeEntry(entry), canvas, 2);
    const isFirst = entry.change !== change;
    change = entry.change;
    return isFirst ? [heading, ...lines] : lines;
  };
  for (const block of blocks) yield `${block.flatMap(linesOf).join('\n')}\n`;
}

/** `made 2026-03-02 12:00 by app (phone)` */
export const madeBy = (entry: HistoryEntry): string =>
  `made ${localMinute(new Date(entry.at))} by ${byOf(entry)}`;

function byOf({ source, caller, undoes }: HistoryEntry): string {
  if (undoes !== undefined) return `undo of ${undoes}`;
  return caller === undefined ? names[source] : `${names[source]} (${escapeControls(caller)})`;
}

/** One entry as a line: `log 5: painAfter 5 → 4`. */
export function describeEntry(entry: HistoryEntry): string {
  const { record, id, action, before, after } = entry;
  if (action === 'erase') return `user ${id} was erased`;
  if (action === 'create' && after) return `added ${summaryOf(record, after)}`;
  if (action === 'delete' && before) return `deleted ${summaryOf(record, before)}`;
  const [old, now] = [before, after] as Readonly<Record<string, unknown> | null>[];
  const changes = changedFields(entry).map(
    (name) => `${name} ${valueIn(record, name, old?.[name])} → ${valueIn(record, name, now?.[name])}`,
  );
  return `${nounOf(record)} ${id}: ${changes.join(', ')}`;
}

/** One line that says what the undo of an entry does. */
export function describeUndo(entry: HistoryEntry): string {
  const { record, before, after, action } = entry;
  if (action === 'create' && after) return `delete ${summaryOf(record, after)}`;
  if (action === 'delete' && before) return `bring back ${summaryOf(record, before)}`;
  return describeEntry({ ...entry, before: after, after: before });
}
