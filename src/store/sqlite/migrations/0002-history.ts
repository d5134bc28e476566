/** The history of changes, written by triggers so that nothing bypasses it, not even cascades. Released: never edit. */
export const sql = `
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

  CREATE TRIGGER users_created AFTER INSERT ON users BEGIN
    
    INSERT INTO history (change, record, recordId, userId, formerUserId, action, before, after)
    VALUES ((SELECT max(id) FROM changes), 'user', NEW.id, NEW.id, NULL, 'create', NULL, json_array(NEW.firstName,NEW.lastName,NEW.email,NEW.age,NEW.painLocation,NEW.painLevel,NEW.diagnosisDate));
  END;
  CREATE TRIGGER users_updated AFTER UPDATE ON users WHEN json_array(OLD.firstName,OLD.lastName,OLD.email,OLD.age,OLD.painLocation,OLD.painLevel,OLD.diagnosisDate) <> json_array(NEW.firstName,NEW.lastName,NEW.email,NEW.age,NEW.painLocation,NEW.painLevel,NEW.diagnosisDate) BEGIN
    
    INSERT INTO history (change, record, recordId, userId, formerUserId, action, before, after)
    VALUES ((SELECT max(id) FROM changes), 'user', OLD.id, NEW.id, iif(OLD.id = NEW.id, NULL, OLD.id), 'update', json_array(OLD.firstName,OLD.lastName,OLD.email,OLD.age,OLD.painLocation,OLD.painLevel,OLD.diagnosisDate), json_array(NEW.firstName,NEW.lastName,NEW.email,NEW.age,NEW.painLocation,NEW.painLevel,NEW.diagnosisDate));
  END;
  CREATE TRIGGER users_deleted AFTER DELETE ON users BEGIN
    
    INSERT INTO history (change, record, recordId, userId, formerUserId, action, before, after)
    VALUES ((SELECT max(id) FROM changes), 'user', OLD.id, OLD.id, NULL, 'delete', json_array(OLD.firstName,OLD.lastName,OLD.email,OLD.age,OLD.painLocation,OLD.painLevel,OLD.diagnosisDate), NULL);
  END;

  CREATE TRIGGER logs_created AFTER INSERT ON logs BEGIN
    
    INSERT INTO history (change, record, recordId, userId, formerUserId, action, before, after)
    VALUES ((SELECT max(id) FROM changes), 'log', NEW.id, NEW.userId, NULL, 'create', NULL, json_array(NEW.userId,NEW.exerciseType,NEW.exerciseName,NEW.date,NEW.painBefore,NEW.painAfter,NEW.effective,NEW.notes));
  END;
  CREATE TRIGGER logs_updated AFTER UPDATE ON logs WHEN json_array(OLD.userId,OLD.exerciseType,OLD.exerciseName,OLD.date,OLD.painBefore,OLD.painAfter,OLD.effective,OLD.notes) <> json_array(NEW.userId,NEW.exerciseType,NEW.exerciseName,NEW.date,NEW.painBefore,NEW.painAfter,NEW.effective,NEW.notes) BEGIN
    
    INSERT INTO history (change, record, recordId, userId, formerUserId, action, before, after)
    VALUES ((SELECT max(id) FROM changes), 'log', OLD.id, NEW.userId, iif(OLD.userId = NEW.userId, NULL, OLD.userId), 'update', json_array(OLD.userId,OLD.exerciseType,OLD.exerciseName,OLD.date,OLD.painBefore,OLD.painAfter,OLD.effective,OLD.notes), json_array(NEW.userId,NEW.exerciseType,NEW.exerciseName,NEW.date,NEW.painBefore,NEW.painAfter,NEW.effective,NEW.notes));
  END;
  CREATE TRIGGER logs_deleted AFTER DELETE ON logs BEGIN
    
    INSERT INTO history (change, record, recordId, userId, formerUserId, action, before, after)
    VALUES ((SELECT max(id) FROM changes), 'log', OLD.id, OLD.userId, NULL, 'delete', json_array(OLD.userId,OLD.exerciseType,OLD.exerciseName,OLD.date,OLD.painBefore,OLD.painAfter,OLD.effective,OLD.notes), NULL);
  END;
  `;
