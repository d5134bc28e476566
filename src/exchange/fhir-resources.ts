import { createHash } from 'node:crypto';
import type { ExerciseType, Log } from '../domain/log.ts';
import type { User } from '../domain/user.ts';
import type { Names } from './fhir-names.ts';

/** One record as FHIR R4 resources. No element has two values; nothing is in them but what was recorded. */

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

const THERAPY = { code: '229065009', display: 'Exercise therapy' };

/** SNOMED CT has stretching by name; the others are exercise therapy, and the category says which. */
const exercises: Readonly<Partial<Record<ExerciseType, typeof THERAPY & { category: string }>>> = {
  stretch: { code: '229070002', display: 'Stretching exercises', category: 'Stretching exercise' },
  strengthening: { ...THERAPY, category: 'Strengthening exercise' },
};

export function procedureOf(names: Names, log: Log, place: User['painLocation'] | undefined): Resource {
  const { exerciseType: type } = log;
  const { code, display, category } = exercises[type] ?? { ...THERAPY, category: `Exercise: ${type}` };
  const notes = clean(log.notes);
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
    ...(notes.trim() !== '' && { note: [{ text: notes }] }),
  };
}

const painCode = {
  system: LOINC,
  code: '72514-3',
  display: 'Pain severity - 0-10 verbal numeric rating [Score] - Reported',
};

const survey = {
  coding: [{ system: 'http://terminology.hl7.org/CodeSystem/observation-category', code: 'survey' }],
};

/**
 * What a program tells the two observations of a session apart by. `category` may hold several schemes of
 * classification (R4, Observation.category), and every server finds by it.
 */
const phases = {
  before: { coding: [{ system: SNOMED, code: '307166007', display: 'Before exercise' }] },
  after: { coding: [{ system: SNOMED, code: '255214003', display: 'After exercise' }] },
};

const scale = { text: 'Numeric rating from 1 to 10. It starts at 1: it has no value for no pain.' };

export function observationOf(
  names: Names,
  log: Log,
  when: keyof typeof phases,
  place: User['painLocation'] | undefined,
): Resource {
  const patient = names.reference('patient', log.userId);
  return {
    resourceType: 'Observation',
    identifier: [names.identifier(when, log.id)],
    partOf: [names.reference('session', log.id)],
    status: 'final',
    category: [survey, phases[when]],
    code: { coding: [painCode], text: `Pain ${when} exercise` },
    subject: patient,
    effectiveDateTime: log.date,
    performer: [patient],
    valueInteger: when === 'before' ? log.painBefore : log.painAfter,
    ...(place && { bodySite: bodySite(place) }),
    method: scale,
  };
}

/** SNOMED CT has a left and a right buttock; of the others the code is the part, and the text says the side. */
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
 * A report on a user. Its identifier is made of what it says: the same report is the same document, a later one
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
          // R4 asks for SHA-1; it finds what was damaged on its way, it protects from nobody.
          hash: createHash('sha1').update(html).digest('base64'),
          title: 'Exercise and pain: report',
        },
      },
    ],
  };
}

/** Text as FHIR takes it: of white space only blanks, tabs and line ends, and no control characters. */
function clean(text: string): string {
  return text.replace(/[^\S \r\n\t]/g, ' ').replace(/[\u0000-\u0008\u000e-\u001f]/g, '\ufffd');
}
