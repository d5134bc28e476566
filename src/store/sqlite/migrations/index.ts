import type BetterSqlite from 'better-sqlite3';
import { sql as usersAndLogs } from './0001-users-and-logs.ts';
import { sql as history } from './0002-history.ts';
import { sql as tokensAndAudit } from './0003-tokens-and-audit.ts';
import { sql as requests } from './0004-requests.ts';
import { sql as identity } from './0005-identity.ts';
import { sql as routinesAndGoals } from './0006-routines-and-goals.ts';
import { sql as origins } from './0007-origins.ts';
import { sql as logIndexes } from './0008-log-indexes.ts';
import { sql as plainChecks } from './0009-plain-checks.ts';
import { sql as kindsOfRecord } from './0010-kinds-of-record.ts';
import { sql as historyOfChanges } from './0011-history-of-changes.ts';
import { sql as replicas } from './0012-replicas.ts';
import { remakeHistoryTriggers } from './history-triggers.ts';

/**
 * The schema, step by step, in literal SQL: those still to come run as one transaction; `user_version` says how many
 * have run. A released migration never changes (a test holds the hash of each).
 * A kind's is its table with its indexes, a field's one ALTER: the triggers of the history follow from the tables.
 * The CHECKs are the last line of defence, not the validation: STRICT turns "1e2" into 100.
 */
export const migrations: readonly string[] = [
  usersAndLogs,
  history,
  tokensAndAudit,
  requests,
  identity,
  routinesAndGoals,
  origins,
  logIndexes,
  plainChecks,
  kindsOfRecord,
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
