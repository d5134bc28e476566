import { describe, expect, test } from 'vitest';
import type { Comparison, Operator } from '../../src/domain/filter.ts';
import { filtersOf, folded, operators, operatorsOf } from '../../src/domain/filter.ts';
import { type Log, logRecord } from '../../src/domain/log.ts';
import { userRecord } from '../../src/domain/user.ts';
import { failure, filledStore, freshStore, log, user } from './helpers.ts';

type Value = string | number | boolean;

/** What each operator means, said once more in JavaScript. */
const meanings: Record<Operator, (is: Value, given: readonly Value[]) => boolean> = {
  eq: (is, given) => given.includes(is),
  ne: (is, given) => !given.includes(is),
  gte: (is, [given = 0]) => is >= given,
  lte: (is, [given = 0]) => is <= given,
  gt: (is, [given = 0]) => is > given,
  lt: (is, [given = 0]) => is < given,
  like: (is, given) => given.some((text) => folded(String(is)).includes(folded(String(text)))),
};

const cases = Object.entries(logRecord).flatMap(([field, definition]) =>
  operatorsOf(definition).map((operator) => ({ field, operator })),
);

describe('every field with every operator that it takes', () => {
  test.each(cases)('$field $operator', ({ field, operator }) => {
    const store = filledStore(83);
    for (let id = 2; id <= 83; id += 3) store.logs.update(id, { medication: `ibuprofen ${id * 100}` });
    const all = store.logs.list();
    const inRecord = (record: Log) => record[field as keyof Log] as Value;
    const [one, other] = [inRecord(all[7] as Log), inRecord(all[40] as Log)];
    for (const values of [
      [one],
      [other],
      ...(operators[operator].several === 'once' ? [] : [[one, other]]),
    ]) {
      const where: Comparison[] = [{ field, operator, values }];
      const expected = all.filter((record) => meanings[operator](inRecord(record), values));
      expect(store.logs.list({ where })).toStrictEqual(expected);
      expect(store.logs.count({ where })).toBe(expected.length);
    }
  });
});

test('the names of filters are those of query strings', () => {
  const names = Object.keys(filtersOf(userRecord)).filter((name) => /^(age|email|id)/.test(name));
  expect(names).toEqual([
    ...['id', 'id_ne', 'id_gte', 'id_lte', 'id_gt', 'id_lt', 'email', 'email_ne', 'email_like'],
    ...['age', 'age_ne', 'age_gte', 'age_lte', 'age_gt', 'age_lt'],
  ]);
});

describe('a text contains', () => {
  test.each([
    ['Tingling', 'tingling', true],
    ['tingling', 'TING', true],
    ['Bein ÜBER Kopf', 'über', true],
    ['große Schmerzen', 'GROSSE', true],
    ['ΠΟΝΟΣ', 'πονος', true],
    ['ΠΟΝΟΣ', 'πόνος', false],
    ['БОЛЬ', 'боль', true],
    ['İstanbul', 'istanbul', true],
    ['cafe\u0301', 'café', true],
    ['ﬁre', 'FIRE', true],
    ['a.c', '.', true],
    ['abc', '.', false],
    ['100 %', '%', true],
    ['100', '%', false],
    ['a_b', '_', true],
    ['ab', '_', false],
    ['"; DROP TABLE logs', "'", false],
    ['👍🏽', '👍', true],
  ])('%j: %j is %j', (notes, wanted, isThere) => {
    const { users, logs } = freshStore();
    users.create(user());
    logs.create(log({ notes }));
    const like = logs.list({ where: [{ field: 'notes', operator: 'like', values: [wanted] }] });
    expect([like.length === 1, logs.list({ search: wanted }).length === 1]).toEqual([isThere, isThere]);
  });
});

test('a search looks into every text', () => {
  const { users } = freshStore();
  users.create(user({ firstName: 'Ångström', email: 'x@mail.example' }));
  for (const [search, count] of [
    ['ångSTRÖM', 1],
    ['MAIL', 1],
    ['glute', 1],
    ['2026', 0],
    ['44', 0],
  ] as const)
    expect([search, users.count({ search })]).toEqual([search, count]);
});

test('a field that the record lacks never becomes SQL', () => {
  const { logs } = freshStore();
  for (const field of ['mood', '1=1 --', 'constructor', '__proto__'])
    expect(failure(() => logs.list({ where: [{ field, operator: 'eq', values: [1] }] })).code).toBe(
      'invalid',
    );
});

describe('a part of a list', () => {
  test.each([
    [0, 5],
    [10, 250],
    [3, 251],
    [450, 600],
    [700, 5],
    [0, 0],
    [690, undefined],
  ] as const)('from %i, %s records', (offset, limit) => {
    const store = filledStore(700);
    const all = store.logs.list({ sort: '-painAfter,date' });
    const filter = { sort: '-painAfter,date', offset, ...(limit !== undefined && { limit }) };
    const expected = all.slice(offset, limit === undefined ? undefined : offset + limit);
    expect(store.logs.list(filter)).toStrictEqual(expected);
    expect([...store.logs.chunks(filter)].flat()).toStrictEqual(expected);
    const { sort, ...inIdOrder } = filter;
    const byId = Array.from(expected, (_, i) => offset + i + 1);
    expect([...store.logs.chunks(inIdOrder)].flat().map(({ id }) => id)).toEqual(byId);
    const { json, next } = store.logs.shortPage(filter);
    expect(JSON.parse(json)).toStrictEqual(expected.slice(0, 250));
    expect(next !== undefined).toBe(expected.length > 250);
    const left = limit === undefined ? {} : { limit: limit - 250 };
    const rest = next === undefined ? [] : store.logs.list({ ...left, sort, cursor: next });
    expect(rest).toStrictEqual(expected.slice(250));
  });
});

test('fields pick, in the order asked for, and pages go on', () => {
  const store = filledStore(20);
  const fields = ['painAfter', 'id'];
  const expected = store.logs.list({ sort: '-date' }).map(({ painAfter, id }) => ({ painAfter, id }));
  expect([...store.logs.jsonRows({ sort: '-date', fields })].flat()).toEqual(
    expected.map((one) => JSON.stringify(one)),
  );
  const first = store.logs.page({ sort: '-date', fields: ['notes'] }, 12);
  expect(JSON.parse(first.json)[0]).toHaveProperty('notes');
  const second = store.logs.page({ sort: '-date', fields, cursor: first.next ?? '' }, 12);
  expect(JSON.parse(second.json)).toEqual(expected.slice(12));
});
