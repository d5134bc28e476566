import { EARLIER_DAYS, overviewsOf, RECENT_DAYS } from '../../cases/overview.ts';
import type { Context } from '../../context.ts';
import { parseSort } from '../../domain/sort.ts';
import { userRecord } from '../../domain/user.ts';
import type { Overview } from '../../insights/shapes.ts';
import { capital, listed, signed } from '../../insights/wording.ts';
import { matchingOf } from '../input/where.ts';
import { palette } from '../terminal/canvas.ts';
import type { Column } from '../terminal/columns.ts';
import { namingFlags } from '../terminal/errors.ts';
import { commandLine, escapeControls, say } from '../terminal/io.ts';
import { type Options, printList } from '../terminal/output.ts';

/** The fields of a row, and their titles in a table; the last name is shown with the first. */
const TITLES = {
  id: 'Id',
  firstName: 'Name',
  lastName: '',
  sessions: 'Sessions',
  lastSession: 'Last session',
  pain: 'Pain',
  painEarlier: 'Earlier',
  painChange: 'Change',
  redEntries: 'Red',
  leftOut: 'Left out',
} as const satisfies Record<keyof Overview, string>;

const names = Object.keys(TITLES) as (keyof Overview)[];

/**
 * `sciatica users --summary`: an overview with one line for each user.
 * @throws SciaticaError `invalid` for invalid conditions, fields or sort keys
 */
export async function listOverviews(context: Context, options: Options): Promise<void> {
  const { users } = context.store;
  const { sort, limit } = options;
  const keys = sort === undefined ? undefined : namingFlags({}, () => parseSort(String(sort), names));
  const matching = await matchingOf(context, options, userRecord);
  const all = context.store.read(() => overviewsOf(context.store, users.list(matching), context.today, keys));
  const isPlain = options['json'] === undefined && !options['csv'];
  if (all.length === 0 && isPlain)
    return say(
      context,
      users.count() === 0
        ? `There is no user yet. Start with: ${commandLine(context, 'user add')}`
        : 'No user matches.',
    );
  const rows = all.slice(0, Number(limit ?? all.length));
  const leftOut = await printList(context, options, {
    names,
    columns: () => columns(context),
    rows: () => [rows],
  });
  if (!context.stdout.isTTY || !isPlain) return;
  say(
    context,
    legend(
      (name) =>
        !leftOut.includes(TITLES[name]) && (name !== 'leftOut' || rows.some((row) => row.leftOut > 0)),
    ),
  );
}

/** Explains the columns that are shown. */
function legend(has: (name: keyof Overview) => boolean): string {
  const recent = [
    ...(has('sessions') ? ['sessions'] : []),
    ...(has('pain') ? ['mean pain of a day'] : []),
    'red entries',
  ];
  const earlier = has('painEarlier')
    ? `Earlier: pain of the ${EARLIER_DAYS} days before.`
    : `Change: of the mean pain of a day, against the ${EARLIER_DAYS} days before.`;
  const out = has('leftOut')
    ? ' Left out: records after today, or before the birth that the age implies.'
    : '';
  return `${capital(listed(recent))} of the last ${RECENT_DAYS} days. ${earlier} Red: a rise of 3 or more, or pain of 9 or 10.${out}`;
}

/** The columns dropped in a narrow terminal, in this order. */
const FIRST_TO_GIVE_WAY: readonly (keyof Overview)[] = ['painEarlier', 'sessions', 'pain', 'leftOut'];

async function columns(context: Context): Promise<Column<Overview>[]> {
  const { aggravation } = await palette(context);
  return names
    .filter((name) => name !== 'lastName')
    .map((name) => ({
      title: TITLES[name],
      right: name !== 'firstName' && name !== 'lastSession',
      ...(name === 'firstName' && { least: 10 }),
      ...(FIRST_TO_GIVE_WAY.includes(name) && { turn: FIRST_TO_GIVE_WAY.indexOf(name) }),
      ...(name === 'leftOut' && { optional: true }),
      cell: (row) => cellOf(row, name),
      paint: (text, row) => (name === 'redEntries' && row.redEntries > 0 ? aggravation(text) : text),
    }));
}

function cellOf(row: Overview, name: keyof Overview): string {
  const value = row[name];
  if (name === 'firstName') return escapeControls(`${row.firstName} ${row.lastName}`);
  if (value === undefined) return '–';
  if (name === 'leftOut') return row.leftOut > 0 ? String(row.leftOut) : '';
  if (name === 'painChange') return signed(row.painChange ?? 0);
  return name === 'pain' || name === 'painEarlier' ? Number(value).toFixed(1) : String(value);
}
