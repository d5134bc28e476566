/** Trials and their days. */
export const sql = `
  CREATE TABLE trials (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    userId        INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    exerciseName  TEXT    NOT NULL CHECK (length(exerciseName) BETWEEN 1 AND 100),
    against       TEXT    NOT NULL CHECK (against = 'exercise' OR against = 'rest' OR against = 'usual'),
    otherExercise TEXT    CHECK (length(otherExercise) BETWEEN 1 AND 100),
    outcome       TEXT    NOT NULL CHECK (outcome = 'hour' OR outcome = 'bedtime' OR outcome = 'morning'),
    question      TEXT    NOT NULL CHECK (question = 'either' OR question = 'less'),
    start         TEXT    NOT NULL CHECK (start GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'),
    days          INTEGER NOT NULL CHECK (days BETWEEN 14 AND 84),
    difference    INTEGER NOT NULL CHECK (difference BETWEEN 1 AND 5),
    seed          INTEGER NOT NULL CHECK (seed BETWEEN 0 AND 2147483647),
    state         TEXT    NOT NULL CHECK (state = 'running' OR state = 'finished' OR state = 'given-up')
  ) STRICT;
  CREATE INDEX trials_by_user ON trials (userId);

  CREATE TABLE trialDays (
    id     INTEGER PRIMARY KEY AUTOINCREMENT,
    userId INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    date   TEXT    NOT NULL CHECK (date GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'),
    first  INTEGER NOT NULL CHECK (first BETWEEN 1 AND 10),
    second INTEGER CHECK (second BETWEEN 1 AND 10),
    done   INTEGER NOT NULL CHECK (done = 0 OR done = 1),
    notes  TEXT    CHECK (length(notes) BETWEEN 1 AND 10000)
  ) STRICT;
  CREATE INDEX trialDays_by_user_and_date ON trialDays (userId, date);
  `;
