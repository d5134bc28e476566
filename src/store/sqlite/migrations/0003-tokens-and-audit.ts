/** Access tokens, and the audit of network requests. Released: never edit. */
export const sql = `
  CREATE TABLE tokens (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    name       TEXT    NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 100),
    role       TEXT    NOT NULL CHECK (role IN ('patient', 'provider', 'admin')),
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
  `;

/** Requests with an Idempotency-Key, and an audit with one row for each batch of entries. Released: never edit. */
export const requests = `
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
  `;
