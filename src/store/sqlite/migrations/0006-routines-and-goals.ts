/** Routines and goals, with their history. Released: never edit. */
export const sql = `
  CREATE TABLE routines (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    userId    INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name      TEXT    NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    exercises TEXT    NOT NULL CHECK (json_valid(exercises) AND json_type(exercises) = 'array' AND json_array_length(exercises) BETWEEN 1 AND 50)
  ) STRICT;

  CREATE TABLE goals (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    userId          INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    sessionsPerWeek INTEGER NOT NULL CHECK (sessionsPerWeek BETWEEN 1 AND 100)
  ) STRICT;

  -- One key for each user is held by the program: an import may exchange two within one change.
  CREATE INDEX routines_by_user ON routines (userId);
  CREATE INDEX goals_by_user ON goals (userId);

  -- A CHECK is widened by building the table again (https://sqlite.org/lang_altertable.html#otheralter). The triggers
  -- that name it go first: no table can be renamed while a trigger names one that is not there.
  DROP TRIGGER changes_are_not_removed;
  DROP TRIGGER users_created;
  DROP TRIGGER users_updated;
  DROP TRIGGER users_deleted;
  DROP TRIGGER logs_created;
  DROP TRIGGER logs_updated;
  DROP TRIGGER logs_deleted;

  CREATE TABLE newHistory (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    change       INTEGER NOT NULL REFERENCES changes (id),
    record       TEXT    NOT NULL CHECK (record IN ('user', 'log', 'routine', 'goal')),
    recordId     INTEGER NOT NULL,
    userId       INTEGER NOT NULL,
    formerUserId INTEGER,
    action       TEXT    NOT NULL CHECK (action IN ('create', 'update', 'delete', 'erase')),
    before       TEXT,
    after        TEXT
  ) STRICT;
  INSERT INTO newHistory (seq, change, record, recordId, userId, formerUserId, action, before, after)
  SELECT seq, change, record, recordId, userId, formerUserId, action, before, after FROM history ORDER BY seq;
  -- What was erased last had a number too: none is given again.
  DELETE FROM sqlite_sequence WHERE name = 'newHistory';
  INSERT INTO sqlite_sequence (name, seq) SELECT 'newHistory', seq FROM sqlite_sequence WHERE name = 'history';
  DROP TABLE history;
  ALTER TABLE newHistory RENAME TO history;

  CREATE INDEX history_by_change ON history (change);
  CREATE INDEX history_by_record ON history (recordId, record);
  CREATE INDEX history_by_user ON history (userId);
  CREATE INDEX history_by_former_user ON history (formerUserId) WHERE formerUserId IS NOT NULL;
  CREATE INDEX history_of_erasures ON history (recordId) WHERE action = 'erase';

  CREATE TRIGGER history_is_not_changed BEFORE UPDATE ON history
  BEGIN SELECT RAISE(ABORT, 'history is append-only'); END;
  CREATE TRIGGER history_is_not_replaced BEFORE INSERT ON history
  WHEN EXISTS (SELECT 1 FROM history WHERE seq = NEW.seq)
  BEGIN SELECT RAISE(ABORT, 'history is append-only'); END;
  CREATE TRIGGER history_is_not_removed BEFORE DELETE ON history
  WHEN NOT EXISTS (SELECT 1 FROM erasing WHERE userId IN (OLD.userId, OLD.formerUserId))
  BEGIN SELECT RAISE(ABORT, 'history is append-only'); END;

  -- What an erased user was part of is still known by its key, so that the rest is not created again.
  CREATE TRIGGER requests_lose_what_is_erased AFTER DELETE ON history
  BEGIN UPDATE requests SET body = NULL WHERE change = OLD.change AND body IS NOT NULL; END;

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

  CREATE TRIGGER routines_created AFTER INSERT ON routines BEGIN
    INSERT INTO history (change, record, recordId, userId, formerUserId, action, before, after)
    VALUES ((SELECT max(id) FROM changes), 'routine', NEW.id, NEW.userId, NULL, 'create', NULL, json_array(NEW.userId,NEW.name,NEW.exercises));
  END;
  CREATE TRIGGER routines_updated AFTER UPDATE ON routines WHEN json_array(OLD.userId,OLD.name,OLD.exercises) <> json_array(NEW.userId,NEW.name,NEW.exercises) BEGIN
    INSERT INTO history (change, record, recordId, userId, formerUserId, action, before, after)
    VALUES ((SELECT max(id) FROM changes), 'routine', OLD.id, NEW.userId, iif(OLD.userId = NEW.userId, NULL, OLD.userId), 'update', json_array(OLD.userId,OLD.name,OLD.exercises), json_array(NEW.userId,NEW.name,NEW.exercises));
  END;
  CREATE TRIGGER routines_deleted AFTER DELETE ON routines BEGIN
    INSERT INTO history (change, record, recordId, userId, formerUserId, action, before, after)
    VALUES ((SELECT max(id) FROM changes), 'routine', OLD.id, OLD.userId, NULL, 'delete', json_array(OLD.userId,OLD.name,OLD.exercises), NULL);
  END;

  CREATE TRIGGER goals_created AFTER INSERT ON goals BEGIN
    INSERT INTO history (change, record, recordId, userId, formerUserId, action, before, after)
    VALUES ((SELECT max(id) FROM changes), 'goal', NEW.id, NEW.userId, NULL, 'create', NULL, json_array(NEW.userId,NEW.sessionsPerWeek));
  END;
  CREATE TRIGGER goals_updated AFTER UPDATE ON goals WHEN json_array(OLD.userId,OLD.sessionsPerWeek) <> json_array(NEW.userId,NEW.sessionsPerWeek) BEGIN
    INSERT INTO history (change, record, recordId, userId, formerUserId, action, before, after)
    VALUES ((SELECT max(id) FROM changes), 'goal', OLD.id, NEW.userId, iif(OLD.userId = NEW.userId, NULL, OLD.userId), 'update', json_array(OLD.userId,OLD.sessionsPerWeek), json_array(NEW.userId,NEW.sessionsPerWeek));
  END;
  CREATE TRIGGER goals_deleted AFTER DELETE ON goals BEGIN
    INSERT INTO history (change, record, recordId, userId, formerUserId, action, before, after)
    VALUES ((SELECT max(id) FROM changes), 'goal', OLD.id, OLD.userId, NULL, 'delete', json_array(OLD.userId,OLD.sessionsPerWeek), NULL);
  END;
  `;
