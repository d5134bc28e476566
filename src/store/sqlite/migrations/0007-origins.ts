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

  -- Services to sync with, by name. The token of each is in a file beside the database, so that no backup has it.
  CREATE TABLE remotes (
    name    TEXT    NOT NULL PRIMARY KEY CHECK (length(name) BETWEEN 1 AND 100),
    url     TEXT    NOT NULL,
    pin     TEXT,
    ourUser INTEGER
  ) STRICT, WITHOUT ROWID;

  -- The sync with each origin. position: history seq over there up to which all has arrived. scope: ids of the users that the token
  -- covered then, as a JSON array, or null. horizon: the setting of that name then. ourUser: the only user who is synced; NULL
  -- for all. keepsIds: began with no record here, so that ids of over there are taken where they are free.
  CREATE TABLE syncs (
    origin   INTEGER NOT NULL PRIMARY KEY REFERENCES origins (id),
    position INTEGER NOT NULL,
    scope    TEXT    NOT NULL CHECK (json_valid(scope)),
    horizon  INTEGER NOT NULL,
    ourUser  INTEGER,
    keepsIds INTEGER NOT NULL CHECK (keepsIds IN (0, 1))
  ) STRICT;

  -- Records of an origin that wait for a decision. theirUser: the user over there. state: the record there as JSON, with the
  -- ids of there; NULL for none. at: when it was last changed there, in milliseconds since 1970. isLater: whether that is
  -- known to have come after what was agreed on. isErased: the user was erased there.
  CREATE TABLE conflicts (
    origin    INTEGER NOT NULL REFERENCES origins (id),
    record    TEXT    NOT NULL CHECK (record IN ('user', 'log', 'routine', 'goal')),
    theirId   INTEGER NOT NULL,
    theirUser INTEGER NOT NULL,
    state     TEXT    CHECK (json_valid(state)),
    at        INTEGER,
    isLater   INTEGER NOT NULL CHECK (isLater IN (0, 1)),
    isErased  INTEGER NOT NULL CHECK (isErased IN (0, 1)),
    PRIMARY KEY (origin, record, theirId)
  ) STRICT, WITHOUT ROWID;

  -- Users of an origin who were erased here, and do not come back.
  CREATE TABLE erasedUsers (
    origin    INTEGER NOT NULL REFERENCES origins (id),
    theirUser INTEGER NOT NULL,
    PRIMARY KEY (origin, theirUser)
  ) STRICT, WITHOUT ROWID;

  -- The writing request to an origin that is not answered yet. key: its Idempotency-Key. body: as it was sent. records: the
  -- records here that it is about, with the ids of here, as a JSON array; theirId: the one that it changes or deletes.
  CREATE TABLE pushes (
    origin  INTEGER NOT NULL PRIMARY KEY REFERENCES origins (id),
    key     TEXT    NOT NULL,
    method  TEXT    NOT NULL,
    path    TEXT    NOT NULL,
    body    TEXT,
    record  TEXT    NOT NULL CHECK (record IN ('user', 'log', 'routine', 'goal')),
    records TEXT    NOT NULL CHECK (json_valid(records)),
    theirId INTEGER
  ) STRICT;

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
