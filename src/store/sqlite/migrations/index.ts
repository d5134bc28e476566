import type BetterSqlite from 'better-sqlite3';
import { sql as usersAndLogs } from './0001-users-and-logs.ts';
import { sql as history } from './0002-history.ts';
import { sql as tokensAndAudit } from './0003-tokens-and-audit.ts';
import { sql as requests } from './0004-requests.ts';
import { sql as routinesAndGoals } from './0006-routines-and-goals.ts';
import { sql as origins } from './0007-origins.ts';
import { sql as historyOfChanges } from './0011-history-of-changes.ts';
import { sql as replicas } from './0012-replicas.ts';
import { remakeHistoryTriggers } from './history-triggers.ts';

/**
 * The schema, step by step, in literal SQL: those still to come run as one transaction; `user_version` says how many
 * have run. A released migration never changes (a test holds the hash of each).
 * A kind's is its table with its indexes, a field's one ALTER: the triggers of the history follow from the tables. A short one
 * stands in the list, a long one in a file of its own.
 * The CHECKs are the last line of defence, not the validation: STRICT turns "1e2" into 100.
 */
export const migrations: readonly string[] = [
  usersAndLogs,
  history,
  tokensAndAudit,
  requests,
  // A UUID of version 4, by which the ids of this database differ from those of any other.
  `
  INSERT INTO settings (name, value)
  SELECT 'id', substr(x, 1, 8) || '-' || substr(x, 9, 4) || '-4' || substr(x, 14, 3) || '-a' || substr(x, 18, 3) || '-' || substr(x, 21)
  FROM (SELECT lower(hex(randomblob(16))) AS x);
`,
  routinesAndGoals,
  origins,
  // Indexes for the lists that people ask for.
  `
  -- With every column, so that one user's logs are read from one place and not from a page each.
  CREATE INDEX logs_of_user ON logs (userId, id, exerciseType, exerciseName, date, painBefore, painAfter, effective, notes);
  CREATE INDEX logs_by_user_and_date ON logs (userId, date);
  CREATE INDEX logs_by_name ON logs (exerciseName);
  DROP INDEX logs_by_user;
`,
  // CHECKs of more than two words without IN, for which SQLite builds a table in memory with every row: that took a quarter of its
  // instructions for a new log. They say the same, so their text is changed in place, as SQLite allows
  // (https://sqlite.org/lang_altertable.html#otheralter).
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
  // Any kind of record: the columns that name one are written by the triggers of its table, and no CHECK lists them any more. The
  // text is changed in place: a long history is not written anew.
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
  replicas,
];

/**
 * Runs the migrations after the first `from`, up to and with the `to`-th, as part of the caller's transaction.
 * @throws the error of SQLite
 */
export function runMigrations(sqlite: BetterSqlite.Database, from: number, to = migrations.length): void {
  // Some edit the text of the schema, which better-sqlite3 forbids otherwise (SQLITE_DBCONFIG_DEFENSIVE).
  sqlite.unsafeMode(true);
  try {
    for (const sql of migrations.slice(from, to)) sqlite.exec(sql);
    remakeHistoryTriggers(sqlite, to);
  } finally {
    sqlite.unsafeMode(false);
  }
}
