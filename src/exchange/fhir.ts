import type { Log } from '../domain/log.ts';
import type { User } from '../domain/user.ts';
import { observationOf, patientOf, procedureOf, urn } from './fhir-resources.ts';

/**
 * Records as one FHIR R4 Bundle (a collection): of each user a Patient, of each session a Procedure with two
 * Observations, the pain before and after. Age, pain level and day of diagnosis are left out.
 * @param logs those of these users only
 * @param options.anonymous leave out name and e-mail address
 * @returns the text piece by piece, a resource per line; the same records give the same bytes
 */
export function* bundleOf(
  users: Iterable<readonly User[]>,
  logs: Iterable<readonly Log[]>,
  options: { anonymous?: boolean } = {},
): Generator<string> {
  yield '{"resourceType":"Bundle","type":"collection"';
  // FHIR has no empty lists.
  let before = ',"entry":[\n';
  for (const entries of blocksOf(users, logs, options)) {
    if (entries.length === 0) continue;
    yield before + entries.join(',\n');
    before = ',\n';
  }
  yield before === ',\n' ? '\n]}\n' : '}\n';
}

function* blocksOf(
  users: Iterable<readonly User[]>,
  logs: Iterable<readonly Log[]>,
  options: { anonymous?: boolean },
): Generator<string[]> {
  const places = new Map<number, User['painLocation']>();
  for (const block of users) {
    for (const { id, painLocation } of block) places.set(id, painLocation);
    yield block.map((user) => entry(urn('patient', user.id), patientOf(user, options)));
  }
  for (const block of logs) yield block.flatMap((log) => entriesOf(log, places.get(log.userId)));
}

function entriesOf(log: Log, place: User['painLocation'] | undefined): string[] {
  return [
    entry(urn('session', log.id), procedureOf(log, place)),
    entry(urn('before', log.id), observationOf(log, 'before', place)),
    entry(urn('after', log.id), observationOf(log, 'after', place)),
  ];
}

const entry = (fullUrl: string, resource: object) => JSON.stringify({ fullUrl, resource });
