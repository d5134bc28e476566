import { existsSync, readFileSync, statSync } from 'node:fs';
import { localDay } from '../../domain/words/day.ts';
import { Settings } from '../records/settings.ts';
import type { Database } from '../sqlite/database.ts';
import { type BackupPlan, backupsOf, noteOf, planOf } from './backup-plan.ts';
import type { Check } from './doctor.ts';

const name = 'Backups';
const ELSEWHERE = 'For backups on another disk: sciatica backup --auto FOLDER';

/** How old the newest automatic backup of a database is, and whether it shares the disk of the database. */
export function automaticBackups(db: Database): Check {
  const plan = planOf(db.path, new Settings(db).backups);
  if (!plan)
    return {
      name,
      ok: true,
      detail: 'they are turned off',
      advice: 'To turn them on again: sciatica backup --auto on',
    };
  if (existsSync(noteOf(plan)))
    return { name, ok: false, detail: readFileSync(noteOf(plan), 'utf8'), advice: ELSEWHERE };
  const newest = backupsOf(plan).at(-1);
  if (newest) {
    const isSame = statSync(newest.path).dev === statSync(db.path).dev;
    return {
      name,
      ok: true,
      detail: `the newest is ${ageOf(newest.day)}, on ${isSame ? 'the same disk as the database' : 'another disk'}`,
      ...(isSame && { advice: ELSEWHERE }),
    };
  }
  return none(plan, db);
}

function none({ folder }: BackupPlan, db: Database): Check {
  if (!existsSync(folder) && new Settings(db).backups.folder !== undefined)
    return {
      name,
      ok: false,
      detail: `their folder ${folder} is not there`,
      advice: 'Insert the disk, or choose another folder: sciatica backup --auto FOLDER',
    };
  return { name, ok: true, detail: 'none yet; the first is made before the next change' };
}

function ageOf(day: string): string {
  const days = (Date.parse(localDay(new Date())) - Date.parse(day)) / 86_400_000;
  if (days === 0) return `from today (${day})`;
  if (days < 0) return `from ${day}, which has not come yet: is the clock right?`;
  return `${days} ${days === 1 ? 'day' : 'days'} old (${day})`;
}
