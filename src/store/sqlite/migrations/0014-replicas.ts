/**
 * Replicas: records under global names, and what is known of other databases. Former counterparts of records
 * become replicas. Released: never edit.
 */
export const sql = `
  -- Under which number in origins this database made its history after the entry since.
  CREATE TABLE identities (
    origin INTEGER PRIMARY KEY REFERENCES origins (id),
    since  INTEGER NOT NULL
  ) STRICT;
  -- The token for some users only with which a database was first named; NULL for others.
  ALTER TABLE origins ADD COLUMN token INTEGER;
  INSERT OR IGNORE INTO origins (uuid) SELECT value FROM settings WHERE name = 'id';
  INSERT INTO identities (origin, since) SELECT origins.id, 0 FROM origins JOIN settings ON value = uuid AND name = 'id';

  -- Records that came from elsewhere, or met a change from there. rev: grows with each write. id: here; NULL for what was never shown;
  -- of what a user has one of, the user. origin, originId, uid: the name: database, id there, uid of the change that created it, 0
  -- where that is not known. owner: the name of the user for whom a record waits that is not shown. seq: the entry of the history as
  -- of which the state is true. state: as JSON; 'null' where the history tells it and only the name differs.
  CREATE TABLE replicas (
    rev      INTEGER PRIMARY KEY AUTOINCREMENT,
    record   TEXT    NOT NULL,
    id       INTEGER,
    origin   INTEGER NOT NULL REFERENCES origins (id),
    originId INTEGER NOT NULL,
    uid      INTEGER NOT NULL,
    owner    TEXT,
    seq      INTEGER NOT NULL,
    state    TEXT    NOT NULL CHECK (json_valid(state))
  ) STRICT;
  CREATE UNIQUE INDEX replicas_by_name ON replicas (originId, origin, record, uid);
  CREATE UNIQUE INDEX replicas_by_id ON replicas (id, record) WHERE id IS NOT NULL;
  CREATE INDEX replicas_held_back ON replicas (record, id) WHERE state ->> '$.held' = 1;
  CREATE INDEX replicas_that_wait ON replicas (owner) WHERE owner IS NOT NULL;

  -- The names of users who were erased, here or elsewhere, and of records that belonged to several users, one of whom was erased:
  -- whoever has them may not know it. id: of a user who was erased here.
  CREATE TABLE erasures (
    originId INTEGER NOT NULL,
    origin   INTEGER NOT NULL REFERENCES origins (id),
    uid      INTEGER NOT NULL,
    record   TEXT    NOT NULL,
    id       INTEGER,
    PRIMARY KEY (originId, origin, uid, record)
  ) STRICT, WITHOUT ROWID;

  -- Other databases. token: with which it calls here; 0 where it is called from here. received: how far its changes have been received;
  -- sent: how far those of here were sent; view: names of the users whose records it shows, or null; all as JSON. at: when both were
  -- last in step, in milliseconds since 1970.
  CREATE TABLE peers (
    uuid     TEXT    NOT NULL,
    token    INTEGER NOT NULL,
    received TEXT    CHECK (json_valid(received)),
    sent     TEXT    CHECK (json_valid(sent)),
    view     TEXT    NOT NULL CHECK (json_valid(view)),
    at       INTEGER,
    PRIMARY KEY (uuid, token)
  ) STRICT, WITHOUT ROWID;

  INSERT OR IGNORE INTO replicas (record, id, origin, originId, uid, seq, state)
  SELECT record, ourId, origin, theirId, 0, 0, 'null' FROM counterparts
  WHERE record <> 'goal' AND agreed <> 'null' ORDER BY record <> 'user', ourId, origin;
  INSERT OR IGNORE INTO erasures (originId, origin, uid, record) SELECT theirUser, origin, 0, 'user' FROM erasedUsers;

  -- The UUID of the database behind a remote, since the first contact.
  ALTER TABLE remotes ADD COLUMN database TEXT;
  UPDATE remotes SET database = (SELECT uuid FROM origins JOIN syncs ON syncs.origin = origins.id)
  WHERE (SELECT count(*) FROM syncs) = 1 AND (SELECT count(*) FROM remotes) = 1;

  DROP TABLE conflicts;
  DROP TABLE erasedUsers;
  DROP TABLE pushes;
  DROP TABLE syncs;
  `;
