import { chmodSync, copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import type { FiltersOf } from '../../src/domain/filter.ts';
import { logFields, type logRecord } from '../../src/domain/log.ts';
import { userFlags } from '../helpers.ts';
import { call, copied, type OpenApi, recipeOf } from './copy.ts';

/** Follows the recipes of docs/CONTRIBUTING.md for a field, a choice, a filter, a route and a command, in a copy of the program. */

const copy = copied();
const LOG = 'src/domain/log.ts';

beforeAll(() => {
  // A field: its definition and a migration.
  copy.addBefore(
    LOG,
    '  notes: text({',
    "  sets: integer({ label: 'Sets', flag: 'sets', help: 'Number of sets', min: 1, max: 50, example: 3, optional: true }),",
  );
  copy.addMigration("  'ALTER TABLE logs ADD COLUMN sets INTEGER CHECK (sets BETWEEN 1 AND 50)',");
  // A kind of field, tenths in a cell: its definition, schema and SQL; and a field of it.
  const FIELDS = 'src/domain/fields.ts';
  copy.addBefore(
    FIELDS,
    'export interface BooleanField',
    "interface DecimalField extends FieldBase { readonly kind: 'decimal'; readonly example: number; readonly min: number; readonly max: number }",
  );
  copy.addBefore(FIELDS, '  | BooleanField', '  | DecimalField');
  copy.addBefore(FIELDS, 'export const boolean', "export const decimal = maker<DecimalField>('decimal');");
  copy.addBefore(
    'src/domain/field-kinds.ts',
    '  boolean: {',
    `  decimal: {
    many: 'numbers with a point',
    expectation: ({ min, max }) => \`a number from \${min} to \${max} with one digit behind the point\`,
    bounds: ({ min, max }) => ({ minimum: min, maximum: max }),
    placeholder: ({ min, max }) => \`\${min}-\${max}\`,
    fault: () => ({ code: 'invalid' }),
    isPlain: null,
    comparedBy: ['value', 'order'],
    searched: false,
    toCell: (value) => Math.round(Number(value) * 10),
    fromCell: (cell) => Number(cell) / 10,
    fromText: (text) => (/^-?\\d+(\\.\\d+)?$/.test(text) ? Number(text) : text),
    shown: (value) => Number(value).toFixed(1),
  },`,
  );
  copy.addBefore(
    'src/domain/schema.ts',
    "case 'boolean':",
    "case 'decimal': return z.number({ error }).check(z.gte(field.min, { error }), z.lte(field.max, { error }), z.multipleOf(0.1, { error }));",
  );
  const RENDER = 'src/store/records/lists/render.ts';
  copy.addBefore(
    RENDER,
    '// Stored as the output of JSON.stringify.',
    "case 'decimal': return { format: '%.15g', value: name + ' / 10.0' };",
  );
  copy.addBefore(
    RENDER,
    '// A JSON array, which no spreadsheet runs as a formula.',
    `case 'decimal': return "format('%.15g', " + name + ' / 10.0)';`,
  );
  const PAIN = 'src/domain/pain-entry.ts';
  copy.replace(PAIN, '{ choice,', '{ choice, decimal,');
  copy.addBefore(
    PAIN,
    '  medication: logFields',
    "  temperature: decimal({ label: 'Temperature', flag: 'temperature', help: 'Body temperature', min: 30, max: 45, example: 36.6, optional: true }),",
  );
  copy.addMigration(
    "  'ALTER TABLE painEntries ADD COLUMN temperature INTEGER CHECK (temperature BETWEEN 300 AND 450)',",
  );
  // A choice: its word and a migration.
  copy.replace(
    'src/domain/exercise-types.ts',
    "'strengthening'] as const",
    "'strengthening', 'walking'] as const",
  );
  copy.addMigration(
    `  \`
  PRAGMA writable_schema = ON;
  UPDATE sqlite_schema SET sql = replace(sql, '(''stretch'', ''strengthening'')', '(''stretch'', ''strengthening'', ''walking'')')
  WHERE type = 'table' AND name = 'logs';
  PRAGMA writable_schema = RESET;
\`,`,
  );
  // A filter: a line.
  copy.addBefore(
    LOG,
    '} as const satisfies FiltersOf<typeof logRecord>',
    "  from: { column: 'painBefore', operator: 'gte', field: { ...logFields.painBefore, flag: 'from', help: 'Least pain before' } },",
  );
  // A route: a file and a line.
  copy.create(
    'src/http/routes/count.ts',
    `import { ok } from '../openapi/parts.ts';
import { parseQuery } from '../protocol/query.ts';
import type { Route } from '../protocol/route.ts';
import { json } from '../wire/message.ts';

/** GET of how many logs a user has. */
export const countRoute: Route = {
  method: 'GET',
  path: '/users/{id}/count',
  right: 'read log',
  tag: 'Insights',
  id: 'countUserLogs',
  summary: 'How many logs a user has',
  description: 'Those of all days.',
  success: { '200': ok('The number', { type: 'integer' }) },
  handle: ({ id, search, store }) => {
    parseQuery(search, {});
    store.users.json(id);
    return json(200, String(store.logs.count({ userId: id })));
  },
};
`,
  );
  copy.addBefore('src/http/routes/index.ts', "from './goal.ts'", "import { countRoute } from './count.ts';");
  copy.addBefore('src/http/routes/index.ts', '  changesRoute,', '  countRoute,');
  // A command: a file and a line.
  copy.create(
    'src/cli/commands/streak.ts',
    `import type { Context } from '../../context.ts';
import type { Command } from '../input/command.ts';
import { resolveUserOrAsk } from '../input/resolve-user.ts';
import { print } from '../terminal/io.ts';

/** \`sciatica streak\` */
export function addStreakCommand(program: Command, context: Context): void {
  program
    .command('streak')
    .summary('Say on how many days something was recorded')
    .description('Say on how many days something was recorded.')
    .examples('sciatica streak')
    .action(async () => {
      const userId = await resolveUserOrAsk(context, undefined);
      print(context, String(new Set(context.store.logs.list({ userId }).map(({ date }) => date)).size));
    });
}
`,
  );
  copy.addBefore(
    'src/cli/program.ts',
    '  goal: async',
    "  streak: async () => (await import('./commands/streak.ts')).addStreakCommand,",
  );
});

/** A diary of Nora with one log, of `stretch` with 3 sets. */
async function filled() {
  const made = copy.diary();
  await made.sciatica('user', 'add', ...userFlags());
  await made.sciatica(
    'log',
    'add',
    'Cat Cow',
    '6',
    '4',
    '--type',
    'stretch',
    '--sets',
    '3',
    '--date',
    '2026-03-01',
  );
  const logs = async (...words: string[]) => JSON.parse(await made.sciatica('logs', '--json', ...words));
  return { ...made, logs };
}

test.each([
  ['A field', ['src/domain/', 'src/store/sqlite/migrations/', 'ALTER TABLE']],
  ['A kind of field', ['src/domain/fields.ts', 'field-kinds.ts', 'schema.ts', 'lists/render.ts']],
  ['A choice', ['src/domain/', 'src/store/sqlite/migrations/index.ts', 'writable_schema']],
  ['A filter', ['src/domain/']],
  ['A route', ['src/http/routes/', 'index.ts']],
  ['A command', ['src/cli/commands/', 'src/cli/program.ts']],
  ['A migration', ['src/store/sqlite/migrations/', 'index.ts']],
])('the recipe for “%s” names what these tests touch', (name, files) => {
  for (const file of files) expect(recipeOf(name)).toContain(file);
});

/** Puts a database of a released format in the place of a diary. */
function releasedDiary(format: string, path: string): void {
  copyFileSync(new URL(`../fixtures/${format}.db`, import.meta.url), path);
  chmodSync(path, 0o600);
}

describe('a field', () => {
  test('is recorded, changed, kept in the history, and filtered by', async () => {
    const { sciatica, logs } = await filled();
    expect(await logs()).toMatchObject([{ sets: 3 }]);
    await sciatica('log', 'edit', '1', '--sets', '4');
    expect(await sciatica('history', '--limit', '1')).toContain('sets');
    await sciatica('undo', '--yes');
    expect(await logs('--where', 'sets>=3')).toMatchObject([{ sets: 3 }]);
    expect(await logs('--where', 'sets>=4')).toEqual([]);
    expect(await sciatica('logs', '--csv')).toMatch(/^id,.*,sets,notes,medication\r\n1,.*,3,,\r\n$/);
    expect(await sciatica('log', 'add', '--help')).toMatch(/--sets <1-50>/);
    expect(await sciatica('fields')).toContain('--sets');
    await expect(sciatica('log', 'edit', '1', '--sets', '51')).rejects.toThrow('--sets');
  });

  test.each(['json', 'ndjson', 'csv'])('leaves and comes back as %s', async (format) => {
    const { sciatica, logs, file } = await filled();
    const before = await logs();
    await sciatica('export', ...(format === 'csv' ? ['logs'] : []), '-o', file(`all.${format}`));
    await sciatica('log', 'rm', '1', '--yes');
    await sciatica('import', file(`all.${format}`));
    expect(await logs()).toMatchObject(before.map(({ id: _, ...log }: { id: number }) => log));
  });

  test.each(['v1', 'v9'])('is absent from the records of %s, and can be added to them', async (format) => {
    const { sciatica, file } = copy.diary();
    releasedDiary(format, file('diary.db'));
    const [first] = JSON.parse(await sciatica('logs', '--user', 'all', '--json'));
    expect(first).not.toHaveProperty('sets');
    await sciatica('log', 'edit', String(first.id), '--sets', '5');
    expect(JSON.parse(await sciatica('log', 'show', String(first.id), '--json'))).toEqual({
      ...first,
      sets: 5,
    });
    await sciatica('undo', '--yes');
    expect(JSON.parse(await sciatica('log', 'show', String(first.id), '--json'))).toEqual(first);
    await sciatica('doctor');
  });

  test('is in the service and its document', async () => {
    const { serve } = await filled();
    const base = await serve();
    expect(await call(base, 'PATCH', '/userExerciseLogs/1', { sets: null })).toMatchObject([200, { id: 1 }]);
    expect(await call(base, 'PATCH', '/userExerciseLogs/1', { sets: 0 })).toMatchObject([
      400,
      { errors: [{ field: 'sets' }] },
    ]);
    expect(await call(base, 'GET', '/userExerciseLogs?sets_gte=1')).toEqual([200, []]);
    const openapi = (await call(base, 'GET', '/openapi.json'))[1] as OpenApi;
    expect(openapi.components.schemas['UserExerciseLog']?.properties).toMatchObject({
      sets: { type: 'integer', minimum: 1, maximum: 50 },
    });
  });
});

describe('a kind of field', () => {
  test('is recorded, compared, exported, and comes back', async () => {
    const { sciatica, serve, file } = await filled();
    const pains = async (...words: string[]) => JSON.parse(await sciatica('pains', '--json', ...words));
    await sciatica('pain', '5', '--temperature', '36.6');
    await sciatica('pain', '4', '--temperature', '37');
    await expect(sciatica('pain', '4', '--temperature', '36.65')).rejects.toThrow('from 30 to 45');
    const before = await pains();
    expect(before).toMatchObject([{ temperature: 36.6 }, { temperature: 37 }]);
    expect(await pains('--where', 'temperature<=36.6')).toEqual([before[0]]);
    for (const [what, format] of [
      ['pains', 'csv'],
      ['', 'json'],
    ] as const) {
      await sciatica('export', ...(what ? [what] : []), '--format', format, '-o', file(format));
      await sciatica('pain', 'rm', '1', '--yes');
      await sciatica('import', file(format));
      expect(await pains()).toEqual(before);
    }
    const base = await serve();
    expect(await call(base, 'GET', '/painEntries?temperature_gt=36.6')).toEqual([200, [before[1]]]);
    expect(await call(base, 'PATCH', '/painEntries/1', { temperature: 45.1 })).toMatchObject([400, {}]);
    const openapi = (await call(base, 'GET', '/openapi.json'))[1] as OpenApi;
    expect(openapi.components.schemas['PainEntry']?.properties).toMatchObject({
      temperature: { type: 'number', minimum: 30, maximum: 45 },
    });
  });
});

describe('a choice', () => {
  test('is taken where the others are, and no other is', async () => {
    const { sciatica, logs, serve } = await filled();
    await sciatica('log', 'add', 'Walk', '5', '4', '--type', 'walking');
    expect(await logs('--type', 'walking')).toMatchObject([{ exerciseType: 'walking' }]);
    await expect(sciatica('log', 'edit', '1', '--type', 'yoga')).rejects.toThrow('walking');
    expect(await sciatica('complete', 'zsh', '--', 'logs', '--type', 'w')).toMatch(/^walking\b/m);
    const openapi = (await call(await serve(), 'GET', '/openapi.json'))[1] as OpenApi;
    expect(openapi.components.schemas['UserExerciseLog']?.properties?.['exerciseType']).toMatchObject({
      enum: ['stretch', 'strengthening', 'walking'],
    });
  });

  test('is taken by the table of an older database', async () => {
    const { sciatica, file } = copy.diary();
    releasedDiary('v9', file('diary.db'));
    const [{ id }] = JSON.parse(await sciatica('logs', '--user', 'all', '--json'));
    await sciatica('log', 'edit', String(id), '--type', 'walking');
    expect(await sciatica('doctor')).toMatch(/sound/);
  });
});

describe('a filter', () => {
  test('is a flag, a query parameter, and described', async () => {
    const { logs, serve } = await filled();
    expect(await logs('--from', '6')).toHaveLength(1);
    expect(await logs('--from', '7')).toEqual([]);
    const base = await serve();
    expect((await call(base, 'GET', '/userExerciseLogs?from=6'))[1]).toHaveLength(1);
    expect(await call(base, 'GET', '/userExerciseLogs?from=7')).toEqual([200, []]);
    expect(await call(base, 'GET', '/userExerciseLogs?from=11')).toMatchObject([400, {}]);
    const openapi = (await call(base, 'GET', '/openapi.json'))[1] as OpenApi;
    expect(Object.values(openapi.components.parameters)).toContainEqual(
      expect.objectContaining({ name: 'from', in: 'query' }),
    );
  });

  test('of a column that does not exist, or with an operator without SQL, does not compile', () => {
    const field = logFields.painBefore;
    const filters = {
      // @ts-expect-error
      column: { column: 'pain', operator: 'eq', field },
      // @ts-expect-error
      operator: { column: 'painBefore', operator: 'near', field },
    } satisfies FiltersOf<typeof logRecord>;
    expect(Object.keys(filters)).toHaveLength(2);
  });
});

test('a route answers, is described, and is closed to those without the right', async () => {
  const { sciatica, serve, file } = await filled();
  const base = await serve();
  expect(await call(base, 'GET', '/users/1/count')).toEqual([200, 1]);
  expect(await call(base, 'GET', '/users/9/count')).toMatchObject([404, {}]);
  expect(await call(base, 'POST', '/users/1/count', {})).toMatchObject([405, {}]);
  const openapi = (await call(base, 'GET', '/openapi.json'))[1] as OpenApi;
  expect(openapi.paths['/users/{id}/count']?.['get']).toMatchObject({ operationId: 'countUserLogs' });
  await sciatica('user', 'add', ...userFlags({ firstName: 'Otto' }));
  const said = await sciatica('token', 'add', 'phone', '--role', 'patient', '--user', '2');
  writeFileSync(file('token'), said);
  const headers = { authorization: `Bearer ${/\S{30,}/.exec(readFileSync(file('token'), 'utf8'))?.[0]}` };
  const guarded = await serve({ auth: true });
  const statusOf = async (path: string) => (await fetch(guarded + path, { headers })).status;
  expect(await statusOf('/users/2/count')).toBe(200);
  expect(await statusOf('/users/1/count')).toBe(404);
  expect((await fetch(`${guarded}/users/2/count`)).status).toBe(401);
});

test('a command runs, and is in the help, the manual page and the completion', async () => {
  const { sciatica } = await filled();
  expect(await sciatica('streak')).toBe('1\n');
  expect(await sciatica('--help')).toMatch(/^ +streak /m);
  expect(await sciatica('complete', 'zsh', '--', 'str')).toMatch(/^streak\b/m);
  const { manPage } = (await copy.load('cli/man-page.ts')) as typeof import('../../src/cli/man-page.ts');
  expect(await manPage(readFileSync(new URL('../../docs/commands.md', import.meta.url), 'utf8'))).toContain(
    'streak',
  );
});
