import type { Log } from '../domain/log.ts';
import type { PainEntry } from '../domain/pain-entry.ts';
import { type Trial, type TrialDay, trialOn } from '../domain/trial.ts';
import type { User } from '../domain/user.ts';
import type { Resource, ResourceKind } from './fhir-resources.ts';
import * as resources from './fhir-resources.ts';

/** What a bundle is for: a collection to be read, or a transaction to be posted to a server, which creates what it lacks. */
export type BundleType = 'collection' | 'transaction';

export interface BundleOptions {
  /** The UUID of the database that the ids are of. */
  readonly database: string;
  /** `collection` by default. */
  readonly type?: BundleType | undefined;
  /** Leaves out name and e-mail address. */
  readonly anonymous?: boolean;
  /** Pain entries, trials and trial days must be those of these users. */
  readonly painEntries?: Iterable<readonly PainEntry[]> | undefined;
  readonly trials?: Iterable<readonly Trial[]> | undefined;
  readonly trialDays?: Iterable<readonly TrialDay[]> | undefined;
  /** Makes the report on a user as an HTML page, to go with the records; without it, there are no reports. */
  readonly report?: ((user: User) => string) | undefined;
}

/**
 * Writes records as one FHIR R4 Bundle. Of each user: a Patient, a Condition, an Observation of the pain level and, with a
 * report, a DocumentReference. Of each session: a Procedure and two Observations, the pain before and after. Of each pain
 * entry: an Observation. Of each trial: a CarePlan; of each of its days: an Observation of the pain before, and one of the
 * outcome. Age is left out. In a transaction every entry is created only if no resource with its identifier exists: a server
 * that gets it again makes no duplicates, and leaves what it has as it is.
 * @param logs those of these users only
 * @returns the text piece by piece, a resource per line; the same records give the same bytes
 */
export function* bundleOf(
  users: Iterable<readonly User[]>,
  logs: Iterable<readonly Log[]>,
  options: BundleOptions,
): Generator<string> {
  const type = options.type ?? 'collection';
  const names = new resources.Names(options.database);
  const entry = (kind: ResourceKind, id: number, resource: Resource) =>
    JSON.stringify({
      fullUrl: names.urn(kind, id),
      ...(type === 'transaction'
        ? { resource, request: createOnce(resource) }
        : { resource: named(resource) }),
    });
  yield `{"resourceType":"Bundle","type":"${type}"`;
  // FHIR allows no empty lists, so an empty bundle has no `entry`.
  let before = ',"entry":[\n';
  for (const entries of blocksOf(users, logs, options, names, entry)) {
    if (entries.length === 0) continue;
    yield before + entries.join(',\n');
    before = ',\n';
  }
  yield before === ',\n' ? '\n]}\n' : '}\n';
}

function* blocksOf(
  users: Iterable<readonly User[]>,
  logs: Iterable<readonly Log[]>,
  { anonymous = false, painEntries = [], trials = [], trialDays = [], report }: BundleOptions,
  names: resources.Names,
  entry: (kind: ResourceKind, id: number, resource: Resource) => string,
): Generator<string[]> {
  const places = new Map<number, User['painLocation']>();
  for (const block of users) {
    for (const { id, painLocation } of block) places.set(id, painLocation);
    yield block.flatMap((user) => [
      entry('patient', user.id, resources.patientOf(names, user, { anonymous })),
      entry('condition', user.id, resources.conditionOf(names, user)),
      entry('level', user.id, resources.painLevelOf(names, user)),
    ]);
    // A report can be long: one at a time.
    if (report)
      for (const user of block)
        yield [entry('report', user.id, resources.documentOf(names, user.id, report(user)))];
  }
  for (const block of logs)
    yield block.flatMap((log) => {
      const place = places.get(log.userId);
      return [
        entry('session', log.id, resources.procedureOf(names, log, place)),
        entry('before', log.id, resources.observationOf(names, log, 'before', place)),
        entry('after', log.id, resources.observationOf(names, log, 'after', place)),
      ];
    });
  for (const block of painEntries)
    yield block.map((one) => entry('pain', one.id, resources.painOf(names, one, places.get(one.userId))));
  const known: Trial[] = [];
  for (const block of trials) {
    known.push(...block);
    yield block.map((trial) => entry('trial', trial.id, resources.carePlanOf(names, trial)));
  }
  for (const block of trialDays)
    yield block.flatMap((day) => {
      const place = places.get(day.userId);
      const trial = trialOn(known, day);
      const observation = (which: 'first' | 'second', pain: number) =>
        entry(which, day.id, resources.trialDayOf(names, day, which, pain, place, trial));
      const first = observation('first', day.first);
      return day.second === undefined ? [first] : [first, observation('second', day.second)];
    });
}

/** A resource of a collection with an id, the value of its identifier. In a transaction the server assigns the ids. */
function named({ resourceType, ...elements }: Resource): object {
  return { resourceType, id: elements.identifier[0]?.value, ...elements };
}

/** A conditional create (R4, http.html#ccreate). */
function createOnce({ resourceType, identifier: [identifier] }: Resource): object {
  const ifNoneExist = `identifier=${identifier?.system}|${identifier?.value}`;
  return { method: 'POST', url: resourceType, ifNoneExist };
}
