import { constants, existsSync, readdirSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type CommandWriter, SciaticaError, type Wording } from '../../domain/errors.ts';
import { nounOf } from '../../domain/kinds.ts';
import { localDay } from '../../domain/words/day.ts';
import { isAbandoned, sizeOf } from '../../lib/files.ts';
import { sized } from '../../lib/size.ts';
import { Settings } from '../records/settings.ts';
import { withDatabase } from '../sqlite/connection.ts';
import type { Database } from '../sqlite/database.ts';
import { domainError } from '../sqlite/errors.ts';
import { APPLICATION_ID, headerOf } from '../sqlite/header.ts';
import { migrations } from '../sqlite/migrations/index.ts';
import { refusal } from '../sqlite/readable.ts';
import { isSchemaSound } from '../sqlite/schema.ts';
import { foreignSidecar, refuseForeignSidecars } from '../sqlite/sidecars.ts';
import { logBytesOf, MOST_LOG_BYTES } from '../sqlite/snapshot.ts';
import { type Holding, holdingOf, integrityFaults, openToRead, referenceFaults } from '../sqlite/verify.ts';
import { folderAddress } from '../sync/folder-address.ts';
import { Remotes } from '../sync/remotes.ts';
import { requireRoom } from './automatic-backup.ts';
import { type BackupPlan, backupsOf, noteOf, planOf } from './backup-plan.ts';
import { copiesBeside } from './copies.ts';
import { commandToFinish, subjectOf, unfinishedErasing } from './erasing.ts';

/** The result of one check, and what to do if it has found a fault. */
export interface Check {
  name: string;
  ok: boolean;
  detail: string;
  advice?: Wording;
}

export interface Examination {
  path: string;
  exists: boolean;
  /** Size of the file and its write-ahead log. */
  bytes: number;
  version: number | null;
  journalMode: string | null;
  /** The UUID of the database. */
  identity: string | null;
  /** Number of records of each kind; null where they cannot be counted. */
  counts: Holding['counts'] | null;
  checks: Check[];
}

const ROOM = 50_000_000;
const RESCUE: Wording = (command) =>
  `Bring back a backup (${command('restore FILE')}), or save what can be read (${command('doctor --rescue FILE')}).`;

const well = (name: string, detail: string): Check => ({ name, ok: true, detail });
const fault = (name: string, detail: string, advice: Wording): Check => ({
  name,
  ok: false,
  detail,
  advice,
});

/** Examines a database. Changes nothing, and creates no database where there is none. */
export function examine(path: string): Examination {
  // A log without its database may hold records.
  const exists = existsSync(path) || sizeOf(`${path}-wal`) > 0;
  const bytes = sizeOf(path) + sizeOf(`${path}-wal`);
  const unknown = { version: null, journalMode: null, identity: null, counts: null };
  const examination: Examination = { path, exists, bytes, ...unknown, checks: [] };
  if (exists) examination.checks.push(...inside(examination), writeAheadLog(path));
  else examination.checks.push(absent(path));
  const folder = dirname(path);
  if (!existsSync(folder)) return examination;
  if (process.platform !== 'win32') examination.checks.push(permissions(path, folder));
  examination.checks.push(space(folder, bytes), place(folder), leftovers(path));
  return examination;
}

function absent(path: string): Check {
  const kept = copiesBeside(path);
  if (kept.length === 0)
    return well('Database', 'there is none yet; it is made when you first record something');
  const detail = `it is gone, but a copy of it is here: ${kept.join(', ')}`;
  return fault('Database', detail, (command) => `Bring one back: ${command('restore FILE')}`);
}

/** The checks for which SQLite opens the file. */
function inside(examination: Examination): Check[] {
  const { path } = examination;
  try {
    refuseForeignSidecars(path);
    if (!statSync(path).isFile()) return [unreadable('it is not a file', 'Give another file with --db.')];
    if (sizeOf(path) > 0) {
      const { isDatabase, applicationId } = headerOf(path);
      if (!isDatabase) return [unreadable('its beginning is not that of a database', RESCUE)];
      if (applicationId !== APPLICATION_ID)
        return [unreadable('it belongs to another program', 'Give another file with --db.')];
    }
    return withDatabase(openToRead(path), (db) => {
      const checks = [format(examination, db), integrity(db), foreignKeys(db)];
      // The further checks need an undamaged file of a known format.
      if (!checks.every(({ ok }) => ok)) return checks;
      checks.push(room(db));
      if (examination.version === migrations.length)
        checks.push(identity(examination, db), ...syncState(db), automaticBackups(db), ...erasing(db));
      return checks;
    });
  } catch (error) {
    const failed = domainError(error, path);
    if (!(failed instanceof SciaticaError)) throw failed;
    if (failed.code === 'damaged') {
      const detail = sizeOf(path) > 0 ? 'it is damaged: SQLite cannot read it' : 'only its log is left';
      return [unreadable(detail, RESCUE)];
    }
    return [unreadable('it cannot be opened', failed.wording)];
  }
}

const unreadable = (detail: string, advice: Wording): Check => fault('Database', detail, advice);

function format(examination: Examination, db: Database): Check {
  const version = db.pragma<number>('user_version');
  examination.version = version;
  examination.journalMode = db.pragma<string>('journal_mode');
  const name = 'Format';
  if (version > migrations.length)
    return fault(name, `version ${version}; this sciatica knows ${migrations.length}`, 'Update sciatica.');
  if (version === 0) return well(name, 'empty; it is filled in at the next use');
  try {
    examination.counts = holdingOf(db).counts;
  } catch (error) {
    if (!(error instanceof SciaticaError) || error.code !== 'damaged') throw error;
  }
  const old = version < migrations.length ? `; the next use brings it to ${migrations.length}` : '';
  return well(name, `version ${version}${old}`);
}

function identity(examination: Examination, db: Database): Check {
  const id = new Settings(db).get('id');
  examination.identity = id ?? null;
  const name = 'Identity';
  return id === undefined
    ? fault(name, 'it has none', (command) => `Give it one: ${command('identity new')}`)
    : well(name, id);
}

/** When each remote was last in sync, and what awaits a decision of the user. */
function syncState(db: Database): Check[] {
  const remotes = new Remotes(db);
  const held = remotes.heldBack();
  const erased = remotes.erasedElsewhere();
  const disputes = remotes.disputes(Date.now()).length;
  const all = remotes.list();
  const beside = all.flatMap(({ name, url }) =>
    remotes.addedBeside(name, folderAddress(url)?.users).map((id) => `user ${id} not in ${name}`),
  );
  const details = [
    ...all.map(
      ({ name, at }) => `${name} ${at === null ? 'never' : `last in step ${localDay(new Date(at))}`}`,
    ),
    ...beside,
    ...(held > 0 ? [`${held} deletion${held === 1 ? '' : 's'} from elsewhere held back`] : []),
    ...erased.map(({ record, id }) => `${nounOf(record)} ${id} erased elsewhere, and still here`),
    ...(disputes > 0 ? [`${disputes} record${disputes === 1 ? '' : 's'} changed on two machines`] : []),
  ];
  if (details.length === 0) return [];
  const advice = held + erased.length + disputes + beside.length > 0 && {
    advice: (command: CommandWriter) => `See: ${command('remotes')}`,
  };
  return [{ name: 'Sync', ok: held + erased.length === 0, detail: details.join('; '), ...advice }];
}

function integrity(db: Database): Check {
  const faults = integrityFaults(db);
  if (faults.length === 0 && !isSchemaSound(db)) faults.push('a table is not as it was made');
  if (faults.length === 0) return well('Integrity', 'every page is sound');
  // SQLite's messages contain line feeds, and refer to b-trees by number: the first, on one line, is enough.
  const [first = ''] = faults.map((fault) => fault.replace(/\s+/g, ' '));
  return fault('Integrity', `damaged: ${first}`, RESCUE);
}

function foreignKeys(db: Database): Check {
  const name = 'References';
  try {
    const faults = referenceFaults(db);
    if (faults === 0) return well(name, 'every record belongs to its user');
    return fault(name, `${faults} records belong to no user, or entries of the history to no change`, RESCUE);
  } catch (error) {
    if (!(error instanceof SciaticaError) || error.code !== 'damaged') throw error;
    return fault(name, 'they cannot be read', RESCUE);
  }
}

/** Whether other users of the computer could read or replace the database, which holds health data. */
function permissions(path: string, folder: string): Check {
  const name = 'Permissions';
  const [detail, advice] = openFile(path) ?? openFolder(path, folder) ?? [];
  return detail && advice ? fault(name, detail, advice) : well(name, 'nobody else may read it');
}

/** A fault, and advice. */
type Found = [detail: string, advice: string] | undefined;

function openFile(path: string): Found {
  const files = ['', '-wal', '-shm'].map((end) => path + end).filter((file) => existsSync(file));
  const open = files.filter((file) => (statSync(file).mode & 0o077) !== 0);
  if (open.length === 0 || foreignSidecar(path)) return undefined;
  const names = open.map((file) => basename(file)).join(', ');
  return [`others on this computer may read ${names}`, `chmod 600 ${open.join(' ')}`];
}

/** Whoever may write to a folder can replace the files in it or, in a sticky one such as /tmp, put files beside them. */
function openFolder(path: string, folder: string): Found {
  const { mode, uid } = statSync(folder);
  const advice = `Keep it in a folder of your own (--db), not in ${folder}.`;
  const foreign = foreignSidecar(path);
  if (foreign) return [`${basename(foreign)} belongs to another user`, advice];
  if (uid !== 0 && uid !== process.geteuid?.())
    return [`its folder belongs to another user (uid ${uid}), who can replace it`, advice];
  if ((mode & 0o022) === 0) return undefined;
  return (mode & 0o1000) === 0
    ? ['others may write to its folder, and so replace it', `chmod go-w ${folder}`]
    : ['others may put files beside it', advice];
}

function space(folder: string, bytes: number): Check {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const [name, detail] = ['Free space', sized(free)];
  if (free >= Math.max(ROOM, 2 * bytes)) return well(name, detail);
  return fault(name, detail, 'Make room on the disk: a backup or an update needs a copy of the database.');
}

/** A write-ahead log needs memory shared by all processes, so it does not work over a network (https://sqlite.org/wal.html). */
function place(folder: string): Check {
  const network = networkName(statfsSync(folder).type);
  const name = 'Disk';
  if (!network) return well(name, 'on this computer');
  return fault(
    name,
    `${network}: two computers that write there at once can damage the database`,
    'Keep it on a local disk (--db or SCIATICA_DB), and put backups on the network instead.',
  );
}

/** In milliseconds: for so long, a copy whose maker has ended may still be in use by the background job that it started. */
const HANDED_OVER_MS = 60_000;

/** Checks for temporary files of killed processes. */
function leftovers(path: string): Check {
  const beside = dirname(path);
  const left = [beside, ...backupFoldersOf(path)].flatMap((folder) =>
    abandonedIn(folder).filter((file) => folder === beside || isOld(file)),
  );
  const name = 'Leftovers';
  if (left.length === 0) return well(name, 'none');
  return fault(name, `${left.length} unfinished temporary files`, `rm -r ${left.join(' ')}`);
}

/** The folders of automatic backups; only the default one if the database cannot be read. */
function backupFoldersOf(path: string): string[] {
  const usual = join(dirname(path), 'backups');
  try {
    return withDatabase(openToRead(path), (db) => [...new Set([usual, ...new Settings(db).backupFolders])]);
  } catch {
    return [usual];
  }
}

function abandonedIn(folder: string): string[] {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && isAbandoned(entry.name))
    .map(({ name }) => join(folder, name));
}

function isOld(file: string): boolean {
  const { mtimeMs } = statSync(file, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
  return Date.now() - mtimeMs > HANDED_OVER_MS;
}

/** Checks for erased persons who may still be in the file or in a backup. */
function erasing(db: Database): Check[] {
  const unfinished = unfinishedErasing(db);
  if (!unfinished) return [];
  const { users, left } = unfinished;
  const where = left ? left.join(', ') : 'the database file and its backups';
  const detail = `not finished: ${subjectOf(users).toLowerCase()} was erased, but may still be in ${where}`;
  return [fault('Erasing', detail, (command) => `Finish it: ${command(commandToFinish(users))}`)];
}

/** File systems that other computers may write to, by their magic number on Linux (statfs(2), linux/magic.h). */
const NETWORKS: Readonly<Record<number, string>> = {
  26985: 'a network disk (NFS)',
  20859: 'a network disk (SMB)',
  4283649346: 'a network disk (CIFS)',
  4266872130: 'a network disk (SMB)',
  16914839: 'a disk shared with another system (9p)',
  1702057286: 'a disk behind another program (FUSE), perhaps a network',
  1397113167: 'a network disk (AFS)',
  1799439955: 'a network disk (AFS)',
  1937076805: 'a network disk (Coda)',
  12805120: 'a network disk (Ceph)',
  198183888: 'a network disk (Lustre)',
  18225520: 'a shared disk (GFS2)',
  1952539503: 'a shared disk (OCFS2)',
  22092: 'a network disk (NCP)',
  2020557398: 'a folder shared with a virtual machine (VirtualBox)',
};

/** The name of a network file system by its type; undefined for others, and on systems other than Linux. */
function networkName(type: number): string | undefined {
  return process.platform === 'linux' ? NETWORKS[type >>> 0] : undefined;
}

/** Checks the size of the write-ahead log: every write tries to shrink it, so a large one is held by a reader. */
function writeAheadLog(path: string): Check {
  const bytes = logBytesOf(path);
  const name = 'Write-ahead log';
  if (bytes <= 2 * MOST_LOG_BYTES) return well(name, sized(bytes));
  return fault(
    name,
    `${sized(bytes)}; a program that reads an old state of the database keeps it from shrinking`,
    'End what reads for long (an export, a pager, a backup), then record something.',
  );
}

/** In bytes: a larger audit gets the advice to prune it. */
const LARGE_AUDIT = 100e6;

/** Most tables that are listed by name. */
const MOST_NAMED = 5;

/** What takes up space in the database file, the largest first; free pages will be reused. */
function room(db: Database): Check {
  const rows = db.all<{ name: string; bytes: number }>(
    `SELECT coalesce(tbl_name, dbstat.name) AS name, sum(pgsize) AS bytes
     FROM dbstat LEFT JOIN sqlite_schema ON sqlite_schema.name = dbstat.name WHERE aggregate = TRUE
     GROUP BY 1`,
  );
  const free = db.pragma<number>('freelist_count') * db.pragma<number>('page_size');
  const parts = [...rows, { name: 'free', bytes: free }].sort((a, b) => b.bytes - a.bytes);
  const total = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  const share = (bytes: number) => `${Math.round((100 * bytes) / total)} %`;
  const named = parts.slice(0, MOST_NAMED).filter(({ bytes }) => bytes > 0);
  const others = parts.slice(MOST_NAMED).reduce((sum, { bytes }) => sum + bytes, 0);
  const audit = rows.find(({ name }) => name === 'audit')?.bytes ?? 0;
  const shares = [...named, { name: 'others', bytes: others }].map(
    (one) => `${one.name} ${share(one.bytes)}`,
  );
  return {
    ...well('Room', shares.join(', ')),
    ...(audit > LARGE_AUDIT && {
      advice: (command: CommandWriter) =>
        `Old entries of the audit can be removed: ${command('audit prune --before -365d')}`,
    }),
  };
}

const ELSEWHERE: Wording = (command) => `For backups on another disk: ${command('backup --auto FOLDER')}`;

/** Checks the age of the newest automatic backup, and whether it is on the disk of the database. */
function automaticBackups(db: Database): Check {
  const name = 'Backups';
  const { backups } = new Settings(db);
  const plan = planOf(db.path, backups);
  if (!plan)
    return {
      ...well(name, 'they are turned off'),
      advice: (command) => `To turn them on again: ${command('backup --auto on')}`,
    };
  if (existsSync(noteOf(plan))) return fault(name, readFileSync(noteOf(plan), 'utf8'), ELSEWHERE);
  const today = localDay(new Date());
  const all = backupsOf(plan);
  const newest = all.findLast(({ day }) => day <= today) ?? all.at(-1);
  const toCome = all.find(({ day }) => day > today && day !== newest?.day);
  const obstacle = newest?.day === today ? undefined : obstacleTo(plan, db.path);
  if (obstacle !== undefined) return fault(name, `today's cannot be made. ${obstacle}`, ELSEWHERE);
  if (newest) {
    const isSame = statSync(newest.path).dev === statSync(db.path).dev;
    const disk = isSame ? 'the same disk as the database' : 'another disk';
    const others = toCome ? `; another one is ${ageOf(toCome.day)}` : '';
    const check = well(name, `the newest is ${ageOf(newest.day)}, on ${disk}${others}`);
    return isSame ? { ...check, advice: ELSEWHERE } : check;
  }
  const { folder } = plan;
  if (existsSync(folder) || backups.folder === undefined)
    return well(name, 'none yet; the first is made before the next change');
  const advice: Wording = (command) =>
    `Insert the disk, or choose another folder: ${command('backup --auto FOLDER')}`;
  return fault(name, `their folder ${folder} is not there`, advice);
}

/** Why no backup can be made in an existing folder; undefined also where nothing can be recorded anyway. */
function obstacleTo(plan: BackupPlan, path: string): string | undefined {
  if (!existsSync(plan.folder) || refusal(path, constants.W_OK)) return undefined;
  try {
    requireRoom(plan, sizeOf(path) + sizeOf(`${path}-wal`));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function ageOf(day: string): string {
  const days = (Date.parse(localDay(new Date())) - Date.parse(day)) / 86_400_000;
  if (days === 0) return `from today (${day})`;
  if (days < 0) return `from ${day}, which has not come yet: is the clock right?`;
  return `${days} ${days === 1 ? 'day' : 'days'} old (${day})`;
}
