import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import practice from '../../src/cli/practice.json';
import type { Log } from '../../src/domain/log.ts';
import { armsOf, trialFields } from '../../src/domain/trial.ts';
import { painLocations, type User } from '../../src/domain/user.ts';
import { type BundleOptions, bundleOf } from '../../src/exchange/fhir.ts';
import { Names } from '../../src/exchange/fhir-resources.ts';
import { nora, session } from '../helpers.ts';
import { exampleOf } from '../samples.ts';
import { type Bundle, expectValid, type Json, server, validator } from './fhir.ts';

const DATABASE = '9fc9ffc1-640e-4640-a59a-23d842245066';
const SYSTEM = `urn:uuid:${DATABASE}`;

const user = (fields: Partial<User> = {}): User => ({ id: 1, ...nora, ...fields });
const log = (fields: Partial<Log> = {}): Log => ({ id: 1, ...session, ...fields });

type Options = Partial<BundleOptions>;
const text = (users: User[], logs: Log[], options: Options = {}) =>
  [...bundleOf([users], [logs], { database: DATABASE, ...options })].join('');
const bundle = (users: User[], logs: Log[], options: Options = {}) =>
  JSON.parse(text(users, logs, options)) as Bundle;
const resources = (users: User[], logs: Log[], options: Options = {}) =>
  (bundle(users, logs, options).entry ?? []).map(({ resource }) => resource);

const records = practice as { users: User[]; userExerciseLogs: Log[] };
const report = ({ id }: User) => `<!doctype html><p>Report on ${id} – “ok”</p>`;

describe('a bundle', () => {
  test.each([
    ['collection', {}],
    ['transaction', { type: 'transaction' }],
    ['transaction with reports', { type: 'transaction', report }],
    ['collection with reports of nobody by name', { report, anonymous: true }],
  ] as const)('%s: of the practice records passes two public validators', (_, options) => {
    expectValid(bundle(records.users, records.userExerciseLogs.slice(0, 60), options));
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
          for (const resource of all) expectValid(resource);
        },
      ),
      { numRuns: 25 },
    );
  });

  test('has pain entries, and what was taken, as annotations', () => {
    const entry = {
      id: 4,
      userId: 1,
      date: '2026-03-02',
      timeOfDay: 'night' as const,
      pain: 7,
      medication: 'ibuprofen 400',
    };
    const all = resources([user()], [log({ medication: 'ibuprofen 400' })], {
      painEntries: [[entry]],
    });
    const procedure = all.find(({ resourceType }) => resourceType === 'Procedure');
    const pain = all.at(-1);
    const note = [{ text: 'Medication taken before: ibuprofen 400' }];
    expect(procedure).toMatchObject({ resourceType: 'Procedure', note });
    expect(pain).toMatchObject({
      identifier: [{ system: SYSTEM, value: 'pain-4' }],
      effectiveDateTime: '2026-03-02',
      code: { text: 'Pain, night' },
      valueInteger: 7,
      note,
    });
    for (const resource of [procedure, pain]) expectValid(resource as never);
  });

  test('has a trial as a plan, and the pains of its days', () => {
    const asked = { id: 2, userId: 1, state: 'finished', outcome: 'morning' } as const;
    const trial = { ...exampleOf(trialFields), ...asked };
    const drawn = armsOf(trial.seed, trial.days)[0] === 'a' ? trial.exerciseName : 'rest';
    const later = { id: 10, userId: 1, date: '2026-03-03', first: 6, done: true };
    const day = { ...later, id: 9, date: '2026-03-02', second: 4, done: false, notes: 'was away' };
    const ofAnother = { ...trial, id: 3, userId: 9 };
    const all = resources([user()], [], { trials: [[trial, ofAnother]], trialDays: [[day, later]] });
    const [plan, , first, second, only, ...rest] = all.slice(3);
    expect(rest).toEqual([]);
    expect(plan).toMatchObject({
      resourceType: 'CarePlan',
      identifier: [{ system: SYSTEM, value: 'trial-2' }],
      status: 'completed',
      period: { start: '2026-03-02', end: '2026-03-29' },
    });
    expect(first).toMatchObject({
      identifier: [{ system: SYSTEM, value: 'trial-day-9-first' }],
      basedOn: [{ reference: new Names(DATABASE).urn('trial', 2) }],
      valueInteger: 6,
      note: [{ text: 'was away' }],
      component: [
        { code: { text: 'Day of the trial' }, valueInteger: 1 },
        { code: { text: 'Drawn for the day' }, valueCodeableConcept: { text: drawn } },
        { code: { text: 'What was drawn was done' }, valueBoolean: false },
      ],
    });
    expect(second).toMatchObject({
      identifier: [{ value: 'trial-day-9-second' }],
      effectiveDateTime: '2026-03-03',
      valueInteger: 4,
    });
    expect(only).toMatchObject({ identifier: [{ value: 'trial-day-10-first' }] });
    for (const resource of [plan, first, second, only]) expectValid(resource as never);
  });

  test('of nothing is valid too', () => {
    expect(bundle([], [])).toEqual({ resourceType: 'Bundle', type: 'collection' });
    expect(validator().validate(bundle([], []))).toEqual([]);
  });

  test('gives no element two values, no id twice, and every reference leads somewhere', () => {
    const { users, userExerciseLogs } = records;
    const { entry = [] } = bundle(users, userExerciseLogs);
    expect(entry).toHaveLength(3 * 6 + 3 * 400);
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
    expect(text([user()], [log()]).trimEnd().split('\n')).toHaveLength(8);
  });

  test('is made piece by piece', () => {
    let asked = 0;
    function* blocks() {
      for (; asked < 1000; asked += 1) yield [log({ id: asked + 1 })];
    }
    const pieces = bundleOf([[user()]], blocks(), { database: DATABASE });
    for (let i = 0; i < 5; i += 1) pieces.next();
    expect(asked).toBeLessThan(5);
    pieces.return(undefined);
  });

  test('makes one report at a time', () => {
    let made = 0;
    const pieces = bundleOf([Array.from({ length: 9 }, (_, i) => user({ id: i + 1 }))], [], {
      database: DATABASE,
      report: () => `<p>${++made}</p>`,
    });
    for (let i = 0; i < 4; i += 1) pieces.next();
    expect(made).toBe(2);
    pieces.return(undefined);
  });

  test('names every resource by an identifier that no other database gives', () => {
    const all = resources(records.users, records.userExerciseLogs, { report });
    const values = all.map(({ identifier: [identifier] }) => {
      expect(identifier?.system).toBe(SYSTEM);
      return identifier?.value;
    });
    expect(new Set(values).size).toBe(4 * 6 + 3 * 400);
    const other = 'dcd97f30-3a4e-4a41-8c54-2fa9c2dbd7b5';
    const urls = (database: string) =>
      (bundle([user()], [log()], { database }).entry ?? []).map(({ fullUrl }) => fullUrl);
    expect(new Set([...urls(DATABASE), ...urls(other)]).size).toBe(12);
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
    const procedure = resources(
      [user()],
      [log({ exerciseType, exerciseName: 'Bird Dog', notes: 'Easy' })],
    )[3];
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
    const [patient, , , procedure, before, after] = entry;
    for (const [observation, value, when] of [
      [before, 6, 'before'],
      [after, 4, 'after'],
    ] as const)
      expect(observation?.resource).toMatchObject({
        resourceType: 'Observation',
        status: 'final',
        code: {
          coding: [
            { system: 'http://loinc.org', code: '72514-3' },
            {
              code: `pain-${when}-exercise`,
              display: `Pain ${when} exercise, numeric rating from 1 to 10`,
            },
          ],
          text: `Pain ${when} exercise`,
        },
        valueInteger: value,
        subject: { reference: patient?.fullUrl },
        partOf: [{ reference: procedure?.fullUrl }],
        method: { text: 'Numeric rating from 1 to 10. It starts at 1: it has no value for no pain.' },
      });
    // A range reads as what is normal.
    expect(text([user()], [log()])).not.toContain('referenceRange');
  });

  test('says before and after in codes, by which a program tells them apart', () => {
    const [, , , , before, after] = resources([user()], [log()]);
    const codes = (resource: Json = {}) =>
      (resource['category'] as { coding: { system: string; code: string }[] }[]).flatMap(({ coding }) =>
        coding.map(({ system, code }) => `${system}|${code}`),
      );
    const survey = 'http://terminology.hl7.org/CodeSystem/observation-category|survey';
    expect(codes(before)).toEqual([survey, 'http://snomed.info/sct|307166007']);
    expect(codes(after)).toEqual([survey, 'http://snomed.info/sct|255214003']);
  });

  test('comes from the patient: who did the exercise, says so, and rates the pain', () => {
    const { entry = [] } = bundle([user({ id: 7 })], [log({ userId: 7 })]);
    const [patient, , , procedure, before, after] = entry;
    const self = { reference: patient?.fullUrl };
    expect(procedure?.resource).toMatchObject({
      subject: self,
      asserter: self,
      performer: [{ actor: self }],
    });
    for (const observation of [before, after])
      expect(observation?.resource).toMatchObject({ subject: self, performer: [self] });
  });

  test.each([
    ['lower-back-left', '37822005', 'Left lower back'],
    ['lower-back-right', '37822005', 'Right lower back'],
    ['glute-left', '723979003', 'Left buttock'],
    ['glute-right', '723980000', 'Right buttock'],
    ['calf-left', '53840002', 'Left calf'],
    ['calf-right', '53840002', 'Right calf'],
  ] as const)('is about the %s: one code for one place', (painLocation, code, site) => {
    expect(painLocations).toContain(painLocation);
    const [, condition, level, procedure, before] = resources([user({ painLocation })], [log()]);
    for (const { bodySite } of [level, before] as Json[]) expect(bodySite).toMatchObject({ text: site });
    expect(condition?.['bodySite']).toMatchObject([{ text: site }]);
    const expected = { coding: [{ system: 'http://snomed.info/sct', code }], text: site };
    expect(procedure?.['bodySite']).toEqual([expected]);
    expect(before?.['bodySite']).toEqual(expected);
  });

  test('is about the place of its own user', () => {
    const of = { id: 1, userId: 2, date: '2026-03-02' };
    const all = resources([user(), user({ id: 2, painLocation: 'calf-right' })], [log({ userId: 2 })], {
      painEntries: [[{ ...of, pain: 7 }]],
      trialDays: [[{ ...of, first: 7, done: true }]],
    }).slice(6) as Json[];
    expect(all.map(({ bodySite }) => [bodySite].flat())).toEqual(
      Array(5).fill([expect.objectContaining({ text: 'Right calf' })]),
    );
  });

  test('without notes has no note', () => {
    for (const notes of ['', ' \n'])
      expect(resources([user()], [log({ notes })])[3]).not.toHaveProperty('note');
  });
});

describe('a patient', () => {
  test('has a name and an e-mail address', () => {
    expect(resources([user({ id: 7 })], []).slice(0, 1)).toEqual([
      {
        resourceType: 'Patient',
        id: 'user-7',
        identifier: [{ system: SYSTEM, value: 'user-7' }],
        name: [{ family: 'Lind', given: ['Nora'] }],
        telecom: [{ system: 'email', value: 'nora@example.org' }],
      },
    ]);
  });

  test('has neither when it is to be anonymous', () => {
    const file = text([user({ id: 7 })], [log({ userId: 7 })], { anonymous: true });
    expect(file).not.toMatch(/Nora|Lind|nora@/);
    expectValid(JSON.parse(file) as Bundle);
  });

  test('has a condition, asserted on the day of diagnosis, which is no onset', () => {
    const [patient, condition] =
      bundle([user({ diagnosisDate: '2026-01-15' })], [], { anonymous: true }).entry ?? [];
    expect(condition?.resource).toMatchObject({
      resourceType: 'Condition',
      extension: [
        {
          url: 'http://hl7.org/fhir/StructureDefinition/condition-assertedDate',
          valueDateTime: '2026-01-15',
        },
      ],
      code: { coding: [{ system: 'http://snomed.info/sct', code: '23056005' }] },
      bodySite: [{ text: 'Left buttock' }],
      subject: { reference: patient?.fullUrl },
    });
    expect(condition?.resource).not.toHaveProperty('onsetDateTime');
  });

  test('has a pain level, which is another observation when it is changed', () => {
    const [six, four] = [6, 4].map((painLevel) => resources([user({ painLevel })], [])[2]);
    expect(six).toMatchObject({
      resourceType: 'Observation',
      code: { coding: [{ code: '72514-3' }, { code: 'pain-level' }] },
      valueInteger: 6,
    });
    expect(six).not.toHaveProperty('effectiveDateTime');
    expect([six, four].map((level) => level?.identifier[0]?.value)).toEqual([
      'user-1-pain-level-6',
      'user-1-pain-level-4',
    ]);
  });

  test('may have the largest id there is', () => {
    const id = 999_999_999_999_999;
    expect(bundle([user({ id })], []).entry?.[0]?.fullUrl).toBe(
      'urn:uuid:9fc9ffc1-640e-8640-8003-8d7ea4c67fff',
    );
  });
});

describe('a report on a patient', () => {
  test('is a document that holds the page itself', () => {
    const [patient, , , document] = bundle([user({ id: 7 })], [], { report }).entry ?? [];
    const page = report(user({ id: 7 }));
    expect(document?.resource).toMatchObject({
      resourceType: 'DocumentReference',
      status: 'current',
      subject: { reference: patient?.fullUrl },
      content: [
        {
          attachment: {
            contentType: 'text/html',
            data: Buffer.from(page).toString('base64'),
            size: Buffer.byteLength(page),
            hash: createHash('sha1').update(page).digest('base64'),
          },
        },
      ],
    });
  });

  test('is the same document while it says the same', () => {
    const identifier = (page: string) =>
      resources([user()], [], { report: () => page })[3]?.identifier[0]?.value;
    expect(identifier('a')).toBe(identifier('a'));
    expect(identifier('a')).not.toBe(identifier('b'));
  });
});

describe('a transaction', () => {
  const logs = Array.from({ length: 3 }, (_, i) => log({ id: i + 1 }));
  const transaction = (options: Options = {}) =>
    bundle([user()], logs, { type: 'transaction', report, ...options });

  test('lets the server give the ids', () => {
    for (const { resource, request } of transaction().entry ?? []) {
      expect(resource).not.toHaveProperty('id');
      expect(request).toEqual({
        method: 'POST',
        url: resource.resourceType,
        ifNoneExist: `identifier=${SYSTEM}|${resource.identifier[0]?.value}`,
      });
    }
  });

  test('taken twice by a server makes no doubles, and every reference leads to what it made', async () => {
    const { post, stored } = server();
    const size = 1 + 1 + 2 + 3 * 3;
    expect(await post(transaction())).toEqual({ 201: size });
    expect(await post(transaction())).toEqual({ 200: size });
    expect(await stored('Patient')).toHaveLength(1);
    expect(await stored('Observation')).toHaveLength(7);
    expect(await stored('Condition')).toHaveLength(1);
    const [patient] = await stored('Patient');
    for (const observation of await stored('Observation'))
      expect(observation['subject']).toEqual({ reference: `Patient/${patient?.id}` });
  });

  test('brings what is new, to the patient that is there', async () => {
    const { post, stored } = server();
    await post(transaction());
    const later = bundle([user()], [...logs, log({ id: 4 })], { type: 'transaction', report: () => 'new' });
    expect(await post(later)).toEqual({ 200: 3 + 3 * 3, 201: 1 + 3 });
    expect(await stored('Patient')).toHaveLength(1);
    expect(await stored('DocumentReference')).toHaveLength(2);
  });

  test('of another database is about another patient, whatever the ids', async () => {
    const { post, stored } = server();
    await post(transaction());
    await post(transaction({ database: 'dcd97f30-3a4e-4a41-8c54-2fa9c2dbd7b5' }));
    expect(await stored('Patient')).toHaveLength(2);
    expect(await stored('Observation')).toHaveLength(14);
  });
});
