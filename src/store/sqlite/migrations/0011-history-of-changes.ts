/**
 * Moves the metadata of a change into the first of its entries, its head. Each change gets a clock and a
 * random uid, by which other databases identify it. Released: never edit.
 */
export const sql = `
  -- head: seq of the first entry of the change; that entry has the columns from clock on.
  -- record to after: NULL in a head whose content was erased. after: NULL also for a creation whose state is the "before" of the
  --   record's next entry, or the record's row if there is no next entry.
  -- clock: hybrid logical clock: milliseconds since 1970 * 1000 + counter; grows with each change.
  -- uid: random, below 2^48. at: milliseconds since 1970, where they are not clock / 1000: the clock was ahead of the time.
  CREATE TABLE newHistory (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    change       INTEGER NOT NULL,
    head         INTEGER NOT NULL,
    record       TEXT,
    recordId     INTEGER,
    userId       INTEGER,
    formerUserId INTEGER,
    action       TEXT CHECK (action = 'create' OR action = 'update' OR action = 'delete' OR action = 'erase'),
    before       TEXT,
    after        TEXT,
    clock        INTEGER,
    uid          INTEGER,
    at           INTEGER,
    source       TEXT CHECK (source = 'api' OR source = 'cli' OR source = 'import' OR source = 'sync' OR source = 'undo' OR source = 'erase'),
    caller       TEXT,
    undoes       INTEGER
  ) STRICT;

  -- The uid of a change from before is computed from the UUID of the database, its number and its time: copies of a database that are
  -- migrated apart agree on it. a, b and c are numbers of 48, 24 and 20 bits, taken from digits of the UUID that are random.
  CREATE TABLE newUids AS
  WITH RECURSIVE
    uuid (digits) AS (SELECT replace(coalesce((SELECT value FROM settings WHERE name = 'id'), ''), '-', '')),
    numbers (length, a, b, c) AS (
      SELECT 0, 0, 0, 0
      UNION ALL
      SELECT length + 1,
        (a << 4 | instr('123456789abcdef', substr(digits, length + 1, 1))) & 0xffffffffffff,
        (b << 4 | instr('123456789abcdef', substr(digits, length + 19, 1))) & 0xffffff,
        (c << 4 | instr('123456789abcdef', substr(digits, length + 15, 1))) & 0xfffff
      FROM numbers, uuid WHERE length < 12
    )
  SELECT a, b | 1 AS b, c | 1 AS c FROM numbers WHERE length = 12;

  INSERT INTO newHistory
  SELECT seq, change, head, record, recordId, userId, formerUserId, action, before,
    iif(action = 'create' AND after = coalesce(
      (SELECT later.before FROM history AS later
       WHERE later.recordId = entry.recordId AND later.record = entry.record AND later.seq > entry.seq ORDER BY later.seq LIMIT 1),
      CASE record
        WHEN 'log' THEN (SELECT json_array(userId, exerciseType, exerciseName, date, painBefore, painAfter, effective, notes) FROM logs WHERE id = recordId)
        WHEN 'user' THEN (SELECT json_array(firstName, lastName, email, age, painLocation, painLevel, diagnosisDate) FROM users WHERE id = recordId)
        WHEN 'routine' THEN (SELECT json_array(userId, name, exercises) FROM routines WHERE id = recordId)
        WHEN 'goal' THEN (SELECT json_array(userId, sessionsPerWeek) FROM goals WHERE id = recordId)
      END), NULL, after),
    iif(seq = head, clock, NULL),
    iif(seq = head, (a + b * (change & 0xffffffffff) + c * (at & 0xffffffffff)) & 0xffffffffffff, NULL),
    iif(seq = head AND clock / 1000 <> at, at, NULL),
    iif(seq = head, source, NULL),
    iif(seq = head, caller, NULL),
    iif(seq = head, undoes, NULL)
  FROM (
    SELECT seq, change, record, recordId, userId, formerUserId, action, before, after, at, source, caller, undoes,
      (SELECT min(first.seq) FROM history AS first WHERE first.change = history.change) AS head,
      change + max(at * 1000 - change) OVER (ORDER BY seq ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS clock
    FROM history CROSS JOIN changes ON changes.id = history.change
  ) AS entry CROSS JOIN newUids
  ORDER BY seq;
  DROP TABLE newUids;

  -- The number of the last change has no table any more, and stays where the triggers read it.
  DELETE FROM sqlite_sequence WHERE name = 'newHistory';
  INSERT INTO sqlite_sequence (name, seq) VALUES
    ('newHistory', coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'history'), 0)),
    ('newChanges', coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'changes'), 0));
  -- A request is known by the number of its change; it goes with the entries of that change.
  DROP INDEX requests_by_change;
  PRAGMA writable_schema = ON;
  UPDATE sqlite_schema SET sql = replace(sql, ' REFERENCES changes (id) ON DELETE CASCADE', '') WHERE name = 'requests';
  PRAGMA writable_schema = RESET;

  -- The legacy way of renaming leaves the triggers that name the table as they are (https://sqlite.org/pragma.html#pragma_legacy_alter_table).
  PRAGMA legacy_alter_table = ON;
  DROP TABLE history;
  DROP TABLE changes;
  ALTER TABLE newHistory RENAME TO history;
  PRAGMA legacy_alter_table = OFF;
  UPDATE sqlite_sequence SET name = 'changes' WHERE name = 'newChanges';

  CREATE INDEX history_by_record ON history (recordId, record);
  CREATE INDEX history_by_user ON history (userId);
  CREATE INDEX history_by_former_user ON history (formerUserId) WHERE formerUserId IS NOT NULL;
  CREATE INDEX history_of_erasures ON history (recordId) WHERE action = 'erase';
  CREATE INDEX history_of_undos ON history (undoes) WHERE undoes IS NOT NULL;

  CREATE TRIGGER history_is_not_changed BEFORE UPDATE OF seq, change, head, record, recordId, userId, formerUserId, action, before, after ON history
  WHEN NOT EXISTS (SELECT 1 FROM erasing)
  BEGIN SELECT RAISE(ABORT, 'history is append-only'); END;
  -- What is known of a change is written when it ends, once.
  CREATE TRIGGER changes_are_not_changed BEFORE UPDATE OF clock, uid, at, source, caller, undoes ON history
  WHEN (OLD.seq <> OLD.head OR OLD.clock IS NOT NULL) AND NOT EXISTS (SELECT 1 FROM erasing)
  BEGIN SELECT RAISE(ABORT, 'history is append-only'); END;
  CREATE TRIGGER history_is_not_replaced BEFORE INSERT ON history
  WHEN EXISTS (SELECT 1 FROM history WHERE seq = NEW.seq)
  BEGIN SELECT RAISE(ABORT, 'history is append-only'); END;
  CREATE TRIGGER history_is_not_removed BEFORE DELETE ON history
  WHEN OLD.seq = OLD.head OR NOT EXISTS (SELECT 1 FROM erasing WHERE userId IN (OLD.userId, OLD.formerUserId))
  BEGIN SELECT RAISE(ABORT, 'history is append-only'); END;
  `;
