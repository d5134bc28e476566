import type { ExerciseType, Session } from '../domain/log.ts';
import { painLocations, type User } from '../domain/user.ts';
import { isWithin } from './days.ts';
import { exerciseKey, rankByCaution, type Verdict, verdictOf } from './exercises.ts';
import { round, roundInterval } from './numbers.ts';
import { changeInterval, PainTable } from './pain-table.ts';
import { type ResponseRule, responseRules } from './rules.ts';
import { type Interval, meanOf, type Point } from './stats/interval.ts';

export type PainLocation = User['painLocation'];

/** One exercise among the patients whose pain is in one place. */
export interface PlaceExercise {
  readonly exerciseName: string;
  readonly exerciseType: ExerciseType;
  readonly rank: number | null;
  readonly verdict: Verdict;
  readonly patients: number;
  readonly sessions: number;
  /** Patients whose own mean change is below 0. */
  readonly patientsLower: number;
  /** Mean of the patients' mean changes: each patient counts once, however many sessions they logged. */
  readonly meanChange: number;
  /** A 95 % interval for it. The patients are the sample; sessions of one patient are alike. */
  readonly interval: Interval;
  /** Share of all sessions with a meaningful response. */
  readonly responded: number;
}

export interface PlaceSummary {
  readonly painLocation: PainLocation;
  readonly patients: number;
  readonly sessions: number;
  /** Ranked as in a summary; below 3 patients too few to say. */
  readonly exercises: readonly PlaceExercise[];
}

/**
 * Which exercises help whom: the response by pain location, over many patients. Places in the order of the
 * interface; those without sessions are left out, and so are logs whose user is not among `users`.
 */
export function summarizePlaces(
  users: Iterable<Pick<User, 'id' | 'painLocation'>>,
  logs: Iterable<Session>,
  options: { since?: string | undefined; until?: string | undefined; rule?: ResponseRule | undefined } = {},
): PlaceSummary[] {
  const placeOf = new Map<number, PainLocation>();
  for (const { id, painLocation } of users) placeOf.set(id, painLocation);
  const places = new Map(painLocations.map((place) => [place, new Map<string, PatientTables>()]));
  for (const log of logs) {
    const place = places.get(placeOf.get(log.userId) as PainLocation);
    if (place && isWithin(log.date, options)) addLog(place, log);
  }
  const rule = options.rule ?? responseRules.default;
  return [...places]
    .filter(([, { size }]) => size > 0)
    .map(([place, tables]) => summarizePlace(place, tables, rule));
}

/** The tables of one exercise, by patient. */
interface PatientTables {
  readonly exerciseName: string;
  readonly exerciseType: ExerciseType;
  readonly all: PainTable;
  readonly byPatient: Map<number, PainTable>;
}

function addLog(place: Map<string, PatientTables>, log: Session): void {
  const key = exerciseKey(log);
  let tables = place.get(key);
  if (!tables) {
    const { exerciseName, exerciseType } = log;
    tables = { exerciseName, exerciseType, all: new PainTable(), byPatient: new Map() };
    place.set(key, tables);
  }
  let table = tables.byPatient.get(log.userId);
  if (!table) {
    table = new PainTable();
    tables.byPatient.set(log.userId, table);
  }
  table.add(log);
  tables.all.add(log);
}

function summarizePlace(
  painLocation: PainLocation,
  tables: ReadonlyMap<string, PatientTables>,
  rule: ResponseRule,
): PlaceSummary {
  const all = [...tables.values()];
  return {
    painLocation,
    patients: new Set(all.flatMap(({ byPatient }) => [...byPatient.keys()])).size,
    sessions: all.reduce((sum, { all: { sessions } }) => sum + sessions, 0),
    exercises: rankByCaution(all.map((each) => summarizeExerciseOfPlace(each, rule))),
  };
}

function summarizeExerciseOfPlace(tables: PatientTables, rule: ResponseRule): Omit<PlaceExercise, 'rank'> {
  const { exerciseName, exerciseType, all, byPatient } = tables;
  const means = [...byPatient.values()].map((table) => meanOf(table.changes())).sort((a, b) => a - b);
  const points = countEqual(means);
  const mean = meanOf(points);
  const interval = roundInterval(changeInterval(points, all.before(), mean));
  return {
    exerciseName,
    exerciseType,
    verdict: verdictOf(interval, means.length),
    patients: means.length,
    sessions: all.sessions,
    patientsLower: means.filter((value) => value < 0).length,
    meanChange: round(mean),
    interval,
    responded: round(all.responded(rule) / all.sessions),
  };
}

/** Values as points with counts, in the same order. */
function countEqual(ascending: readonly number[]): Point[] {
  const counts = new Map<number, number>();
  for (const value of ascending) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts];
}
