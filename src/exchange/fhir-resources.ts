import type { ExerciseType, Log } from '../domain/log.ts';
import type { User } from '../domain/user.ts';

/** One record as FHIR R4 resources. No element has two values; nothing is in them but what was recorded. */

const SNOMED = 'http://snomed.info/sct';
const LOINC = 'http://loinc.org';

const KINDS = { patient: '0001', session: '0002', before: '0003', after: '0004' } as const;

/**
 * The name of a resource within a bundle: a UUID of version 8 (RFC 9562, 5.8) that is made of the kind and the
 * record's id, so that the same record always has the same. It is unique within one database, not beyond.
 */
export function urn(kind: keyof typeof KINDS, id: number): string {
  const digits = id.toString(16).padStart(15, '0');
  return `urn:uuid:5c1a71ca-${KINDS[kind]}-8000-8${digits.slice(0, 3)}-${digits.slice(3)}`;
}

const reference = (kind: keyof typeof KINDS, id: number) => ({ reference: urn(kind, id) });

export function patientOf(user: User, { anonymous }: { anonymous?: boolean }): object {
  const patient = {
    resourceType: 'Patient',
    id: `user-${user.id}`,
    identifier: [{ value: String(user.id) }],
  };
  if (anonymous) return patient;
  return {
    ...patient,
    name: [{ family: clean(user.lastName), given: [clean(user.firstName)] }],
    telecom: [{ system: 'email', value: clean(user.email) }],
  };
}

/** SNOMED CT has stretching by name; strengthening is exercise therapy, and the category says which. */
const exercises: Readonly<Record<ExerciseType, { code: string; display: string; category: string }>> = {
  stretch: { code: '229070002', display: 'Stretching exercises', category: 'Stretching exercise' },
  strengthening: { code: '229065009', display: 'Exercise therapy', category: 'Strengthening exercise' },
};

export function procedureOf(log: Log, place: User['painLocation'] | undefined): object {
  const { code, display, category } = exercises[log.exerciseType];
  const notes = clean(log.notes);
  return {
    resourceType: 'Procedure',
    id: `log-${log.id}`,
    status: 'completed',
    category: { text: category },
    code: { coding: [{ system: SNOMED, code, display }], text: clean(log.exerciseName) },
    subject: reference('patient', log.userId),
    performedDateTime: log.date,
    ...(place && { bodySite: [bodySite(place)] }),
    outcome: { text: `Marked ${log.effective ? 'effective' : 'not effective'} by the patient` },
    ...(notes.trim() !== '' && { note: [{ text: notes }] }),
  };
}

const painScale = {
  code: {
    coding: [
      {
        system: LOINC,
        code: '72514-3',
        display: 'Pain severity - 0-10 verbal numeric rating [Score] - Reported',
      },
    ],
  },
  category: [
    {
      coding: [{ system: 'http://terminology.hl7.org/CodeSystem/observation-category', code: 'survey' }],
    },
  ],
  note: [{ text: 'The scale starts at 1: it has no value for no pain.' }],
  referenceRange: [{ low: { value: 1 }, high: { value: 10 }, text: 'Scale from 1 to 10' }],
};

export function observationOf(
  log: Log,
  when: 'before' | 'after',
  place: User['painLocation'] | undefined,
): object {
  return {
    resourceType: 'Observation',
    id: `log-${log.id}-${when}`,
    partOf: [reference('session', log.id)],
    status: 'final',
    category: painScale.category,
    code: { ...painScale.code, text: `Pain ${when} exercise` },
    subject: reference('patient', log.userId),
    effectiveDateTime: log.date,
    valueInteger: when === 'before' ? log.painBefore : log.painAfter,
    note: painScale.note,
    ...(place && { bodySite: bodySite(place) }),
    referenceRange: painScale.referenceRange,
  };
}

const LEFT = '7771000';
const RIGHT = '24028007';

/** SNOMED CT has a left and a right buttock; of the others the part and the side stand beside each other. */
const bodySites: Readonly<Record<User['painLocation'], { codes: readonly string[]; text: string }>> = {
  'lower-back-left': { codes: ['37822005', LEFT], text: 'Left lower back' },
  'lower-back-right': { codes: ['37822005', RIGHT], text: 'Right lower back' },
  'glute-left': { codes: ['723979003'], text: 'Left buttock' },
  'glute-right': { codes: ['723980000'], text: 'Right buttock' },
  'calf-left': { codes: ['53840002', LEFT], text: 'Left calf' },
  'calf-right': { codes: ['53840002', RIGHT], text: 'Right calf' },
};

function bodySite(place: User['painLocation']): object {
  const { codes, text } = bodySites[place];
  return { coding: codes.map((code) => ({ system: SNOMED, code })), text };
}

/** Text as FHIR takes it: of white space only blanks, tabs and line ends, and no control characters. */
function clean(text: string): string {
  return text.replace(/[^\S \r\n\t]/g, ' ').replace(/[\u0000-\u0008\u000e-\u001f]/g, '\ufffd');
}
