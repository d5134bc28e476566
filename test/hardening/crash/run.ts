// npm run crash [IMAGES]: what a disk may hold after the power went at any moment of a session, and what is found in it.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { isSound } from '../../../src/store/sqlite/verify.ts';
import { storeOn } from '../../../src/store/store.ts';
import { Random } from '../random.ts';
import { Disk, outcomes } from './disk.ts';
import { stateOf, work } from './session.ts';
import { type Event, record } from './trace.ts';

const IMAGES = 6_000;

interface Tally {
  images: number;
  /** Something acknowledged is not there, or the database is damaged. */
  lost: number;
  faults: string[];
}

/** What a folder holds, or why it cannot be opened. */
function found(folder: string): string {
  try {
    const db = openDatabase(join(folder, 'test.db'));
    try {
      return isSound(db) ? stateOf(storeOn(db)) : 'not sound';
    } finally {
      db.close();
    }
  } catch (error) {
    return (error as Error).message;
  }
}

/** Crashes at moments spread over a session, each with another outcome of what was not synced. */
function crash(events: readonly Event[], images: number, home: string): Tally {
  const random = new Random(1);
  const states = [...new Set(events.flatMap((event) => (event.kind === 'done' ? [event.state] : [])))];
  const last = events.filter(({ kind }) => kind === 'done').length;
  const all = events.flatMap((event) => (event.kind === 'done' ? [event.state] : []));
  const tally: Tally = { images: 0, lost: 0, faults: [] };
  const disk = new Disk();
  let done = 0;
  for (const [i, event] of events.entries()) {
    if (event.kind === 'done') done += 1;
    else disk.apply(event);
    const here = Math.ceil((images * (i + 1)) / events.length) - Math.ceil((images * i) / events.length);
    for (let n = 0; n < here; n++) {
      const outcome = outcomes[tally.images % outcomes.length] ?? 'all';
      const folder = join(home, 'image');
      disk.leave(folder, outcome, random);
      const state = found(folder);
      rmSync(folder, { recursive: true });
      tally.images += 1;
      // Of the step that was under way, all or nothing; before the first there is no record.
      if (state === (all[done - 1] ?? all[0]) || state === all[Math.min(done, last - 1)]) continue;
      tally.lost += 1;
      const at = states.indexOf(state);
      tally.faults.push(
        `call ${i} (${event.kind}), ${outcome}: ${at < 0 ? state : `as after step ${at + 1}`}, ${done} steps were acknowledged`,
      );
    }
  }
  return tally;
}

function main(images: number): void {
  const home = mkdtempSync(join(tmpdir(), 'sciatica-crash-'));
  try {
    console.log('| Session | Calls | Steps | Images | Lost or damaged |');
    console.log('| --- | --- | --- | --- | --- |');
    for (const isSynced of [true, false]) {
      const folder = join(home, isSynced ? 'synced' : 'control');
      mkdirSync(folder);
      const program = [
        process.execPath,
        process.argv[1] ?? '',
        'session',
        folder,
        isSynced ? 'synced' : 'control',
      ];
      const events = record(program, folder, join(home, 'trace'));
      const steps = events.filter(({ kind }) => kind === 'done').length;
      const { images: made, lost, faults } = crash(events, isSynced ? images : Math.ceil(images / 10), home);
      console.log(
        `| ${isSynced ? 'as it is' : 'control, without fsync'} | ${events.length} | ${steps} | ${made} | ${lost} |`,
      );
      if (isSynced) for (const fault of faults.slice(0, 20)) console.log(`FAILED ${fault}`);
      // A replay that finds nothing wrong without fsync would find nothing anywhere.
      if (isSynced ? lost > 0 : lost === 0) process.exitCode = 1;
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

const [, , first = '', folder = '', kind] = process.argv;
if (first === 'session') void work(folder, kind === 'synced');
else main(Number(first || IMAGES));
