import { existsSync } from 'node:fs';
import type { Context } from '../../context.ts';
import { shown } from '../../domain/codec.ts';
import { conflict } from '../../domain/errors.ts';
import type { Field, Fields } from '../../domain/fields.ts';
import { changedFields } from '../../domain/history.ts';
import {
  commandsOf,
  isOwned,
  type KindName,
  kindOf,
  ownerOf,
  type RecordOfKind,
  statementsOf,
} from '../../domain/kinds.ts';
import type { Guard, Records } from '../../store/records/records.ts';
import { ageOf, settleDays } from '../input/days.ts';
import { confirmed, type Edited, patchOf } from '../input/edit.ts';
import { dayFaults, missingOf, valuesOf } from '../input/options.ts';
import { resolveUserOrAsk } from '../input/resolve-user.ts';
import { namingFlags } from '../terminal/errors.ts';
import { counted, escapeControls, quoted, say, sayAlways } from '../terminal/io.ts';
import { checkJson, type Options, printDone, printRecord, sayChanged } from '../terminal/output.ts';
import { addedOf, changedOf, columnsOf, titleOf, whose } from '../views/records.ts';
import { sayRedFlags } from '../views/red-flags.ts';

/** The actions of the generated commands, for every kind of record. */

export const verbsOf = <K extends KindName>({ store }: Context, kind: K) =>
  store.of(kind) as unknown as Records<K>;

/** The fields that a user enters: all but the id, which is assigned. */
export function givenFields(kind: KindName): Fields {
  const { id: _, ...fields } = kindOf(kind).fields;
  return fields;
}

/**
 * Adds a record from flags. If required fields are missing, a terminal asks for them; texts that may be blank default to ''.
 * @throws SciaticaError `invalid` with every fault; then nothing was written
 */
export async function addRecord<K extends KindName>(
  context: Context,
  options: Options,
  kind: K,
): Promise<RecordOfKind<K>> {
  const fields = givenFields(kind);
  checkJson(options, kindOf(kind).fields);
  const { checksOf } = await import('../../domain/schema.ts');
  const given = valuesOf(fields, options, context.today);
  if (isOwned(kind)) given['userId'] = await resolveUserOrAsk(context, options['user']);
  const blank = Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) =>
      field.kind === 'text' && field.blank && !field.optional ? [[name, '']] : [],
    ),
  );
  const isWhole = Object.keys(missingOf(fields, { ...blank, ...given })).length === 0;
  if (context.interactive && !isWhole) {
    const faults = dayFaults(fields, given, context.today);
    namingFlags(fields, () => checksOf(kind).patch(given), faults);
    const { askFields } = await import('../terminal/prompts.ts');
    const usual = Object.fromEntries(
      Object.entries(fields).flatMap(([name, field]) =>
        field.kind === 'date' && field.past ? [[name, context.today]] : [],
      ),
    );
    Object.assign(given, await askFields(context, missingOf(fields, given), { ...usual, ...blank }));
  }
  const faults = dayFaults(fields, given, context.today);
  const input = () => checksOf(kind).input({ ...blank, ...given });
  namingFlags(fields, input, faults);
  await settleDays(context, options, fields, given, given['age'] ?? ageOf(context, given['userId']));
  const record = namingFlags(fields, () => verbsOf(context, kind).create(input()));
  const done = `Added ${addedOf(context, kind, record)}.`;
  printDone(context, options, { fields: kindOf(kind).fields, record, done });
  return record;
}

/** Onboarding, in a terminal and while there is no user: asks for the first one, and shows the red flags. */
export async function introduce(context: Context): Promise<void> {
  if (!context.interactive || (existsSync(context.databasePath) && context.store.users.count() > 0)) return;
  say(context, 'First, who are you?');
  await addRecord(context, {}, 'user');
  sayRedFlags(context);
}

/** Shows a record as details, or as JSON. @throws SciaticaError `not-found` */
export function showRecord(context: Context, options: Options, kind: KindName, id: number): void {
  const { fields } = kindOf(kind);
  const record = verbsOf(context, kind).get(id);
  printRecord(context, options, { fields, columns: columnsOf(fields), record });
}

/** What a kind overrides in `editRecord`. */
interface Change<K extends KindName> extends Pick<Edited, 'asked' | 'ask'> {
  /** Applies flags that are not fields, such as `--edit`. */
  optionsFor?(current: RecordOfKind<K>): Promise<Options>;
  /** Checks the new values. @throws SciaticaError `invalid` with every fault */
  check?(given: object): object;
  /** Adds values that follow from the new ones. */
  complete?(given: Record<string, unknown>): Promise<void>;
  /** The record as the confirmation of the change describes it, without its id. */
  describe?(record: RecordOfKind<K>): string;
}

/** Checks the flags of a change before a question about which record. @throws SciaticaError `invalid` with every fault */
export async function checkFlags(context: Context, options: Options, kind: KindName): Promise<void> {
  const fields = givenFields(kind);
  const given = valuesOf(fields, options, context.today);
  await checkGiven(context, kind, given, dayFaults(fields, given, context.today));
}

/**
 * Checks the values that are given before anything is asked.
 * @param faults messages, by field, that say more about a fault than those of the schema
 * @throws SciaticaError `invalid` with every fault
 */
export async function checkGiven(
  { store }: Context,
  kind: KindName,
  given: object,
  faults: Readonly<Record<string, string>>,
): Promise<void> {
  const { checkSent } = await import('../../store/records/checks.ts');
  namingFlags(givenFields(kind), () => checkSent(store.users, kind, 'patch', given), faults);
}

/**
 * Changes a record by flags or, in a terminal and without flags, by a prompt for each field.
 * @param find returns the id, perhaps after a prompt; called when the fields of `--json` are known to be valid
 * @returns the record and the new values; undefined if nothing changed
 * @throws SciaticaError `not-found`, `invalid` with every fault; then nothing was written
 */
export async function editRecord<K extends KindName>(
  context: Context,
  options: Options,
  kind: K,
  find: () => number | Promise<number>,
  change: (current: RecordOfKind<K>) => Change<K> = () => ({}),
): Promise<{ record: RecordOfKind<K>; patch: object } | undefined> {
  checkJson(options, kindOf(kind).fields);
  const fields = givenFields(kind);
  const { checksOf } = await import('../../domain/schema.ts');
  const records = verbsOf(context, kind);
  const id = await find();
  const current = records.get(id);
  const { userId: _, ...others } = fields;
  const {
    optionsFor = async () => options,
    check = checksOf(kind).patch,
    describe,
    complete = async () => {},
    asked = others,
    ask = {},
  } = change(current);
  const given = await patchOf(context, await optionsFor(current), { fields, asked, current, ask });
  const faults = dayFaults(fields, given, context.today);
  namingFlags(fields, () => check(given), faults);
  const { age, userId } = { ...current, ...given } as { age?: number; userId?: number };
  await settleDays(context, options, fields, given, age ?? ageOf(context, userId));
  await complete(given);
  const patch = namingFlags(fields, () => check(given));
  const guard = context.interactive ? unlessChanged(kind, current, patch) : undefined;
  const record = namingFlags(fields, () => records.update(id, patch, guard));
  const isNew = context.store.latestChange !== undefined;
  const done = isNew
    ? `Changed ${changedOf(context, kind, record, describe?.(record))}.`
    : 'Nothing changed.';
  printDone(context, options, { fields: kindOf(kind).fields, record, done });
  return isNew ? { record, patch } : undefined;
}

/**
 * Refuses a change of statements that somebody else has changed while questions stood: who answered did not know of that. What else
 * was changed of the record stays.
 * @param seen the record as it was when the questions began
 */
export function unlessChanged(kind: KindName, seen: object, patch: object): Guard {
  const said = patch as Record<string, unknown>;
  const touched = [...statementsOf(kind).values()]
    .filter((names) => names.some((name) => name in said))
    .flat();
  return (json) => {
    const now = JSON.parse(json) as Record<string, unknown>;
    const changed = changedFields({ before: seen, after: now }).filter((name) => touched.includes(name));
    if (changed.length === 0) return;
    const { fields, words } = kindOf(kind) as { fields: Fields; words: { one: string } };
    const shownOf = (name: string, value: unknown) =>
      escapeControls(shown(fields[name] as Field, value ?? null));
    const news = changed.map(
      (name) => `${fields[name]?.label.toLowerCase()} is ${shownOf(name, now[name]) || 'empty'}`,
    );
    const flags = Object.entries(said).flatMap(([name, value]) => {
      const { flag, kind: type } = fields[name] as Field;
      if (type === 'list') return [];
      return type === 'boolean'
        ? `--${value ? '' : 'no-'}${flag}`
        : `--${flag} ${quoted(shownOf(name, value))}`;
    });
    throw conflict(
      (command) =>
        `${words.one} ${now['id']} was changed meanwhile (${news.join(', ')}): nothing was saved. To say it all the same: ${command([commandsOf(kind).one, 'edit', now['id'], ...flags].join(' '))}`,
    );
  };
}

/**
 * Deletes records as one change, after a confirmation, as they were confirmed.
 * @throws SciaticaError `not-found`, `conflict` where one was changed meanwhile, others as `confirmed`
 */
export async function removeRecords(
  context: Context,
  options: Options,
  kind: KindName,
  named: readonly number[],
): Promise<void> {
  const { one, many } = kindOf(kind).words;
  const ids = [...new Set(named)];
  const records = verbsOf(context, kind);
  const [first, ...others] = ids.map((id) => records.get(id));
  if (!first) return;
  const seen = ids.map((id) => records.json(id));
  const owners = [first, ...others].map((record) => ownerOf(kind, record));
  const what =
    others.length > 0
      ? `${counted(ids.length, one, many)}${whose(context, owners)}`
      : titleOf(context, kind, first);
  if (others.length > 0 && !options['yes'])
    for (const record of [first, ...others]) sayAlways(context, `  ${titleOf(context, kind, record)}`);
  await confirmed(context, options, `Delete ${what}?`, 'Nothing was deleted.', `delete ${what}`);
  context.store.change(() => {
    for (const [i, id] of ids.entries())
      records.delete(id, (json) => {
        if (json !== seen[i]) throw conflict(`${one} ${id} was changed meanwhile: nothing was deleted.`);
      });
  });
  sayChanged(context, `Deleted ${what}.`);
}
