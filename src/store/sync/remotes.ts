import { absent, conflict } from '../../domain/errors.ts';
import { crypto } from '../../lib/crypto.ts';
import { type NotedDispute, notedDisputes } from '../reconcile/disputes.ts';
import { Erasures } from '../reconcile/erasures.ts';
import { Fold, IS_HELD } from '../reconcile/fold.ts';
import { notedAt, usersFrom } from '../reconcile/from-remote.ts';
import { Names } from '../reconcile/names.ts';
import type { RecordKey } from '../reconcile/received.ts';
import type { Name } from '../reconcile/state.ts';
import { UserMerges } from '../reconcile/user-merges.ts';
import { Settings } from '../records/settings.ts';
import type { Database } from '../sqlite/database.ts';
import { storedJson } from '../sqlite/errors.ts';

/** A service or a folder to sync with. Tokens and keys are kept in files of their own. */
export interface Remote {
  name: string;
  url: string;
  /** The pin of its certificate's key; null to trust what the system trusts. */
  pin: string | null;
  /** `--as`: the id of the user here who is the user of the token, or the only one in the folder; null if that was not said. */
  ourUser: number | null;
  /** The UUID of the database behind a service, or the URL of a folder; null before the first sync. */
  database: string | null;
  /** When both were last in step, in milliseconds since 1970; null before the first time. */
  at: number | null;
}

const REMOTES = `SELECT name, url, pin, ourUser, database, at FROM remotes
  LEFT JOIN peers ON peers.uuid = remotes.database AND peers.token = 0`;

/** The remotes, by name. */
export class Remotes {
  constructor(private readonly db: Database) {}

  list(): Remote[] {
    return this.db.all(`${REMOTES} ORDER BY name`);
  }

  find(name: string): Remote | undefined {
    return this.db.get(`${REMOTES} WHERE name = ?`, name);
  }

  /** @throws SciaticaError `not-found` */
  get(name: string): Remote {
    const remote = this.find(name);
    if (remote) return remote;
    throw absent((command) => `There is no remote "${name}". See: ${command('remotes')}`);
  }

  /** @throws SciaticaError `conflict` if there is one of that name */
  requireFree(name: string): void {
    if (this.find(name))
      throw conflict(
        (command) =>
          `There is a remote "${name}" already. Choose another name, or: ${command(`remote rm ${name}`)}`,
      );
  }

  /** @throws SciaticaError `conflict` if there is one of that name */
  add({ name, url, pin, ourUser }: Omit<Remote, 'database' | 'at'>): void {
    this.db.write(() => {
      this.requireFree(name);
      const sql = 'INSERT INTO remotes (name, url, pin, ourUser) VALUES (?, ?, ?, ?)';
      this.db.run(sql, name, url, pin, ourUser);
      this.#noteNow('remotesSince', name);
    });
  }

  /** Changes whose records go to a folder. @param url that of the folder with these users */
  chooseUsers(name: string, url: string): void {
    this.db.write(() => {
      this.db.run('UPDATE remotes SET url = ? WHERE name = ?', url, name);
      this.#noteNow('usersSince', name);
    });
  }

  /** Notes the last history seq for a remote in a setting. */
  #noteNow(setting: Parameters<typeof notedAt>[0], name: string): void {
    const settings = new Settings(this.db);
    const since = storedJson<Record<string, number>>(settings.get(setting) ?? '{}');
    settings.set(setting, JSON.stringify({ ...since, [name]: this.db.lastId('history') }));
  }

  /**
   * The ids of the users whose records go to a folder: the chosen ones, those who came from there, and those into whom these are
   * merged.
   * @param chosen ids; undefined for all
   */
  usersOf(remote: string, chosen: readonly number[] | undefined): number[] | undefined {
    const all = chosen && [...chosen, ...usersFrom(this.db, remote)];
    return all && [...new Set(all.flatMap((id) => [id, this.shownUser(id) ?? id]))];
  }

  /**
   * The ids of users added here since the users of a folder were chosen, who are not among these. @param chosen as of `usersOf`
   */
  addedBeside(remote: string, chosen: readonly number[] | undefined): number[] {
    const inside = this.usersOf(remote, chosen);
    if (!inside) return [];
    return this.db.column(
      `SELECT users.id FROM users JOIN history AS entry ON entry.seq =
         (SELECT min(seq) FROM history WHERE recordId = users.id AND record = 'user')
       JOIN history AS head ON head.seq = entry.head WHERE entry.action = 'create' AND coalesce(head.source, 'cli') <> 'sync'
         AND entry.seq > coalesce(${notedAt('usersSince')}, ${notedAt('remotesSince')}, 0)
         AND users.id NOT IN (SELECT value FROM json_each(?)) ORDER BY 1`,
      remote,
      remote,
      JSON.stringify(inside),
    );
  }

  /**
   * Who else has a change, and is reached by its undo: the machine that it came from, all that it was sent to, and the database
   * whose file it imported.
   * @returns their names, sorted
   */
  reachOf(change: number): string[] {
    const { db } = this;
    const [last, source, caller] = db.row<[number | null, string | null, string | null]>(
      `SELECT max(entry.seq), head.source, head.caller FROM history AS entry JOIN history AS head ON head.seq = entry.head
       WHERE entry.change = ?`,
      change,
    );
    if (last === null) return [];
    // A token for some users has got the change only if it is about one of them.
    const told = db.column<string>(
      `SELECT coalesce(remotes.name, tokens.name, 'another machine') FROM peers
       LEFT JOIN remotes ON remotes.database = peers.uuid AND peers.token = 0 LEFT JOIN tokens ON tokens.id = peers.token
       WHERE sent ->> '$.seq' >= ? AND (tokens.users IS NULL OR EXISTS
         (SELECT 1 FROM history AS entry JOIN json_each(tokens.users) AS user ON user.value IN (entry.userId, entry.formerUserId)
          WHERE entry.change = ?))`,
      last,
      change,
    );
    const isOfFile =
      source === 'import' &&
      db.value(
        `SELECT 1 FROM history AS entry JOIN replicas ON replicas.id = entry.recordId AND replicas.record = entry.record
         WHERE entry.change = ? AND entry.action = 'create' AND replicas.origin NOT IN (SELECT origin FROM identities) LIMIT 1`,
        change,
      ) === 1;
    const from = source === 'sync' ? [caller ?? 'another machine'] : [];
    const file = isOfFile ? [`the machine that ${caller ?? 'the file'} is from`] : [];
    return [...new Set([...told, ...from, ...file])].sort();
  }

  /** The ids of those of these users who were deleted here after a time. @param after in milliseconds since 1970 */
  deleted(users: readonly Name[] | null, after = 0): number[] {
    const names = new Names(this.db);
    const ids = (users ?? []).flatMap((name) => names.idOf('user', name) ?? []);
    const sql = `SELECT max(coalesce(head.at, head.clock / 1000)) FROM history AS entry JOIN history AS head ON head.seq = entry.head
      WHERE entry.record = 'user' AND entry.recordId = ?`;
    return [...new Fold(this.db, names).of('user', ids)].flatMap(([id, { row, state }]) => {
      const isDeleted = !row && state.life % 2 === 0;
      return isDeleted && (this.db.value<number>(sql, id) ?? 0) > after ? [id] : [];
    });
  }

  /** The id of the user under whom a user's records show: another one after a merge. Undefined while they do not show. */
  shownUser(id: number): number | undefined {
    const names = new Names(this.db);
    return new UserMerges(new Fold(this.db, names)).ownerId(names.ofUser(id));
  }

  /**
   * The users in the view of a service who are merged here into one outside of it, whose records are not sent: the token does not
   * cover it.
   * @param view the names of the users; null for all
   * @returns pairs of ids: the user in the view, and the one under whom it shows
   */
  mergedAway(view: readonly Name[] | null): { view: number; id: number }[] {
    const names = new Names(this.db);
    const ids = (view ?? []).flatMap((name) => names.idOf('user', name) ?? []);
    return ids.flatMap((own) => {
      const id = this.shownUser(own);
      return id === undefined || ids.includes(id) ? [] : [{ view: own, id }];
    });
  }

  /** The names of the services whose view has one user here and not the other. */
  onlyFor(userId: number, other: number): string[] {
    const names = new Names(this.db);
    const sql = `SELECT name FROM remotes JOIN peers ON peers.uuid = remotes.database AND peers.token = 0
      WHERE EXISTS (SELECT 1 FROM json_each(view) WHERE value = ?) AND NOT EXISTS (SELECT 1 FROM json_each(view) WHERE value = ?)`;
    return this.db.column(sql, names.ofUser(userId), names.ofUser(other));
  }

  /** Whether a UUID is, or was, that of this database. */
  isOwn(uuid: string): boolean {
    const sql = 'SELECT 1 FROM identities JOIN origins ON origins.id = identities.origin WHERE uuid = ?';
    return this.db.value(sql, uuid) === 1;
  }

  /** How many deletions from elsewhere are held back until somebody consents. */
  heldBack(): number {
    return this.db.value<number>(`SELECT count(*) FROM replicas WHERE ${IS_HELD}`) ?? 0;
  }

  /** The users and records here that were erased elsewhere. */
  erasedElsewhere = (): RecordKey[] => this.#erasures().pending();

  /** Whether anything that was erased elsewhere is still here, or may be in backups. */
  holdsErased(): boolean {
    const erasures = this.#erasures();
    return erasures.pending().length > 0 || erasures.mayBeInBackups();
  }

  /** How many of these users, by their names, were erased. */
  countErased(users: readonly Name[]): number {
    const erasures = this.#erasures();
    return users.filter((name) => erasures.isErased('user', name)).length;
  }

  #erasures = (): Erasures => new Erasures(this.db, new Names(this.db));

  /** The disputes of the last 30 days, the latest first. @param now in milliseconds since 1970 */
  disputes = (now: number): NotedDispute[] => notedDisputes(this.db, now);

  /**
   * Notes the lines that a sync with a remote says. After a failure without other lines, the earlier lines stay noted.
   * @returns whether the sync before said a line, too
   */
  noteSaid(name: string, lines: readonly string[], failure?: string): (line: string) => boolean {
    const digestOf = (line: string) => crypto().createHash('sha256').update(line).digest('base64');
    const settings = new Settings(this.db);
    const all = storedJson<Record<string, string[]>>(settings.get('said') ?? '{}');
    const before = all[name] ?? [];
    const said = [...lines, ...(failure === undefined ? [] : [failure])].map(digestOf);
    const kept = failure !== undefined && lines.length === 0 ? before : [];
    const news = JSON.stringify({ ...all, [name]: [...new Set([...kept, ...said])] });
    const isSame = news === JSON.stringify({ ...all, [name]: before });
    if (!isSame && this.find(name)) this.db.write(() => settings.set('said', news));
    return (line) => before.includes(digestOf(line));
  }

  /** Notes which database is behind a remote. */
  setDatabase(name: string, uuid: string): void {
    this.db.write(() => this.db.run('UPDATE remotes SET database = ? WHERE name = ?', uuid, name));
  }

  /** Removes a remote. What is known of its records stays. @throws SciaticaError `not-found` */
  remove(name: string): void {
    this.db.write(() => {
      this.get(name);
      this.#delete('name = ?', name);
    });
  }

  /** Removes the remotes with this `ourUser`. */
  removeOf(userId: number): void {
    this.#delete('ourUser = ?', userId);
  }

  #delete(condition: string, value: string | number): void {
    this.db.run(`DELETE FROM remotes WHERE ${condition}`, value);
    this.db.run(`UPDATE settings SET value = (SELECT json_group_object(key, since.value) FROM json_each(settings.value) AS since
      WHERE key IN (SELECT name FROM remotes)) WHERE name IN ('remotesSince', 'usersSince', 'said')`);
  }
}
