/** The records and the settings. Released: never edit. */
export const sql = `
  CREATE TABLE users (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    firstName     TEXT    NOT NULL CHECK (length(firstName) BETWEEN 1 AND 100),
    lastName      TEXT    NOT NULL CHECK (length(lastName) BETWEEN 1 AND 100),
    email         TEXT    NOT NULL CHECK (length(email) BETWEEN 3 AND 254),
    age           INTEGER NOT NULL CHECK (age BETWEEN 0 AND 130),
    painLocation  TEXT    NOT NULL CHECK (painLocation IN ('lower-back-left', 'lower-back-right', 'glute-left', 'glute-right', 'calf-left', 'calf-right')),
    painLevel     INTEGER NOT NULL CHECK (painLevel BETWEEN 1 AND 10),
    diagnosisDate TEXT    NOT NULL CHECK (diagnosisDate GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]')
  ) STRICT;

  CREATE TABLE logs (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    userId       INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    exerciseType TEXT    NOT NULL CHECK (exerciseType IN ('stretch', 'strengthening')),
    exerciseName TEXT    NOT NULL CHECK (length(exerciseName) BETWEEN 1 AND 100),
    date         TEXT    NOT NULL CHECK (date GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'),
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
  `;
