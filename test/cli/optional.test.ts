import { describe, expect, test } from 'vitest';
import { patchOf } from '../../src/cli/input/edit.ts';
import { missingOf, type Options } from '../../src/cli/input/options.ts';
import { tsvOf } from '../../src/cli/terminal/tsv.ts';
import { boolean, choice, date, integer, text } from '../../src/domain/fields.ts';
import { keys, started } from '../helpers.ts';

/** No field of the records is optional yet; the command line is ready for one of each kind. */
const of = (name: string) => ({ label: name, flag: name, help: name, optional: true }) as const;
const fields = {
  sets: integer({ ...of('sets'), min: 1, max: 20, example: 3 }),
  day: date({ ...of('day'), example: '2026-03-01' }),
  device: text({ ...of('device'), max: 20, blank: false, example: 'band' }),
  side: choice({ ...of('side'), choices: ['left', 'right'], example: 'left' }),
  guided: boolean({ ...of('guided'), example: true }),
};

const { enter, down, backspace } = keys;
const up = '\u001b[A';

/** What the prompt for one field changes in a record. */
async function changed(name: keyof typeof fields, current: object, typed: string, then = '') {
  const { context } = started({
    answers: [[name, typed], ...(then ? [[then.includes(backspace) ? 'It must' : '', then] as const] : [])],
  });
  return patchOf(context, {}, { fields: { [name]: fields[name] }, current });
}

describe('a prompt for an optional field', () => {
  test.each<[keyof typeof fields, object, [string, string?], object]>([
    ['sets', {}, [enter], {}],
    ['sets', {}, [`5${enter}`], { sets: 5 }],
    ['sets', { sets: 3 }, [enter], {}],
    ['sets', { sets: 3 }, [backspace + enter], { sets: null }],
    ['sets', { sets: 3 }, [`4${enter}`], { sets: 4 }],
    ['sets', { sets: 3 }, [`30${enter}`, `${backspace}${backspace}9${enter}`], { sets: 9 }],
    ['day', {}, [enter], {}],
    ['day', {}, [`yesterday${enter}`], { day: '2026-03-01' }],
    ['device', { device: 'band' }, [backspace + enter], { device: null }],
    ['device', { device: 'band' }, [`None${enter}`], { device: null }],
    ['sets', {}, [`none${enter}`], {}],
    ['side', {}, [enter], {}],
    ['side', {}, [up, enter], { side: 'right' }],
    ['side', { side: 'right' }, [enter], {}],
    ['side', { side: 'right' }, [down, enter], { side: null }],
    ['guided', {}, [enter], {}],
    ['guided', { guided: true }, [enter], {}],
    ['guided', { guided: true }, [down, enter], { guided: false }],
    ['guided', { guided: false }, [down, enter], { guided: null }],
  ])('%s of %j: %j gives %j', async (name, current, typed, expected) =>
    expect(await changed(name, current, ...typed)).toEqual(expected),
  );
});

test.each<[Options, object]>([
  [{ sets: '5' }, { sets: 5 }],
  [{ sets: '' }, { sets: null }],
  [
    { sets: 'none', device: 'None', side: 'none' },
    { sets: null, device: null, side: null },
  ],
  [
    { day: '', device: '' },
    { day: null, device: null },
  ],
  [{ guided: false }, { guided: false }],
])('the flags %j give %j', async (options, expected) => {
  const { context } = started();
  expect(await patchOf(context, options, { fields, current: {} })).toEqual(expected);
});

test('a new record does not need it', () => expect(missingOf(fields, {})).toEqual({}));

test('an absent value is an empty cell', () =>
  expect([
    ...tsvOf(
      ['id', 'sets', 'notes'],
      [
        [
          { id: 1, notes: '' },
          { id: 2, sets: null, notes: 'x' },
        ],
      ],
    ),
  ]).toEqual(['id\tsets\tnotes\n', '1\t\t\n2\t\tx\n']));
