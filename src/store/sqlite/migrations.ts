import { roles } from '../../domain/access.ts';
import { exerciseTypes } from '../../domain/log.ts';
import { painLocations } from '../../domain/user.ts';

const oneOf = (values: readonly string[]) => `IN (${values.map((value) => `'${value}'`).join(', ')})`;
const DAY = "GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'";

const USER_COLUMNS = ['firstName', 'lastName', 'email', 'age', 'painLocation', 'painLevel', 'diagnosisDate'];
const LOG_COLUMNS = [
  'userId',
  'exerciseType',
  'exerciseName',
  'date',
  'painBefore',
  'painAfter',
  'effective',
  'notes',
];

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
  // Triggers write the history, so that nothing can be changed without it: cascades and imports included.
  `
  CREATE TABLE changes (
    id     INTEGER PRIMARY KEY AUTOINCREMENT,
    at     INTEGER NOT NULL,
    source TEXT    NOT NULL CHECK (source IN ('cli', 'api', 'import', 'undo', 'erase')),
    caller TEXT,
    undoes INTEGER
  ) STRICT;

  CREATE TABLE history (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    change       INTEGER NOT NULL REFERENCES changes (id),
    record       TEXT    NOT NULL CHECK (record IN ('user', 'log')),
    recordId     INTEGER NOT NULL,
    userId       INTEGER NOT NULL,
    formerUserId INTEGER,
    action       TEXT    NOT NULL CHECK (action IN ('create', 'update', 'delete', 'erase')),
    before       TEXT,
    after        TEXT
  ) STRICT;

  CREATE INDEX history_by_change ON history (change);
  CREATE INDEX history_by_record ON history (recordId, record);
  CREATE INDEX history_by_user ON history (userId);

  -- The user who is being erased; empty outside that one transaction.
  CREATE TABLE erasing (userId INTEGER PRIMARY KEY) STRICT;

  CREATE TRIGGER history_is_not_changed BEFORE UPDATE ON history
  BEGIN SELECT RAISE(ABORT, 'history is append-only'); END;
  CREATE TRIGGER history_is_not_replaced BEFORE INSERT ON history
  WHEN EXISTS (SELECT 1 FROM history WHERE seq = NEW.seq)
  BEGIN SELECT RAISE(ABORT, 'history is append-only'); END;
  CREATE TRIGGER history_is_not_removed BEFORE DELETE ON history
  WHEN NOT EXISTS (SELECT 1 FROM erasing WHERE userId IN (OLD.userId, OLD.formerUserId))
  BEGIN SELECT RAISE(ABORT, 'history is append-only'); END;

  CREATE TRIGGER changes_are_not_changed BEFORE UPDATE ON changes
  BEGIN SELECT RAISE(ABORT, 'history is append-only'); END;
  CREATE TRIGGER changes_are_not_replaced BEFORE INSERT ON changes
  WHEN EXISTS (SELECT 1 FROM changes WHERE id = NEW.id)
  BEGIN SELECT RAISE(ABORT, 'history is append-only'); END;
  CREATE TRIGGER changes_are_not_removed BEFORE DELETE ON changes
  WHEN EXISTS (SELECT 1 FROM history WHERE change = OLD.id)
  BEGIN SELECT RAISE(ABORT, 'history is append-only'); END;
${historyOf('user', 'users', 'id', USER_COLUMNS)}
${historyOf('log', 'logs', 'userId', LOG_COLUMNS)}
  `,
  // Who may come in over the network, and what they did there.
  `
  CREATE TABLE tokens (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    name       TEXT    NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 100),
    role       TEXT    NOT NULL CHECK (role ${oneOf(roles)}),
    hash       BLOB    NOT NULL UNIQUE CHECK (length(hash) = 32),
    users      TEXT    CHECK (json_valid(users)),
    createdAt  INTEGER NOT NULL,
    expiresAt  INTEGER,
    lastUsedAt INTEGER,
    revokedAt  INTEGER
  ) STRICT;

  -- No names: a token is named by its id, and its row goes with the user it is for.
  CREATE TABLE audit (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    at      INTEGER NOT NULL,
    token   INTEGER,
    method  TEXT    NOT NULL,
    route   TEXT    NOT NULL,
    record  TEXT    NOT NULL CHECK (record IN ('user', 'log')),
    userId  INTEGER,
    first   INTEGER,
    last    INTEGER,
    count   INTEGER NOT NULL,
    status  INTEGER NOT NULL,
    address TEXT    NOT NULL
  ) STRICT;

  CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
  BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;
  CREATE TRIGGER audit_is_not_replaced BEFORE INSERT ON audit
  WHEN EXISTS (SELECT 1 FROM audit WHERE id = NEW.id)
  BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;
  CREATE TRIGGER audit_is_not_removed BEFORE DELETE ON audit
  BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;
  `,
  // What answers a repeated request: the change that the first one made. Hashes only, and none of an erased user.
  `
  CREATE TABLE requests (
    key    BLOB    NOT NULL PRIMARY KEY CHECK (length(key) = 32),
    body   BLOB             CHECK (length(body) = 32),
    change INTEGER NOT NULL REFERENCES changes (id) ON DELETE CASCADE
  ) STRICT, WITHOUT ROWID;

  CREATE INDEX requests_by_change ON requests (change);
  CREATE INDEX history_by_former_user ON history (formerUserId) WHERE formerUserId IS NOT NULL;
  CREATE INDEX history_of_erasures ON history (recordId) WHERE action = 'erase';

  -- What an erased user was part of is still known by its key, so that the rest is not created again.
  CREATE TRIGGER requests_lose_what_is_erased AFTER DELETE ON history
  BEGIN UPDATE requests SET body = NULL WHERE change = OLD.change AND body IS NOT NULL; END;

  -- What was noted together is one row, of arrays: a row for each reading costs as much as the reading.
  ALTER TABLE audit RENAME TO auditRows;
  CREATE TABLE audit (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    at      INTEGER NOT NULL,
    entries TEXT    NOT NULL CHECK (json_valid(entries))
  ) STRICT;
  INSERT INTO audit (at, entries)
  SELECT max(at), json_group_array(
    json_array(at, token, method, route, record, userId, first, last, count, status, address) ORDER BY id
  ) FROM auditRows GROUP BY id / 1000;
  DROP TABLE auditRows;

  CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
  BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;
  CREATE TRIGGER audit_is_not_replaced BEFORE INSERT ON audit
  WHEN EXISTS (SELECT 1 FROM audit WHERE id = NEW.id)
  BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;
  CREATE TRIGGER audit_is_not_removed BEFORE DELETE ON audit
  BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;
  `,
  // A UUID of version 4 by which the ids of this database differ from those of any other.
  `
  INSERT INTO settings (name, value)
  SELECT 'id', substr(x, 1, 8) || '-' || substr(x, 9, 4) || '-4' || substr(x, 14, 3) || '-a' || substr(x, 18, 3) || '-' || substr(x, 21)
  FROM (SELECT lower(hex(randomblob(16))) AS x);
  `,
];

/** Triggers that keep what a row was and became, as an array of its columns but for the id. */
function historyOf(record: string, table: string, owner: string, columns: string[]): string {
  const row = (which: 'OLD' | 'NEW') => `json_array(${columns.map((column) => `${which}.${column}`)})`;
  const entry = (owner: string, former: string, action: string, before: string, after: string) => `
    INSERT INTO history (change, record, recordId, userId, formerUserId, action, before, after)
    VALUES ((SELECT max(id) FROM changes), '${record}', ${action === 'create' ? 'NEW' : 'OLD'}.id, ${owner}, ${former}, '${action}', ${before}, ${after});`;
  const former = `iif(OLD.${owner} = NEW.${owner}, NULL, OLD.${owner})`;
  return `
  CREATE TRIGGER ${table}_created AFTER INSERT ON ${table} BEGIN
    ${entry(`NEW.${owner}`, 'NULL', 'create', 'NULL', row('NEW'))}
  END;
  CREATE TRIGGER ${table}_updated AFTER UPDATE ON ${table} WHEN ${row('OLD')} <> ${row('NEW')} BEGIN
    ${entry(`NEW.${owner}`, former, 'update', row('OLD'), row('NEW'))}
  END;
  CREATE TRIGGER ${table}_deleted AFTER DELETE ON ${table} BEGIN
    ${entry(`OLD.${owner}`, 'NULL', 'delete', row('OLD'), 'NULL')}
  END;`;
}
