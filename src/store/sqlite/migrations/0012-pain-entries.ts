/** Pain entries, and the medication before a session. */
export const sql = `
  CREATE TABLE painEntries (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    userId     INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    date       TEXT    NOT NULL CHECK (date GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'),
    timeOfDay  TEXT    CHECK (timeOfDay = 'morning' OR timeOfDay = 'midday' OR timeOfDay = 'evening' OR timeOfDay = 'night'),
    pain       INTEGER NOT NULL CHECK (pain BETWEEN 1 AND 10),
    medication TEXT    CHECK (length(medication) BETWEEN 1 AND 200),
    notes      TEXT    CHECK (length(notes) BETWEEN 1 AND 10000)
  ) STRICT;
  CREATE INDEX painEntries_by_user_and_date ON painEntries (userId, date);

  ALTER TABLE logs ADD COLUMN medication TEXT CHECK (length(medication) BETWEEN 1 AND 200);
  -- With every column, as before.
  DROP INDEX logs_of_user;
  CREATE INDEX logs_of_user ON logs (userId, id, exerciseType, exerciseName, date, painBefore, painAfter, effective, notes, medication);
  `;
