import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { SciaticaError } from '../../src/domain/errors.ts';
import type { HistoryEntry } from '../../src/domain/history.ts';
import type { Log } from '../../src/domain/log.ts';
import { painEntryFields } from '../../src/domain/pain-entry.ts';
import { trialDayFields, trialFields } from '../../src/domain/trial.ts';
import type { User } from '../../src/domain/user.ts';
import type { ImportResult } from '../../src/store/maintenance/import/import.ts';
import type { Store } from '../../src/store/store.ts';
import { FolderCipher } from '../../src/sync/cipher.ts';
import { Folder } from '../../src/sync/folder.ts';
import { type SyncOptions, type SyncResult, total } from '../../src/sync/result.ts';
import { sync } from '../../src/sync/sync.ts';
import { type Transport, Unanswered } from '../../src/sync/transport.ts';
import { exampleOf } from '../samples.ts';
import { dbOf, log, user } from '../store/helpers.ts';
import { everything, exported, type File, imported } from '../store/origins.ts';
import { contents, copyOf, isMerged, machine, setBack, ticking, transportTo } from './helpers.ts';

/** Several machines and a service, with records that are told apart by a tag which none loses. */

/** What the connection does to one request. */
export type Weather =
  | 'fine'
  | 'request lost'
  | 'answer lost'
  | 'twice'
  | 'killed before'
  | 'killed after'
  /** Somebody edits a log behind the service, right before the request. */
  | 'meanwhile';

export type Step =
  | { do: 'user' | 'log' | 'goal' | 'routine'; at: number; pick: number }
  | {
      do: 'pain' | 'trial' | 'trial day' | 'end trial';
      at: number;
      pick: number;
    }
  | {
      do: 'edit' | 'move' | 'delete' | 'delete user' | 'merge' | 'undo' | 'restore' | 'erase';
      at: number;
      pick: number;
    }
  | {
      do: 'sync';
      at: number;
      weather: Weather[];
    }
  /** Copies the file of a machine, or sets it back to that copy. */
  | { do: 'copy'; at: number }
  | { do: 'set back'; at: number }
  /** Goes on with a copy of the file of another machine, which is used on. */
  | { do: 'clone'; at: number; pick: number }
  /** From now on the clock of a machine is so many hours off. */
  | { do: 'clock'; at: number; hours: number }
  /** Syncs with the folder that all share. */
  | { do: 'folder'; at: number }
  /** Agrees to the deletions that are held back, or takes them back. */
  | { do: 'accept'; at: number }
  | { do: 'keep'; at: number }
  /** Exports, or imports the file that was written so many exports ago: of any machine, its own too. */
  | { do: 'export'; at: number }
  | { do: 'import'; at: number; pick: number };

class Killed extends Error {}

/** The machine behind the service; the others have the numbers below. */
export const SERVER = 3;

export class World {
  readonly stores: Store[];
  /** By how much the clock of each machine is off, in milliseconds. */
  readonly #offsets: number[] = [];
  readonly #clock = ticking();
  readonly #folder = mkdtempSync(join(tmpdir(), 'sciatica-folder-'));
  /** Who syncs with the folder. */
  readonly #members = new Set<number>();
  #transport: Transport;
  readonly #copies: (string | undefined)[] = [];
  /** Whether what a machine alone knew may be lost. */
  isSetBack = false;
  readonly #files: File[] = [];
  #tag = 0;
  /** The e-mail addresses of users who were erased anywhere. */
  readonly erased = new Set<string>();
  /** The e-mail addresses of the users whose logs have ever been, by tags. */
  readonly #owners = new Map<string, Set<string>>();
  /** Who was merged into whom anywhere, by e-mail address. */
  readonly #merges: (readonly [string, string])[] = [];
  /** The tags of all logs, pain entries and trial days that were ever answered for. */
  readonly made = new Set<string>();

  constructor() {
    this.stores = [0, 1, 2, SERVER].map((at) => machine(this.#nowOf(at)));
    this.#transport = transportTo(this.#store(SERVER));
  }

  readonly #nowOf = (at: number) => () => this.#clock() + (this.#offsets[at] ?? 0);

  #store(at: number): Store {
    return this.stores[at] as Store;
  }

  async step(step: Step): Promise<void> {
    if (step.do === 'sync') await this.#sync(step);
    else if (step.do === 'export') this.#files.unshift(exported(this.#store(step.at)));
    else if (step.do === 'import') this.#import(step);
    else if (step.do === 'copy') this.#copies[step.at] = copyOf(this.#store(step.at));
    else if (step.do === 'set back') this.#setBack(step.at, this.#copies[step.at]);
    else if (step.do === 'clone') this.#setBack(step.at, copyOf(this.#store(step.pick % this.stores.length)));
    else if (step.do === 'clock') this.#offsets[step.at] = step.hours * 60 * 60 * 1000;
    else if (step.do === 'folder') await this.#syncFolder(step.at);
    else if (step.do === 'accept') (await this.#store(step.at).replication()).settleHeld('delete');
    else if (step.do === 'keep') (await this.#store(step.at).replication()).settleHeld('restore');
    else if (step.do === 'merge') await this.#merge(step.at, step.pick);
    else this.#write(step);
  }

  #setBack(at: number, copy: string | undefined): void {
    if (copy === undefined) return;
    this.isSetBack = true;
    this.stores[at] = setBack(this.#store(at), copy, this.#nowOf(at));
    if (at === SERVER) this.#transport = transportTo(this.#store(SERVER));
  }

  async #syncFolder(at: number, options: SyncOptions = {}): Promise<SyncResult> {
    const means = {
      store: this.#store(at),
      remote: 'folder',
      path: this.#folder,
      cipher: new FolderCipher(null),
      now: this.#nowOf(at),
    };
    const folder = await Folder.of(means);
    if (readdirSync(this.#folder).length === 0) await folder.join();
    this.#members.add(at);
    return folder.sync(options);
  }

  async #merge(at: number, pick: number): Promise<void> {
    const store = this.#store(at);
    const users = store.users.list();
    const [one, into] = [users[pick % (users.length || 1)], users[(pick >> 3) % (users.length || 1)]];
    if (!one || !into || one === into) return;
    this.#merges.push([one.email, into.email]);
    await isMerged(store, one.id, into.id, this.#nowOf(at)());
  }

  #import({ at, pick }: Step & { do: 'import' }): void {
    const file = this.#files[pick % (this.#files.length || 1)];
    if (!file) return;
    const store = this.#store(at);
    const before = JSON.stringify(everything(store));
    const dry = imported(store, file, { dryRun: true });
    expect(JSON.stringify(everything(store))).toBe(before);
    expect(withoutMoments(imported(store, file))).toEqual(withoutMoments(dry));
    // Once more, it changes nothing.
    const seq = store.history.last();
    imported(store, file);
    expect(store.history.last()).toBe(seq);
  }

  #write({
    do: what,
    at,
    pick,
  }: Exclude<
    Step,
    {
      do:
        | 'sync'
        | 'copy'
        | 'set back'
        | 'clone'
        | 'clock'
        | 'folder'
        | 'accept'
        | 'keep'
        | 'export'
        | 'import'
        | 'merge';
    }
  >): void {
    const store = this.#store(at);
    const [users, logs] = [store.users.list(), store.logs.list()];
    const owner = users[pick % (users.length || 1)];
    const one = logs[pick % (logs.length || 1)];
    const tag = `tag-${++this.#tag}-${at}`;
    switch (what) {
      case 'user':
        store.users.create(user({ email: `${tag}@example.org` }));
        return;
      case 'log':
        if (!owner) return;
        store.logs.create(log({ userId: owner.id, exerciseName: tag, notes: tag }));
        this.#noteMade(tag, owner);
        return;
      case 'goal': {
        const [goal] = owner ? store.goals.list({ userId: owner.id }) : [];
        const input = { userId: owner?.id ?? 0, sessionsPerWeek: 1 + (pick % 9) };
        if (goal) store.goals.update(goal.id, input);
        else if (owner) store.goals.create(input);
        return;
      }
      case 'routine': {
        // Of few names, so that two machines make the same one.
        const name = `routine ${pick % 2}`;
        if (!owner || store.routines.list({ userId: owner.id }).some((other) => other.name === name)) return;
        const exercises = [{ exerciseName: tag, exerciseType: 'stretch' as const }];
        store.routines.create({ userId: owner.id, name, exercises });
        return;
      }
      case 'pain':
        if (!owner) return;
        store.of('painEntry').create({ ...exampleOf(painEntryFields), userId: owner.id, notes: tag });
        this.#noteMade(tag, owner);
        return;
      case 'trial':
        if (owner)
          unlessRefused(() =>
            store.of('trial').create({ ...exampleOf(trialFields), userId: owner.id, seed: pick }),
          );
        return;
      case 'trial day': {
        const date = `2026-03-0${1 + (pick % 3)}`;
        if (!owner) return;
        unlessRefused(() => {
          const day = { ...exampleOf(trialDayFields), userId: owner.id, date, notes: tag };
          store.of('trialDay').create(day);
          this.#noteMade(tag, owner);
        });
        return;
      }
      case 'end trial': {
        const trials = store.of('trial').list();
        const trial = trials[pick % (trials.length || 1)];
        if (trial) unlessRefused(() => store.of('trial').update(trial.id, { state: 'finished' }));
        return;
      }
      case 'edit':
        if (one) this.#edit(store, one.id, `edited ${tag}`);
        return;
      case 'move':
        if (one) this.#move(store, one, users[(pick >> 3) % users.length]);
        return;
      case 'delete':
        if (one) store.logs.delete(one.id);
        return;
      case 'delete user':
        if (owner && users.length > 1) store.users.delete(owner.id);
        return;
      case 'undo':
        this.#undo(store, pick);
        return;
      case 'restore':
        this.#restore(store, pick);
        return;
      case 'erase':
        if (owner && users.length > 1) {
          this.erased.add(owner.email);
          store.erase(owner.id);
        }
    }
  }

  #noteMade(tag: string, { email }: User): void {
    this.made.add(tag);
    this.#owners.set(tag, new Set([email]));
  }

  #edit(store: Store, id: number, notes: string): void {
    store.logs.update(id, { notes });
  }

  #move(store: Store, { id, exerciseName }: Log, to: User | undefined): void {
    if (!to) return;
    store.logs.update(id, { userId: to.id });
    this.#owners.get(exerciseName)?.add(to.email);
  }

  /** Who was erased, and who was ever merged into such. */
  gone(): Set<string> {
    const gone = new Set(this.erased);
    for (const _ of this.#merges) for (const [one, into] of this.#merges) if (gone.has(into)) gone.add(one);
    return gone;
  }

  /** Whether a log has ever been one of a user who was erased. */
  wasErased(tag: string): boolean {
    return [...(this.#owners.get(tag) ?? [])].some((email) => this.gone().has(email));
  }

  /** Takes back what was done last here, or what was done last, perhaps elsewhere. */
  #undo(store: Store, pick: number): void {
    const change = pick % 2 === 0 ? store.history.nextUndo() : store.history.list({ limit: 1 })[0]?.change;
    if (change === undefined) return;
    unlessRefused(() => store.undo(change));
  }

  /** Restores one of the records that were ever deleted, if it can be. */
  #restore(store: Store, pick: number): void {
    const deletions = store.history.list().filter(({ action }) => action === 'delete');
    const deletion = deletions[pick % (deletions.length || 1)];
    if (deletion) unlessRefused(() => store.restore(deletion));
  }

  async #sync({ at, weather }: Step & { do: 'sync' }): Promise<void> {
    const meanwhile = () => {
      const store = this.#store(SERVER);
      const [one] = store.logs.list({ sort: '-id', limit: 1 });
      if (one) this.#edit(store, one.id, `meanwhile ${++this.#tag}`);
    };
    try {
      await this.run(at, {}, stormy(this.#transport, [...weather], meanwhile));
    } catch (error) {
      // Without a connection.
      if (!(error instanceof Killed) && (error as SciaticaError).code !== 'unusable') throw error;
    }
  }

  async run(at: number, options: SyncOptions, transport = this.#transport): Promise<SyncResult> {
    const replication = await this.#store(at).replication();
    // As sync says then: `sciatica identity new`.
    if (replication.id === (await this.#store(SERVER).replication()).id) replication.renewIdentity();
    const means = {
      store: this.#store(at),
      remote: `machine ${at}`,
      transport,
      wait: async () => {},
      now: this.#nowOf(at),
    };
    return sync(means, options);
  }

  close(): void {
    for (const store of this.stores) store.close();
    rmSync(this.#folder, { recursive: true });
  }

  /** Accepts all deletions and erasures, and syncs all, in turn, until nothing is left to do. */
  async settle(): Promise<void> {
    for (let round = 0; round < 12; round++) {
      let isQuiet = true;
      for (const at of this.#members) {
        await this.#accept(at);
        const { pulled, pushed, erased } = await this.#syncFolder(at, { acceptDeletions: true });
        if (total(pulled) + total(pushed) + erased.length > 0) isQuiet = false;
      }
      for (let at = 0; at < SERVER; at++) {
        for (const where of [at, SERVER]) await this.#accept(where);
        const { pulled, pushed, erased, waitingThere } = await this.run(at, {
          acceptDeletions: true,
          acceptErase: true,
        });
        if (total(pulled) + total(pushed) + erased.length + waitingThere.held > 0) isQuiet = false;
      }
      for (const at of this.stores.keys()) if (await this.#accept(at)) isQuiet = false;
      if (isQuiet) return;
    }
    throw new Error('The machines never come to an end.');
  }

  /** A machine that joins at the end, as a last one. */
  async join(): Promise<number> {
    const at = this.stores.length;
    this.stores.push(machine(this.#nowOf(at)));
    await this.run(at, {});
    return at;
  }

  /** @returns whether there was something to accept */
  async #accept(at: number): Promise<boolean> {
    const replication = await this.#store(at).replication();
    const held = replication.settleHeld('delete');
    const erased = this.#store(at).remotes.erasedElsewhere();
    if (erased.length > 0) this.#store(at).eraseAsElsewhere();
    return held + erased.length > 0;
  }

  contents(at: number) {
    return contents(this.#store(at), [...this.gone()]);
  }

  /** The tags of the logs, pain entries and trial days that a machine shows, and of the trial days that wait for one of their date. */
  tags(at: number): Set<string> {
    const store = this.#store(at);
    const waiting = dbOf(store).column<string>(
      "SELECT state ->> '$.fields.notes' FROM replicas WHERE record = 'trialDay' AND owner IS NOT NULL",
    );
    return new Set([
      ...store.logs.list().map(({ exerciseName }) => exerciseName),
      ...[...store.of('painEntry').list(), ...store.of('trialDay').list()].map(({ notes }) => notes ?? ''),
      ...waiting,
    ]);
  }

  /** The tags of what some history says was deleted, by a person, with their user, or for another of the same key. */
  deleted(): Set<string> {
    const entries = this.stores.flatMap((store) => store.history.list());
    return new Set(entries.filter(({ action }) => action === 'delete').map(nameOf));
  }

  entries(at: number): HistoryEntry[] {
    return this.#store(at).history.list();
  }
}

/** What an import says again gets a time each time. */
const withoutMoments = ({ disputes, ...result }: ImportResult): object => ({
  ...result,
  disputes: disputes.map(({ at: _, ...dispute }) => dispute),
});

function unlessRefused(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof SciaticaError)) throw error;
  }
}

function nameOf({ before }: HistoryEntry): string {
  const { exerciseName, notes, email } = before as { exerciseName?: string; notes?: string; email?: string };
  return String(exerciseName ?? notes ?? email);
}

/** A connection that does with each request what the weather says; fine at the end. */
function stormy(transport: Transport, weather: Weather[], meanwhile: () => void): Transport {
  return async (request) => {
    const now = weather.shift() ?? 'fine';
    if (now === 'killed before') throw new Killed();
    if (now === 'meanwhile') meanwhile();
    if (now === 'request lost') throw new Unanswered('lost');
    const answer = await transport(request);
    if (now === 'killed after') throw new Killed();
    if (now === 'answer lost') throw new Unanswered('lost');
    return now === 'twice' ? transport(request) : answer;
  };
}
