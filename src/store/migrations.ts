import { exerciseTypes } from '../domain/log.ts';
import { painLocations } from '../domain/user.ts';

const oneOf = (values: readonly string[]) => `IN (${values.map((value) => `'${value}'`).join(', ')})`;
const DAY = "GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'";

/**
 * The schema, step by step: append-only, those still to come run as one transaction; `user_version` says how many have run.
 * The CHECKs are the last line of defence, not the validation: STRICT turns "1e2" into 100.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE users (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    firstName     TEXT    NOT NULL CHECK (length(firstName) BETWEEN 1 AND 100),
    lastName      TEXT    NOT NULL CHECK (length(lastName) BETWEEN 1 AND 100),
    email         TEXT    NOT NULL CHECK (length(email) BETWEEN 3 AND 254),
    age           INTEGER NOT NULL CHECK (age BETWEEN 0 AND 130),
    painLocation  TEXT    NOT NULL CHECK (painLocation ${oneOf(painLocations)}),
    painLevel     INTEGER NOT NULL CHECK (painLevel BETWEEN 1 AND 10),
    diagnosisDate TEXT    NOT NULL CHECK (diagnosisDate ${DAY})
  ) STRICT;

  CREATE TABLE logs (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    userId       INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    exerciseType TEXT    NOT NULL CHECK (exerciseType ${oneOf(exerciseTypes)}),
    exerciseName TEXT    NOT NULL CHECK (length(exerciseName) BETWEEN 1 AND 100),
    date         TEXT    NOT NULL CHECK (date ${DAY}),
    painBefore   INTEGER NOT NULL CHECK (painBefore BETWEEN 1 AND 10),
    painAfter    INTEGER NOT NULL CHECK (painAfter BETWEEN 1 AND 10),
    effective    INTEGER NOT NULL CHECK (effective IN (0, 1)),
    notes        TEXT    NOT NULL CHECK (length(notes) <= 10000)
  ) STRICT;

  CREATE INDEX logs_by_user ON logs (userId);
  CREATE INDEX logs_by_date ON logs (date);

  CREATE TABLE settings (
    name  TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
];
