/** Who may call over the network, and what they did there. Released: never edit. */
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
