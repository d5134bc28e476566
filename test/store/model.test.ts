import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SciaticaError } from '../../src/domain/errors.ts';
import { exerciseTypes } from '../../src/domain/exercise-types.ts';
import type { Log, LogInput } from '../../src/domain/log.ts';
import { checksOf } from '../../src/domain/schema.ts';
import { painLocations, type User } from '../../src/domain/user.ts';
import { checkSent } from '../../src/store/records/checks.ts';
import type { Store } from '../../src/store/store.ts';
import { freshStore, log, user } from './helpers.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.replaceAll('\0', ''));
const name = anyText.map((text) => `n${text}`);
const day = fc
  .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
const pain = fc.integer({ min: 1, max: 10 });

const users = fc.record({
  firstName: name,
  lastName: name,
  email: fc.constantFrom('a@b.de', 'ü@ö.org'),
  age: fc.integer({ min: 0, max: 130 }),
  painLocation: fc.constantFrom(...painLocations),
  painLevel: pain,
  diagnosisDate: day,
});
const logs = fc.record({
  userId: fc.integer({ min: 1, max: 5 }),
  exerciseType: fc.constantFrom(...exerciseTypes),
  exerciseName: name,
  date: day,
  painBefore: pain,
  painAfter: pain,
  effective: fc.boolean(),
  notes: anyText,
});
const id = fc.integer({ min: 1, max: 6 });

/** A record that may have faults: any field may hold anything. */
const faulty = <T>(good: fc.Arbitrary<T>) =>
  fc.oneof(
    { weight: 5, arbitrary: good as fc.Arbitrary<unknown> },
    {
      weight: 1,
      arbitrary: fc
        .tuple(good, fc.constantFrom(...Object.keys(user()), ...Object.keys(log())), fc.jsonValue())
        .map(([record, field, value]) => ({ ...record, [field]: value })),
    },
  );

test('a record as JSON is byte for byte what JSON.stringify makes of it', () => {
  const store = freshStore();
  store.users.create(user());
  fc.assert(
    fc.property(logs, users, (input, person) => {
      const made = store.logs.create({ ...input, userId: 1 });
      expect(made).toStrictEqual({ id: made.id, ...input, userId: 1 });
      expect(store.logs.json(made.id)).toBe(JSON.stringify(made));
      const who = store.users.create(person);
      expect(who).toStrictEqual({ id: who.id, ...person });
      expect(store.users.json(who.id)).toBe(JSON.stringify(who));
    }),
    { numRuns: 60 },
  );
});

test('so is a text of every character below U+0800, and of some above', () => {
  const store = freshStore();
  store.users.create(user());
  const characters = Array.from({ length: 0x7ff }, (_, i) => String.fromCodePoint(i + 1)).join('');
  const notes = `${characters}\u2028\u2029\ufeff\ufffe\uffff\u{10000}\u{10ffff}e\u0301\u0323`;
  const made = store.logs.create(log({ notes }));
  expect(made.notes).toBe(notes);
  expect(store.logs.json(made.id)).toBe(JSON.stringify(made));
});

/** What the store is meant to be, in the simplest words. */
class Model {
  users = new Map<number, User>();
  logs = new Map<number, Log>();
  lastUser = 0;
  lastLog = 0;
}

type Step = (store: Store, model: Model) => void;

/** Does something to the store that must work if, and only if, it is right; says whether it did. */
function attempt(right: boolean, work: () => unknown): boolean {
  try {
    work();
  } catch (error) {
    if (!(error instanceof SciaticaError) || right) throw error;
    return false;
  }
  expect(right).toBe(true);
  return true;
}

function isValid(check: (value: unknown) => unknown, value: unknown): boolean {
  try {
    check(value);
    return true;
  } catch {
    return false;
  }
}

const steps: fc.Arbitrary<Step> = fc.oneof(
  faulty(users).map(
    (input): Step =>
      (store, model) => {
        if (
          !attempt(isValid(checksOf('user').input, input), () =>
            store.users.create(checksOf('user').input(input)),
          )
        )
          return;
        const next = ++model.lastUser;
        model.users.set(next, { id: next, ...checksOf('user').input(input) });
      },
  ),
  faulty(logs).map(
    (input): Step =>
      (store, model) => {
        const right = isValid(checksOf('log').input, input) && model.users.has((input as LogInput).userId);
        if (!attempt(right, () => store.logs.create(checkSent(store.users, 'log', 'input', input)))) return;
        const next = ++model.lastLog;
        model.logs.set(next, { id: next, ...checksOf('log').input(input) });
      },
  ),
  fc.tuple(id, users, fc.subarray(Object.keys(user()))).map(
    ([which, input, fields]): Step =>
      (store, model) => {
        const patch = Object.fromEntries(Object.entries(input).filter(([field]) => fields.includes(field)));
        const old = model.users.get(which);
        if (attempt(old !== undefined, () => store.users.update(which, checksOf('user').patch(patch))) && old)
          model.users.set(which, { ...old, ...patch });
      },
  ),
  fc.tuple(id, logs, fc.subarray(Object.keys(log()))).map(
    ([which, input, fields]): Step =>
      (store, model) => {
        const patch = Object.fromEntries(Object.entries(input).filter(([field]) => fields.includes(field)));
        const old = model.logs.get(which);
        const changed = old && { ...old, ...patch };
        const right =
          changed !== undefined &&
          model.users.has(changed.userId) &&
          (!('userId' in patch) || model.users.has(input.userId));
        if (
          attempt(right, () => store.logs.update(which, checkSent(store.users, 'log', 'patch', patch))) &&
          changed
        )
          model.logs.set(which, changed);
      },
  ),
  id.map(
    (which): Step =>
      (store, model) => {
        if (!attempt(model.users.has(which), () => store.users.delete(which))) return;
        model.users.delete(which);
        for (const { id: logId, userId } of model.logs.values())
          if (userId === which) model.logs.delete(logId);
      },
  ),
  id.map(
    (which): Step =>
      (store, model) => {
        if (attempt(model.logs.has(which), () => store.logs.delete(which))) model.logs.delete(which);
      },
  ),
);

test('after any sequence of writes, the store holds what a simple model holds', () => {
  const store = freshStore();
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 40, size: 'max' }), (sequence) => {
      const undo = new Error('undo');
      const run = () =>
        store.change(() => {
          const model = new Model();
          for (const step of sequence) {
            step(store, model);
            expect(store.users.list()).toStrictEqual([...model.users.values()]);
            expect(store.logs.list()).toStrictEqual([...model.logs.values()]);
          }
          throw undo;
        });
      expect(run).toThrow(undo);
      expect(store.users.count() + store.logs.count()).toBe(0);
    }),
    { numRuns: 60 },
  );
});
