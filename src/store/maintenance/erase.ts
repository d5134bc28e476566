import { notFound, SciaticaError } from '../../domain/errors.ts';
import { INTO, type KindName, kindOf, ownedKindNames } from '../../domain/kinds.ts';
import { sleepSync } from '../../lib/sleep.ts';
import { type Erased, Erasures, isKnown, isLeft } from '../reconcile/erasures.ts';
import { Fold, isOnePerUser } from '../reconcile/fold.ts';
import { NAME, Names } from '../reconcile/names.ts';
import { idsOf, type RecordKey } from '../reconcile/received.ts';
import type { Name } from '../reconcile/state.ts';
import { everMerged, shownAs, UserMerges } from '../reconcile/user-merges.ts';
import { Settings } from '../records/settings.ts';
import type { Tokens } from '../records/tokens.ts';
import type { Value } from '../sqlite/condition.ts';
import type { Database } from '../sqlite/database.ts';
import { CHANGE, HEAD } from '../sqlite/migrations/history-triggers.ts';
import { useTemporaryFolder } from '../sqlite/temporary.ts';
import { Remotes } from '../sync/remotes.ts';

/** What an erasure of a user includes besides the records that are listed under the user. */
export interface Reach {
  /** Ids of the users here who were merged into this one, directly or through others. */
  merged: number[];
  /** Records that belong to another user now. */
  moved: (RecordKey & { userId: number })[];
}

export function reachOf(db: Database, userId: number): Reach {
  const names = new Names(db);
  const merged = mergedInto(db, names.ofUser(userId)).flatMap(({ id }) => id ?? []);
  const moved = [userId, ...merged].flatMap((user) =>
    everOwned(db, user, [names.ofUser(user)]).flatMap(({ record, id }) => {
      const sql = `SELECT userId FROM ${kindOf(record).table} WHERE id = ? AND userId <> ?`;
      const owner = db.value<number>(sql, id, userId);
      return owner === undefined ? [] : [{ record, id, userId: owner }];
    }),
  );
  return { merged, moved };
}

/** The users who were merged into one (`user merge`), directly or through others; without an id if never shown here. */
function mergedInto(db: Database, name: Name): { id: number | null; name: Name }[] {
  const found = new Map<Name, number | null>();
  const fold = new Fold(db, new Names(db));
  // The merge may have been undone here since the replica was stored.
  const isStill = (id: number) => typeof fold.of('user', [id]).get(id)?.state.fields?.[INTO] === 'string';
  for (const waiting = [name]; waiting.length > 0; ) {
    const rows = db.all<{ here: number | null; other: Name }>(
      `SELECT id AS here, ${NAME} AS other FROM replicas WHERE record = 'user' AND state ->> '$.fields.${INTO}' = ?`,
      waiting.pop() ?? '',
    );
    for (const { here, other } of rows) {
      if (other === name || found.has(other) || (here !== null && !isStill(here))) continue;
      found.set(other, here);
      waiting.push(other);
    }
  }
  return [...found].map(([other, id]) => ({ id, name: other }));
}

/**
 * Whether there is anything left of a user to erase.
 * @throws SciaticaError `not-found` for a user that never existed
 */
export function isThere(db: Database, userId: number): boolean {
  if (isLeft(db, 'user', userId) || isKnown(db, userId)) return true;
  if (db.value('SELECT 1 FROM history WHERE userId = ?', userId) !== 1) throw notFound('user', userId);
  return false;
}

/** Erases users, and single records, inside a change. @throws SciaticaError `not-found` for a user that never existed */
export function erase(db: Database, tokens: Tokens, what: readonly RecordKey[]): void {
  for (const id of idsOf(what, 'user')) if (isThere(db, id)) erasePerson(db, tokens, id);
  eraseRecords(
    db,
    what.filter(({ record, id }) => record !== 'user' && isLeft(db, record, id)),
  );
}

/** Erases records that another database erased with an owner. The remaining entry says only that something was erased. */
function eraseRecords(db: Database, records: readonly RecordKey[]): void {
  if (records.length === 0) return;
  const names = new Names(db);
  const erased = records.map(({ record, id }): Erased => [record, names.of(record, id)]);
  const told = toldOf(db, names, records);
  deleteRecords(db, records);
  forgetRecords(db, records);
  db.run(`INSERT INTO history (change, head, action) VALUES (${CHANGE}, ${HEAD}, 'erase')`);
  new Settings(db).addGap('erased', db.lastId('history'));
  forgetChanges(db);
  db.run('DELETE FROM erasing');
  forgetReplicas(db, records);
  const erasures = new Erasures(db, names);
  erasures.add(erased);
  erasures.addOthers(told);
}

/**
 * Erases a person: the user, the users merged into it, all records that ever belonged to them, their history and replicas, and
 * the tokens for nobody else. Of each user one entry remains: that the user was erased, and when.
 */
function erasePerson(db: Database, tokens: Tokens, userId: number): void {
  const merged = mergedInto(db, new Names(db).ofUser(userId));
  for (const { id } of merged) if (id !== null) eraseUser(db, tokens, id, []);
  const aliases = merged.flatMap(({ id, name }) => (id === null ? name : []));
  eraseUser(db, tokens, userId, aliases);
}

/** @param aliases the global names of users without an id here who were merged into this one */
function eraseUser(db: Database, tokens: Tokens, userId: number, aliases: readonly Name[]): void {
  const wasMoved = db.value(`SELECT 1 FROM history WHERE ${MOVED}`, userId, userId) === 1;
  db.run('INSERT INTO erasing (userId) VALUES (?)', userId);
  const [names, settings] = [new Names(db), new Settings(db)];
  const name = names.ofUser(userId);
  const ofUser = [name, ...aliases];
  const theirs = everOwned(db, userId, ofUser);
  const moved = theirs.filter(({ record, id }) => !isOnePerUser(record) && hadOthers(db, record, id, userId));
  const erased: Erased[] = [
    ...ofUser.map((one): Erased => ['user', one]),
    ...moved.map(({ record, id }): Erased => [record, names.of(record, id)]),
  ];
  const told = toldOf(db, names, moved, { id: userId, names: ofUser });
  deleteRecords(db, theirs);
  db.run('DELETE FROM users WHERE id = ?', userId);
  forgetEntries(db, 'userId = ? OR formerUserId = ?', userId, userId);
  forgetRecords(db, theirs);
  db.run(
    `INSERT INTO history (change, head, record, recordId, userId, action) VALUES (${CHANGE}, ${HEAD}, 'user', ?, ?, 'erase')`,
    userId,
    userId,
  );
  // The remaining history hides from other users which records moved to or from them: they must reread.
  const wereOthers = db.value('SELECT count(*) > 1 FROM erasing') === 1;
  if (wasMoved || wereOthers) settings.addGap('erased', db.lastId('history'));
  forgetChanges(db);
  db.run('DELETE FROM erasing');
  for (const one of ofUser) names.forget('user', one);
  forgetReplicas(db, [{ record: 'user', id: userId }, ...theirs], ofUser);
  const erasures = new Erasures(db, names);
  erasures.add(erased);
  erasures.setId(name, userId);
  erasures.addOthers(told);
  new Remotes(db).removeOf(userId);
  tokens.forget(userId);
  if (settings.get('user') === String(userId)) settings.remove('user');
}

/** SQL condition: entries of some records of a kind. */
const OF_RECORDS = 'record = ? AND recordId IN (SELECT value FROM json_each(?))';

/** SQL condition: entries by which a record moved to or from a user. */
const MOVED = 'formerUserId IS NOT NULL AND (userId = ? OR formerUserId = ?)';

/**
 * Which users' clients are told of an erasure: of a record, its present and former owners; of the user, those
 * under whom the user's records were ever listed. Nobody else may learn of it.
 * @returns pairs of the id of a user to tell, and what was erased
 */
function toldOf(
  db: Database,
  names: Names,
  records: readonly RecordKey[],
  user?: { id: number; names: readonly Name[] },
): (readonly [user: number, erased: Erased])[] {
  const fold = new Fold(db, names);
  const people = new UserMerges(fold);
  const ofUser = (user?.names ?? []).map((name): Erased => ['user', name]);
  const roots = (user?.names ?? []).flatMap((name) => [people.rootOf(name), ...(shownAs(db)[name] ?? [])]);
  const as = roots.flatMap((name) => names.idOf('user', name) ?? []);
  const shown = ownedKindNames.flatMap((kind) => {
    const ids = idsOf(records, kind);
    const known = fold.of(kind, ids);
    const under = db.all<{ id: number; by: number }>(
      `SELECT recordId AS id, userId AS "by" FROM history WHERE ${OF_RECORDS}
       UNION SELECT recordId, formerUserId FROM history WHERE ${OF_RECORDS} AND formerUserId IS NOT NULL`,
      ...[kind, JSON.stringify(ids), kind, JSON.stringify(ids)],
    );
    return under.flatMap(({ id, by }) => {
      const owners = known.get(id)?.state.owners.filter((owner) => !user?.names.includes(owner));
      // Otherwise `by` had it only through a merge, and is told of the user's erasure.
      const isNamed = !as.includes(by) || owners?.some((owner) => people.isOf(owner, [by]));
      return isNamed ? [[by, [kind, names.of(kind, id)]] as const] : [];
    });
  });
  const toSame = as.flatMap((by) => ofUser.map((one) => [by, one] as const));
  return [...toSame, ...shown].filter(([by]) => by !== user?.id);
}

/** The records that belong, or ever belonged, to this user. @param ofUser the global names of the user */
function everOwned(db: Database, userId: number, ofUser: readonly Name[]): RecordKey[] {
  const owned = ownedKindNames.map(
    (kind) => `SELECT '${kind}' AS record, id FROM ${kindOf(kind).table} WHERE userId = ?`,
  );
  const here = db.all<RecordKey>(
    `${owned.join(' UNION ')} UNION SELECT record, recordId FROM history WHERE userId = ? AND record <> 'user'
     UNION SELECT record, recordId FROM history WHERE formerUserId = ? AND record <> 'user'
     UNION SELECT record, id FROM replicas WHERE record IN (SELECT value FROM json_each(?)) AND id IS NOT NULL AND ${EVER_OWNED}`,
    ...owned.map(() => userId),
    userId,
    userId,
    JSON.stringify(ownedKindNames.filter((kind) => !isOnePerUser(kind))),
    JSON.stringify(ofUser),
  );
  return everMerged(db).length > 0 ? withoutOthers(db, here, userId, ofUser) : here;
}

/** Leaves out records that were listed under this user only while their owner was merged into it. */
function withoutOthers(
  db: Database,
  records: readonly RecordKey[],
  userId: number,
  ofUser: readonly Name[],
): RecordKey[] {
  const fold = new Fold(db, new Names(db));
  return ownedKindNames.flatMap((kind) => {
    const ofKind = records.filter(({ record }) => record === kind);
    if (isOnePerUser(kind)) return ofKind;
    const known = fold.of(kind, idsOf(ofKind, kind));
    return ofKind.filter(({ id }) => {
      const { row, state } = known.get(id) ?? {};
      return (
        !state || row?.cells['userId'] === userId || state.owners.some((owner) => ofUser.includes(owner))
      );
    });
  });
}

/** Whether a record ever belonged to a user other than this one. */
function hadOthers(db: Database, record: KindName, id: number, userId: number): boolean {
  return (
    db.value(
      `SELECT 1 FROM history WHERE recordId = ? AND record = ? AND userId <> ? UNION ALL
       SELECT 1 FROM replicas WHERE id = ? AND record = ? AND json_array_length(state, '$.owners') > 1 LIMIT 1`,
      id,
      record,
      userId,
      id,
      record,
    ) === 1
  );
}

/** SQL condition: rows of `replicas` whose record ever belonged to a user with one of these global names. */
const EVER_OWNED =
  "EXISTS (SELECT 1 FROM json_each(state, '$.owners') AS owner WHERE owner.value IN (SELECT value FROM json_each(?)))";

function deleteRecords(db: Database, records: readonly RecordKey[]): void {
  for (const kind of ownedKindNames) {
    const sql = `DELETE FROM ${kindOf(kind).table} WHERE id IN (SELECT value FROM json_each(?))`;
    db.run(sql, JSON.stringify(idsOf(records, kind)));
  }
}

/** Deletes the replicas of these records, and of all records that ever belonged to the users named `ofUser`. */
function forgetReplicas(db: Database, records: readonly RecordKey[], ofUser: readonly Name[] = []): void {
  const ids = JSON.stringify(
    records.filter(({ record }) => !isOnePerUser(record)).map(({ record, id }) => [record, id]),
  );
  db.run(
    `DELETE FROM replicas WHERE ${EVER_OWNED}
     OR (record, id) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?))`,
    JSON.stringify(ofUser),
    ids,
  );
}

/** Deletes all entries of these records, also those under other owners: they may have been recorded for the wrong user. */
function forgetRecords(db: Database, theirs: readonly RecordKey[]): void {
  for (const kind of ownedKindNames) {
    const ids = idsOf(theirs, kind);
    if (ids.length === 0) continue;
    const list = JSON.stringify(ids);
    db.run(`INSERT OR IGNORE INTO erasing SELECT userId FROM history WHERE ${OF_RECORDS}`, kind, list);
    forgetEntries(db, OF_RECORDS, kind, list);
  }
}

/**
 * Deletes the entries that meet a condition. A remaining creation gets its state from the deleted next entry,
 * if that holds it. Heads keep the metadata of their change for its other entries. Requests of the changes
 * keep their key and lose the hash of their body.
 */
function forgetEntries(db: Database, condition: string, ...values: Value[]): void {
  const entries = `SELECT seq FROM history WHERE ${condition}`;
  db.run(
    `UPDATE history SET after = gone.before FROM history AS gone
     WHERE gone.seq IN (${entries}) AND history.action = 'create' AND history.after IS NULL AND history.seq = (
       SELECT max(last.seq) FROM history AS last
       WHERE last.recordId = gone.recordId AND last.record = gone.record AND last.seq < gone.seq)`,
    ...values,
  );
  db.run(
    `UPDATE requests SET body = NULL WHERE body IS NOT NULL AND change IN (SELECT change FROM history WHERE ${condition})`,
    ...values,
  );
  db.run(
    `UPDATE history SET record = NULL, recordId = NULL, userId = NULL, formerUserId = NULL, action = NULL, before = NULL, after = NULL
     WHERE seq = head AND (${condition})`,
    ...values,
  );
  db.run(`DELETE FROM history WHERE ${condition}`, ...values);
}

/** Reduces changes without entries to number, clock and uid, by which other databases know them, and deletes their requests. */
function forgetChanges(db: Database): void {
  const kept = 'SELECT change FROM history WHERE record IS NOT NULL';
  db.run(
    `UPDATE history SET at = NULL, source = NULL, caller = NULL, undoes = NULL
     WHERE record IS NULL AND source IS NOT NULL AND change NOT IN (${kept})`,
  );
  db.run(`DELETE FROM requests WHERE change NOT IN (${kept})`);
}

/** How long to wait for readers that still use the old contents, in milliseconds. */
const OVERWRITE_TIMEOUT_MS = 10_000;

/**
 * Rewrites the database file and empties its log, so that no page holds deleted data
 * (https://sqlite.org/lang_vacuum.html).
 * @throws SciaticaError `busy` while others keep the old contents in use, `full`, `unusable`
 */
export function overwrite(db: Database): void {
  useTemporaryFolder(db);
  db.exec('VACUUM');
  emptyLog(db);
}

function emptyLog(db: Database): void {
  const deadline = performance.now() + OVERWRITE_TIMEOUT_MS;
  while (!db.checkpoint()) {
    if (performance.now() > deadline)
      throw new SciaticaError(
        'busy',
        'Another program keeps the old contents in use. Close it (sciatica serve?) and run this again.',
      );
    sleepSync(20);
  }
}
