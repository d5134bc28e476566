import type BetterSqlite from 'better-sqlite3';
import { sql as usersAndLogs } from './0001-users-and-logs.ts';
import { sql as history } from './0002-history.ts';
import { requests, sql as tokensAndAudit } from './0003-tokens-and-audit.ts';
import { sql as routinesAndGoals } from './0006-routines-and-goals.ts';
import { sql as origins } from './0007-origins.ts';
import { sql as historyOfChanges } from './0011-history-of-changes.ts';
import { sql as replicas } from './0014-replicas.ts';
import { remakeHistoryTriggers } from './history-triggers.ts';

/**
 * The schema as a list of migrations in literal SQL. Pending ones run in one transaction; `user_version`
 * counts those that have run. A released migration never changes (a test holds the hash of each).
 * For a new kind: its table and indexes; for a new field: one ALTER. The history triggers follow from the
 * tables. Short migrations are in the list, long ones in files of their own.
 * The CHECKs are the last line of defence, not the validation: STRICT turns "1e2" into 100.
 */
export const migrations: readonly string[] = [
  usersAndLogs,
  history,
  tokensAndAudit,
  requests,
  // A UUID (version 4), which distinguishes the record ids of this database from those of any other.
  `
  INSERT INTO settings (name, value)
  SELECT 'id', substr(x, 1, 8) || '-' || substr(x, 9, 4) || '-4' || substr(x, 14, 3) || '-a' || substr(x, 18, 3) || '-' || substr(x, 21)
  FROM (SELECT lower(hex(randomblob(16))) AS x);
`,
  routinesAndGoals,
  origins,
  // Indexes for common lists.
  `
  -- With every column, so that one user's logs are read from one place and not from a page each.
  CREATE INDEX logs_of_user ON logs (userId, id, exerciseType, exerciseName, date, painBefore, painAfter, effective, notes);
  CREATE INDEX logs_by_user_and_date ON logs (userId, date);
  CREATE INDEX logs_by_name ON logs (exerciseName);
  DROP INDEX logs_by_user;
`,
  // CHECKs of more than two values without IN, for which SQLite builds an ephemeral table for every row: a
  // quarter of the instructions of an insert into logs. The meaning is the same, so the schema text is
  // changed in place, as SQLite allows (https://sqlite.org/lang_altertable.html#otheralter).
  `
  PRAGMA writable_schema = ON;
  UPDATE sqlite_schema SET sql = replace(sql,
    'source IN (''cli'', ''api'', ''import'', ''sync'', ''undo'', ''erase'')',
    'source = ''api'' OR source = ''cli'' OR source = ''import'' OR source = ''sync'' OR source = ''undo'' OR source = ''erase''')
  WHERE type = 'table' AND name = 'changes';
  UPDATE sqlite_schema SET sql = replace(replace(sql,
    'record IN (''user'', ''log'', ''routine'', ''goal'')',
    'record = ''log'' OR record = ''user'' OR record = ''routine'' OR record = ''goal'''),
    'action IN (''create'', ''update'', ''delete'', ''erase'')',
    'action = ''create'' OR action = ''update'' OR action = ''delete'' OR action = ''erase''')
  WHERE type = 'table' AND name IN ('history', 'counterparts');
  PRAGMA writable_schema = RESET;
`,
  // The history accepts any kind of record: only the triggers of existing tables write its name, so the
  // CHECKs that list the kinds are dropped. The schema text is changed in place, so that a long history is
  // not rewritten.
  `
  PRAGMA writable_schema = ON;
  UPDATE sqlite_schema SET sql = replace(sql,
    ' CHECK (record = ''log'' OR record = ''user'' OR record = ''routine'' OR record = ''goal'')', '')
  WHERE type = 'table' AND name IN ('history', 'counterparts');
  UPDATE sqlite_schema SET sql = replace(sql, ' CHECK (record IN (''user'', ''log'', ''routine'', ''goal''))', '')
  WHERE type = 'table' AND name IN ('conflicts', 'pushes');
  PRAGMA writable_schema = RESET;
`,
  historyOfChanges,
  // Pain entries, and the medication taken before a session.
  `
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
`,
  // Trials and their days.
  `
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
`,
  replicas,
  // The counterparts of records that imports have stored since become global names.
  `
  INSERT OR IGNORE INTO replicas (record, id, origin, originId, uid, seq, state)
  SELECT record, ourId, origin, theirId, 0, 0, 'null' FROM counterparts
  WHERE record <> 'goal' AND agreed <> 'null' ORDER BY record <> 'user', ourId, origin;
  DROP TABLE counterparts;
`,
  'ALTER TABLE trialDays ADD COLUMN trialSeed INTEGER CHECK (trialSeed BETWEEN 0 AND 2147483647)',
];

/**
 * Runs the migrations with the indexes `from` to `to` - 1, in the caller's transaction.
 * @throws the error of SQLite
 */
export function runMigrations(sqlite: BetterSqlite.Database, from: number, to = migrations.length): void {
  // Some migrations edit the schema, which better-sqlite3 forbids by default (SQLITE_DBCONFIG_DEFENSIVE).
  sqlite.unsafeMode(true);
  try {
    for (const sql of migrations.slice(from, to)) sqlite.exec(sql);
    remakeHistoryTriggers(sqlite, to);
  } finally {
    sqlite.unsafeMode(false);
  }
}
