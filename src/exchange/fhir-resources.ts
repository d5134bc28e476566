import { createHash } from 'node:crypto';
import type { ExerciseType, Log } from '../domain/log.ts';
import type { PainEntry } from '../domain/pain-entry.ts';
import { armsOf, armText, dayIndex, lastDayOf, type Trial, type TrialDay } from '../domain/trial.ts';
import type { User } from '../domain/user.ts';
import { addDays } from '../domain/words/day.ts';

/** Single records as FHIR R4 resources, which contain nothing but what was recorded. */

/** The identifier value of a record, by kind of resource. The place of a kind is a digit of its UUIDs, so it must not change. */
const values = {
  patient: (id: number) => `user-${id}`,
  session: (id: number) => `log-${id}`,
  before: (id: number) => `log-${id}-before`,
  after: (id: number) => `log-${id}-after`,
  report: (id: number) => `user-${id}-report`,
  condition: (id: number) => `user-${id}-condition`,
  level: (id: number) => `user-${id}-pain-level`,
  pain: (id: number) => `pain-${id}`,
  trial: (id: number) => `trial-${id}`,
  first: (id: number) => `trial-day-${id}-first`,
  second: (id: number) => `trial-day-${id}-second`,
};

export type ResourceKind = keyof typeof values;
const resourceKinds = Object.keys(values);

/**
 * The globally unique names of resources. A record of one database always has the same names, and no record of another
 * database has them: they contain the UUID of the database, since record ids begin at 1 in each.
 */
export class Names {
  readonly #database: string;
  readonly #prefix: string;

  /** @param database the UUID of the database */
  constructor(database: string) {
    this.#database = database.toLowerCase();
    const hex = this.#database.replaceAll('-', '');
    this.#prefix = `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8`;
  }

  /**
   * The name of a resource within a bundle: a UUID of version 8 (RFC 9562, 5.8), made of the database's UUID, the
   * kind and the record's id (below 2^52).
   */
  urn(kind: ResourceKind, id: number): string {
    const digits = resourceKinds.indexOf(kind).toString(16) + id.toString(16).padStart(14, '0');
    return `${this.#prefix}${digits.slice(0, 3)}-${digits.slice(3)}`;
  }

  reference(kind: ResourceKind, id: number): { reference: string } {
    return { reference: this.urn(kind, id) };
  }

  /**
   * The business identifier of a resource, by which a server recognises it.
   * @param version suffix that distinguishes resources of the same record
   */
  identifier(kind: ResourceKind, id: number, version = ''): { system: string; value: string } {
    return { system: `urn:uuid:${this.#database}`, value: values[kind](id) + version };
  }
}

const SNOMED = 'http://snomed.info/sct';
const LOINC = 'http://loinc.org';

/** A resource as this module makes them. */
export interface Resource {
  readonly resourceType: string;
  readonly identifier: readonly { readonly system: string; readonly value: string }[];
  readonly [element: string]: unknown;
}

export function patientOf(names: Names, user: User, { anonymous }: { anonymous?: boolean }): Resource {
  const patient = { resourceType: 'Patient', identifier: [names.identifier('patient', user.id)] };
  if (anonymous) return patient;
  return {
    ...patient,
    name: [{ family: clean(user.lastName), given: [clean(user.firstName)] }],
    telecom: [{ system: 'email', value: clean(user.email) }],
  };
}

/**
 * The condition that the diary is about. The day of the diagnosis is when it was asserted; onset and clinical status are
 * left out, since no record has them.
 */
export function conditionOf(names: Names, { id, painLocation, diagnosisDate }: User): Resource {
  const patient = names.reference('patient', id);
  return {
    resourceType: 'Condition',
    identifier: [names.identifier('condition', id)],
    extension: [
      {
        url: 'http://hl7.org/fhir/StructureDefinition/condition-assertedDate',
        valueDateTime: diagnosisDate,
      },
    ],
    code: { coding: [{ system: SNOMED, code: '23056005', display: 'Sciatica' }], text: 'Sciatica' },
    bodySite: [bodySite(painLocation)],
    subject: patient,
    asserter: patient,
  };
}

const THERAPY = { code: '229065009', display: 'Exercise therapy' };

/** SNOMED CT has a code for stretching; the other types are coded as exercise therapy, and the category names the type. */
const exercises: Readonly<Partial<Record<ExerciseType, typeof THERAPY & { category: string }>>> = {
  stretch: { code: '229070002', display: 'Stretching exercises', category: 'Stretching exercise' },
  strengthening: { ...THERAPY, category: 'Strengthening exercise' },
};

export function procedureOf(names: Names, log: Log, place: User['painLocation'] | undefined): Resource {
  const { exerciseType: type } = log;
  const { code, display, category } = exercises[type] ?? { ...THERAPY, category: `Exercise: ${type}` };
  const patient = names.reference('patient', log.userId);
  return {
    resourceType: 'Procedure',
    identifier: [names.identifier('session', log.id)],
    status: 'completed',
    category: { text: category },
    code: { coding: [{ system: SNOMED, code, display }], text: clean(log.exerciseName) },
    subject: patient,
    performedDateTime: log.date,
    asserter: patient,
    performer: [{ actor: patient }],
    ...(place && { bodySite: [bodySite(place)] }),
    outcome: { text: `Marked ${log.effective ? 'effective' : 'not effective'} by the patient` },
    ...notesOf(log.notes, log.medication),
  };
}

/** The notes and the medication that was taken before, each as an annotation. */
function notesOf(notes = '', medication?: string): { note?: { text: string }[] } {
  const text = clean(notes);
  const note = [
    ...(text.trim() === '' ? [] : [{ text }]),
    ...(medication === undefined ? [] : [{ text: `Medication taken before: ${clean(medication)}` }]),
  ];
  return note.length > 0 ? { note } : {};
}

const painCode = {
  system: LOINC,
  code: '72514-3',
  display: 'Pain severity - 0-10 verbal numeric rating [Score] - Reported',
};

/** The code system of this program. LOINC has no code for a scale from 1, nor for pain before and after an exercise. */
const OWN = 'urn:uuid:0f6c2f0e-57a4-4d0b-9a3e-6c1d0e2b7a41';

/** The codes of a rating: that of a scale from 0, which servers know, and our own of the scale from 1. */
function ratingOf(code: string, text: string): object {
  const own = { system: OWN, code, display: `${text}, numeric rating from 1 to 10` };
  return { coding: [painCode, own], text };
}

const survey = {
  coding: [{ system: 'http://terminology.hl7.org/CodeSystem/observation-category', code: 'survey' }],
};

/**
 * The categories that distinguish the two observations of a session. `category` may hold several classification schemes (R4,
 * Observation.category), and every server can search by it.
 */
const phases = {
  before: { coding: [{ system: SNOMED, code: '307166007', display: 'Before exercise' }] },
  after: { coding: [{ system: SNOMED, code: '255214003', display: 'After exercise' }] },
};

const scale = { text: 'Numeric rating from 1 to 10. It starts at 1: it has no value for no pain.' };

/** An observation of pain, its elements in the order of R4; JSON leaves out those that are undefined. */
function painObservation(
  names: Names,
  userId: number,
  place: User['painLocation'] | undefined,
  elements: Omit<Resource, 'resourceType'>,
): Resource {
  const { identifier, partOf, basedOn, category = [survey], code, effectiveDateTime } = elements;
  const { valueInteger, note, component } = elements;
  const patient = names.reference('patient', userId);
  return {
    resourceType: 'Observation',
    identifier: identifier as Resource['identifier'],
    partOf,
    basedOn,
    status: 'final',
    category,
    code,
    subject: patient,
    effectiveDateTime,
    performer: [patient],
    valueInteger,
    bodySite: place && bodySite(place),
    note,
    method: scale,
    component,
  };
}

export function observationOf(
  names: Names,
  { id, userId, date, painBefore, painAfter }: Log,
  when: keyof typeof phases,
  place: User['painLocation'] | undefined,
): Resource {
  return painObservation(names, userId, place, {
    identifier: [names.identifier(when, id)],
    partOf: [names.reference('session', id)],
    category: [survey, phases[when]],
    code: ratingOf(`pain-${when}-exercise`, `Pain ${when} exercise`),
    effectiveDateTime: date,
    valueInteger: when === 'before' ? painBefore : painAfter,
  });
}

/**
 * The pain level of the profile, which is recorded without a date. Its identifier contains the level: after a change it is
 * another observation.
 */
export function painLevelOf(names: Names, { id, painLevel, painLocation }: User): Resource {
  return painObservation(names, id, painLocation, {
    identifier: [names.identifier('level', id, `-${painLevel}`)],
    code: ratingOf('pain-level', 'Pain level in the profile'),
    valueInteger: painLevel,
  });
}

export function painOf(names: Names, entry: PainEntry, place: User['painLocation'] | undefined): Resource {
  const { id, userId, date, timeOfDay, pain, medication, notes } = entry;
  return painObservation(names, userId, place, {
    identifier: [names.identifier('pain', id)],
    code: { coding: [painCode], text: timeOfDay === undefined ? 'Pain' : `Pain, ${timeOfDay}` },
    effectiveDateTime: date,
    valueInteger: pain,
    ...notesOf(notes, medication),
  });
}

/** A trial as a plan of care that the patient made. The studies of R4 are for research, which this is not. */
export function carePlanOf(names: Names, trial: Trial): Resource {
  const { id, userId, exerciseName, against, start, days, outcome } = trial;
  const patient = names.reference('patient', userId);
  const instead = against === 'usual' ? 'the usual without it' : clean(armText(trial, 'b'));
  const title = `Trial of ${clean(exerciseName)} against ${instead}`;
  return {
    resourceType: 'CarePlan',
    identifier: [names.identifier('trial', id)],
    status: planStatus[trial.state],
    intent: 'plan',
    title,
    description: `Single-patient (n-of-1) trial: ${days} days in random blocks of four, two days of each; outcome: pain ${outcomeTexts[outcome]}.`,
    subject: patient,
    period: { start, end: lastDayOf(trial) },
    author: patient,
  };
}

const planStatus = { running: 'active', finished: 'completed', 'given-up': 'revoked' } as const;

const outcomeTexts = { hour: 'one hour after', bedtime: 'at bedtime', morning: 'the next morning' } as const;

const trialCodes: Readonly<Record<'first' | 'second', readonly [code: string, text: string]>> = {
  first: ['trial-first', 'Pain at the time of the exercise, on a day of a trial'],
  second: ['trial-second', 'Pain at the time of the outcome, of a day of a trial'],
};

/**
 * One of the two pains of a trial day, with the arm drawn for the day and whether it was followed, as an analysis needs them.
 * @param trial the trial whose day it is; undefined where it is not among the records
 */
export function trialDayOf(
  names: Names,
  { id, userId, date, done, notes }: TrialDay,
  which: keyof typeof trialCodes,
  pain: number,
  place: User['painLocation'] | undefined,
  trial: Trial | undefined,
): Resource {
  const isNextDay = which === 'second' && trial?.outcome === 'morning';
  const index = trial && dayIndex(trial, date);
  const arm = trial && index !== undefined ? armsOf(trial.seed, trial.days)[index] : undefined;
  const drawn =
    trial && index !== undefined && arm
      ? [
          { code: { text: 'Day of the trial' }, valueInteger: index + 1 },
          { code: { text: 'Drawn for the day' }, valueCodeableConcept: { text: clean(armText(trial, arm)) } },
        ]
      : [];
  return painObservation(names, userId, place, {
    identifier: [names.identifier(which, id)],
    ...(trial && { basedOn: [names.reference('trial', trial.id)] }),
    code: ratingOf(...trialCodes[which]),
    effectiveDateTime: isNextDay ? addDays(date, 1) : date,
    valueInteger: pain,
    ...notesOf(notes),
    component: [...drawn, { code: { text: 'What was drawn was done' }, valueBoolean: done }],
  });
}

/** SNOMED CT has codes for the left and the right buttock; for other parts the code has no side, and the text says it. */
const bodySites: Readonly<Record<User['painLocation'], { code: string; text: string }>> = {
  'lower-back-left': { code: '37822005', text: 'Left lower back' },
  'lower-back-right': { code: '37822005', text: 'Right lower back' },
  'glute-left': { code: '723979003', text: 'Left buttock' },
  'glute-right': { code: '723980000', text: 'Right buttock' },
  'calf-left': { code: '53840002', text: 'Left calf' },
  'calf-right': { code: '53840002', text: 'Right calf' },
};

function bodySite(place: User['painLocation']): object {
  const { code, text } = bodySites[place];
  return { coding: [{ system: SNOMED, code }], text };
}

/**
 * A report on a user. Its identifier contains a hash of its content: the same report is the same document, a later one
 * another.
 * @param html the report, one page
 */
export function documentOf(names: Names, userId: number, html: string): Resource {
  const digest = createHash('sha256').update(html).digest('hex').slice(0, 16);
  return {
    resourceType: 'DocumentReference',
    identifier: [names.identifier('report', userId, `-${digest}`)],
    status: 'current',
    type: {
      coding: [{ system: LOINC, code: '51855-5', display: 'Patient Note' }],
      text: 'Exercise and pain',
    },
    subject: names.reference('patient', userId),
    content: [
      {
        attachment: {
          contentType: 'text/html',
          language: 'en',
          data: Buffer.from(html).toString('base64'),
          size: Buffer.byteLength(html),
          // R4 prescribes SHA-1: it detects damage in transit, and is no protection against manipulation.
          hash: createHash('sha1').update(html).digest('base64'),
          title: 'Exercise and pain: report',
        },
      },
    ],
  };
}

/** Text as FHIR allows it: blanks, tabs and line ends are its only white space, and it has no control characters. */
function clean(text: string): string {
  return text.replace(/[^\S \r\n\t]/g, ' ').replace(/[\u0000-\u0008\u000e-\u001f]/g, '\ufffd');
}
