import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Cell } from '../../src/domain/codec.ts';
import { type KindName, kindNames, statementsOf } from '../../src/domain/kinds.ts';
import {
  disputed,
  isEqualState,
  isLater,
  merge,
  type Name,
  type State,
  type Statement,
} from '../../src/store/reconcile/state.ts';

/** The merge as a function: whatever states three databases have of a record, order and grouping make no difference. */

const RUNS = 300;

const ownerNames: Name[] = ['1.1.7', '2.1.9', '3.4.1'];

/** Few clocks and uids, so that statements meet themselves and each other in ties; a uid is of one database. */
const statement: fc.Arbitrary<Statement> = fc
  .record({ clock: fc.integer({ min: 0, max: 4 }), uid: fc.integer({ min: 1, max: 6 }), seen: seenOf() })
  .map(({ clock, uid, seen }) => ({ stamp: [clock, uid, 1 + (uid % 3)], seen }));

function seenOf(): fc.Arbitrary<Statement['seen']> {
  return fc.dictionary(fc.constantFrom('1', '2', '3'), fc.integer({ min: 1, max: 4 })) as fc.Arbitrary<
    Statement['seen']
  >;
}

/** A state of a record: with all statements, with some, or a bare name. What a statement says follows from its stamp. */
function stateOf(kind: KindName): fc.Arbitrary<State> {
  const groups = [...statementsOf(kind)];
  return fc
    .record({
      life: fc.integer({ min: 1, max: 4 }),
      owners: fc.subarray(ownerNames),
      isBare: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
      said: fc.tuple(...groups.map(() => fc.option(statement, { freq: 6 }))),
    })
    .map(({ life, owners, isBare, said }): State => {
      const bare: State = { kind, name: '1.1.7', life, owners, statements: {} };
      if (isBare) return bare;
      const fields: Record<string, Cell> = {};
      const statements: Record<string, Statement> = {};
      for (const [i, [group, names]] of groups.entries()) {
        const one = said[i];
        if (!one) continue;
        statements[group] = one;
        for (const name of names) fields[name] = `${name} ${one.stamp.join('.')}`;
      }
      return { ...bare, fields, statements };
    });
}

const three = fc.constantFrom(...kindNames).chain((kind) => {
  const state = stateOf(kind);
  return fc.tuple(state, state, state);
});

const groupsOf = ({ kind }: State) => statementsOf(kind);
const join = (a: State, b: State) => merge(a, b, groupsOf(a));

/** Runs a check over random states. */
const forAll = (check: (a: State, b: State, c: State) => void) =>
  fc.assert(
    fc.property(three, ([a, b, c]) => {
      check(a, b, c);
    }),
    { numRuns: RUNS },
  );

describe('the merge of two states', () => {
  test('does not depend on which comes first', () => {
    forAll((a, b) => expect(join(a, b)).toEqual(join(b, a)));
  });

  test('does not depend on the grouping', () => {
    forAll((a, b, c) => expect(join(join(a, b), c)).toEqual(join(a, join(b, c))));
  });

  test('changes nothing the second time', () => {
    forAll((a, b) => {
      expect(join(a, a)).toEqual(a);
      const merged = join(a, b);
      expect(join(merged, b)).toEqual(merged);
      expect(isEqualState(join(merged, a), merged)).toBe(true);
    });
  });

  test('only grows: life, owners and the stamps', () => {
    forAll((a, b) => {
      const merged = join(a, b);
      expect(merged.life).toBe(Math.max(a.life, b.life));
      for (const owner of [...a.owners, ...b.owners]) expect(merged.owners).toContain(owner);
      for (const [group, { stamp }] of Object.entries(a.statements)) {
        const joined = merged.statements[group];
        expect(joined && isLater(stamp, joined.stamp)).toBe(false);
      }
    });
  });

  test('takes no statement apart', () => {
    forAll((a, b) => {
      const merged = join(a, b);
      for (const [group, names] of groupsOf(a)) {
        const stamp = merged.statements[group]?.stamp;
        for (const name of names) expect(merged.fields?.[name]).toBe(stamp && `${name} ${stamp.join('.')}`);
      }
    });
  });
});

test('states are equal if all that a merge looks at is', () => {
  forAll((a, b) => {
    const isSame = JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
    expect(isEqualState(a, b)).toBe(isSame);
    expect(isEqualState(a, structuredClone(a))).toBe(true);
  });
});

const sorted = ({ life, owners, fields, statements }: State) => [
  life,
  owners,
  fields !== undefined,
  Object.entries(statements).sort(([a], [b]) => (a < b ? -1 : 1)),
];

describe('a statement that both sides changed is disputed', () => {
  const said = (clock: number, origin: number, seen: Statement['seen'], painAfter: number): State => ({
    kind: 'log',
    name: '1.1.7',
    life: 1,
    owners: ['1.1.7'],
    fields: { painBefore: 6, painAfter, effective: 1 },
    statements: { [groupOf('painAfter')]: { stamp: [clock, clock, origin], seen } },
  });
  const groupOf = (field: string) =>
    [...statementsOf('log')].find(([, names]) => names.includes(field))?.[0] ?? '';

  test.each<[string, State, State, boolean]>([
    ['neither knew of the other', said(5, 1, { 3: 1 }, 4), said(6, 2, { 3: 1 }, 3), true],
    ['the later one replaced the other', said(5, 1, {}, 4), said(6, 2, { 1: 5 }, 3), false],
    [
      'the later one replaced a later one of that database',
      said(5, 1, {}, 4),
      said(9, 2, { 1: 8 }, 3),
      false,
    ],
    [
      'the later one replaced an earlier one of that database',
      said(5, 1, {}, 4),
      said(6, 2, { 1: 4 }, 3),
      true,
    ],
    ['both are of one database', said(5, 1, {}, 4), said(6, 1, {}, 3), false],
    ['both say the same', said(5, 1, {}, 4), said(6, 2, {}, 4), false],
    ['both are one', said(5, 1, {}, 4), said(5, 1, {}, 4), false],
  ])('%s: %#', (_, a, b, isDisputed) => {
    const expected = isDisputed ? [groupOf('painAfter')] : [];
    expect(disputed(a, b, statementsOf('log'))).toEqual(expected);
    expect(disputed(b, a, statementsOf('log'))).toEqual(expected);
  });

  test('and not where only the name of the record is known', () => {
    forAll((a, b) => {
      const { fields: _, ...bare } = a;
      expect(disputed({ ...bare, statements: {} }, b, groupsOf(a))).toEqual([]);
      expect(disputed(a, b, groupsOf(a))).toEqual(disputed(b, a, groupsOf(a)));
    });
  });
});
