import type { ExerciseType, Session } from '../domain/log.ts';
import { painLocations, type User } from '../domain/user.ts';
import { exerciseKey } from './exercises.ts';
import { round } from './numbers.ts';
import { PainTable } from './pain-table.ts';
import type { Finding, ResponseRule } from './shapes.ts';
import { meanEstimate } from './stats/estimate.ts';
import { meanOf, type Point } from './stats/points.ts';
import { findingOf, ranked } from './verdict.ts';

type PainLocation = User['painLocation'];

/**
 * One exercise among the patients with pain in one location. The unit of analysis is the patient, because sessions of one
 * patient are correlated: interval, confidence sequence and verdict are for the mean of the patients' means.
 */
interface PlaceExercise extends Finding {
  readonly exerciseName: string;
  readonly exerciseType: ExerciseType;
  readonly rank: number | null;
  readonly patients: number;
  readonly sessions: number;
  /** Patients whose own mean change is below 0. */
  readonly patientsLower: number;
  /** Mean of the patients' mean changes: each patient counts once, however many sessions they logged. */
  readonly meanChange: number;
  /** Share of all sessions with a meaningful response. */
  readonly responded: number;
}

export interface PlaceSummary {
  readonly painLocation: PainLocation;
  readonly patients: number;
  readonly sessions: number;
  /** Ranked as in a summary; with fewer than 3 patients the verdict is `too-few`. */
  readonly exercises: readonly PlaceExercise[];
}

/**
 * The response to exercises by pain location, over many patients. Locations come in the order of `painLocations`; those without
 * sessions are left out, and so are logs whose user is not among `users`.
 */
export function summarizePlaces(
  users: Iterable<Pick<User, 'id' | 'painLocation'>>,
  logs: Iterable<Session>,
  rule: ResponseRule,
): PlaceSummary[] {
  const placeOf = new Map<number, PainLocation>();
  for (const { id, painLocation } of users) placeOf.set(id, painLocation);
  const places = new Map(painLocations.map((place) => [place, new Map<string, PatientTables>()]));
  for (const log of logs) {
    const place = places.get(placeOf.get(log.userId) as PainLocation);
    if (place) addLog(place, log);
  }
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
  const { exerciseName, exerciseType, userId } = log;
  const key = exerciseKey(log);
  const none = () => ({ exerciseName, exerciseType, all: new PainTable(), byPatient: new Map() });
  const tables = place.get(key) ?? none();
  place.set(key, tables);
  const table = tables.byPatient.get(userId) ?? new PainTable();
  tables.byPatient.set(userId, table);
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
    exercises: ranked(
      all.map((each) => summarizeExerciseOfPlace(each, rule)),
      ({ patients }) => patients,
      ({ meanChange }) => meanChange,
    ),
  };
}

function summarizeExerciseOfPlace(tables: PatientTables, rule: ResponseRule): Omit<PlaceExercise, 'rank'> {
  const { exerciseName, exerciseType, all, byPatient } = tables;
  const means = [...byPatient.values()].map((table) => meanOf(table.changes()));
  const points = means.map((mean): Point => [mean, 1]);
  const estimate = meanEstimate(points);
  return {
    exerciseName,
    exerciseType,
    ...findingOf(estimate),
    patients: means.length,
    sessions: all.sessions,
    patientsLower: means.filter((value) => value < 0).length,
    meanChange: round(estimate.value),
    responded: round(all.responded(rule) / all.sessions),
  };
}
