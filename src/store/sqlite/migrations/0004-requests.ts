/** Repeatable requests, and an audit of one row for each batch. Released: never edit. */
export const sql = `
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
