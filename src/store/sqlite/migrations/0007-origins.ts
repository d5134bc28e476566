/** Records that come from other databases, and the remotes of sync. Released: never edit. */
export const sql = `
  -- The other databases that records are known from, by their UUID.
  CREATE TABLE origins (
    id   INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid TEXT    NOT NULL UNIQUE CHECK (length(uuid) = 36)
  ) STRICT;

  -- Which record of an origin is which record here; the record here may be deleted.
  -- agreed: the fields but for the id, as both sides last had them, as in the history, with the ids of here; 'null' for a
  --   record that both had deleted.
  -- change: the import that set it: it does not hold while that is undone. NULL holds whatever is undone.
  -- earlier: what held before that, as an array of [change, agreed], the latest last.
  -- position: of a user, the history seq over there as of the latest file that held the user.
  CREATE TABLE counterparts (
    origin   INTEGER NOT NULL REFERENCES origins (id),
    record   TEXT    NOT NULL CHECK (record IN ('user', 'log', 'routine', 'goal')),
    theirId  INTEGER NOT NULL,
    ourId    INTEGER NOT NULL,
    agreed   TEXT    NOT NULL CHECK (json_valid(agreed)),
    change   INTEGER,
    earlier  TEXT    CHECK (json_valid(earlier)),
    position INTEGER,
    PRIMARY KEY (origin, record, theirId),
    UNIQUE (origin, record, ourId)
  ) STRICT, WITHOUT ROWID;

  -- Who is synced with, by name; theirSeq and ourSeq are the history seqs over there and here up to which all is settled.
  CREATE TABLE remotes (
    name      TEXT    NOT NULL PRIMARY KEY CHECK (length(name) BETWEEN 1 AND 2000),
    url       TEXT    NOT NULL,
    pin       TEXT,
    tokenFile TEXT,
    origin    INTEGER REFERENCES origins (id),
    ourUser   INTEGER,
    theirUser INTEGER,
    theirSeq  INTEGER NOT NULL DEFAULT 0,
    ourSeq    INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;

  -- Records whose creation was sent to a remote and not yet answered: the Idempotency-Key of the request, the place of the record in it,
  -- and its fields as they were sent, as in the history.
  CREATE TABLE pushes (
    remote TEXT    NOT NULL REFERENCES remotes (name) ON UPDATE CASCADE ON DELETE CASCADE,
    record TEXT    NOT NULL CHECK (record IN ('user', 'log', 'routine', 'goal')),
    ourId  INTEGER NOT NULL,
    key    TEXT    NOT NULL,
    place  INTEGER NOT NULL,
    sent   TEXT    NOT NULL CHECK (json_valid(sent)),
    PRIMARY KEY (remote, record, ourId),
    UNIQUE (remote, key, place)
  ) STRICT, WITHOUT ROWID;

  -- A CHECK is widened by building the table again: a sync is a source of changes. The legacy way of renaming leaves the
  -- triggers and references that name the table as they are (https://sqlite.org/pragma.html#pragma_legacy_alter_table).
  PRAGMA legacy_alter_table = ON;
  CREATE TABLE newChanges (
    id     INTEGER PRIMARY KEY AUTOINCREMENT,
    at     INTEGER NOT NULL,
    source TEXT    NOT NULL CHECK (source IN ('cli', 'api', 'import', 'sync', 'undo', 'erase')),
    caller TEXT,
    undoes INTEGER
  ) STRICT;
  INSERT INTO newChanges (id, at, source, caller, undoes) SELECT id, at, source, caller, undoes FROM changes ORDER BY id;
  -- What was erased last had a number too: none is given again.
  DELETE FROM sqlite_sequence WHERE name = 'newChanges';
  INSERT INTO sqlite_sequence (name, seq) SELECT 'newChanges', seq FROM sqlite_sequence WHERE name = 'changes';
  DROP TABLE changes;
  ALTER TABLE newChanges RENAME TO changes;
  PRAGMA legacy_alter_table = OFF;

  CREATE TRIGGER changes_are_not_changed BEFORE UPDATE ON changes
  BEGIN SELECT RAISE(ABORT, 'history is append-only'); END;
  CREATE TRIGGER changes_are_not_replaced BEFORE INSERT ON changes
  WHEN EXISTS (SELECT 1 FROM changes WHERE id = NEW.id)
  BEGIN SELECT RAISE(ABORT, 'history is append-only'); END;
  CREATE TRIGGER changes_are_not_removed BEFORE DELETE ON changes
  WHEN EXISTS (SELECT 1 FROM history WHERE change = OLD.id)
  BEGIN SELECT RAISE(ABORT, 'history is append-only'); END;
  `;
