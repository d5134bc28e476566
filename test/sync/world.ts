import { randomUUID } from 'node:crypto';
import { SciaticaError } from '../../src/domain/errors.ts';
import type { HistoryEntry } from '../../src/domain/history.ts';
import type { Log } from '../../src/domain/log.ts';
import type { User } from '../../src/domain/user.ts';
import type { Store } from '../../src/store/store.ts';
import { isSettled, type SyncResult, total } from '../../src/sync/result.ts';
import type { SyncOptions } from '../../src/sync/session.ts';
import { sync } from '../../src/sync/sync.ts';
import { type Transport, Unanswered } from '../../src/sync/transport.ts';
import { dbOf, log, user } from '../store/helpers.ts';
import { contents, machine, ticking, transportTo } from './helpers.ts';

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

/** What a world is made without, to see that the property notices. */
export type Mutant = 'none' | 'no mapping' | 'no key' | 'last push wins';

const LEFT_OUT: Readonly<Record<Mutant, readonly string[]>> = {
  none: [],
  'no mapping': [],
  'no key': ['idempotency-key'],
  'last push wins': ['if-match', 'if-none-match'],
};

export type Step =
  | { do: 'user' | 'log' | 'goal' | 'routine'; at: number; pick: number }
  | {
      do: 'edit' | 'move' | 'delete' | 'delete user' | 'undo' | 'restore' | 'erase';
      at: number;
      pick: number;
    }
  | {
      do: 'sync';
      at: number;
      weather: Weather[];
      /** With `--on-conflict newest`. */
      decides?: boolean;
    };

class Killed extends Error {}

/** The machine behind the service; the others have the numbers below. */
export const SERVER = 3;

export class World {
  readonly stores: Store[];
  readonly #transport: Transport;
  #tag = 0;
  /** The e-mail addresses of users who were erased anywhere. */
  readonly erased = new Set<string>();
  /** The e-mail addresses of the users whose logs have ever been, by tags. */
  readonly #owners = new Map<string, Set<string>>();
  /** The e-mail addresses of users who were erased at a machine. */
  readonly #erasedAtMachine = new Set<string>();
  /** The tags of logs that were edited. */
  readonly #edited = new Set<string>();
  /** The tags of all logs that were ever answered for. */
  readonly made = new Set<string>();

  constructor(private readonly mutant: Mutant = 'none') {
    const now = ticking();
    this.stores = [0, 1, 2, SERVER].map(() => machine(now));
    const plain = transportTo(this.#store(SERVER));
    this.#transport = (request) => {
      const headers = Object.entries(request.headers).filter(([name]) => !LEFT_OUT[mutant].includes(name));
      return plain({ ...request, headers: Object.fromEntries(headers) });
    };
  }

  #store(at: number): Store {
    return this.stores[at] as Store;
  }

  async step(step: Step): Promise<void> {
    if (step.do === 'sync') await this.#sync(step);
    else this.#write(step);
  }

  #write({ do: what, at, pick }: Exclude<Step, { do: 'sync' }>): void {
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
        this.made.add(tag);
        this.#owners.set(tag, new Set([owner.email]));
        return;
      case 'goal': {
        const [goal] = owner ? store.goals.list({ userId: owner.id }) : [];
        const input = { userId: owner?.id ?? 0, sessionsPerWeek: 1 + (pick % 9) };
        if (goal) store.goals.replace(goal.id, input);
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
        this.#undo(store);
        return;
      case 'restore':
        this.#restore(store, pick);
        return;
      case 'erase':
        if (owner && users.length > 1) {
          this.erased.add(owner.email);
          if (at !== SERVER) this.#erasedAtMachine.add(owner.email);
          store.erase(owner.id);
        }
    }
  }

  #edit(store: Store, id: number, notes: string): void {
    this.#edited.add(store.logs.update(id, { notes }).exerciseName);
  }

  #move(store: Store, { id, exerciseName }: Log, to: User | undefined): void {
    if (!to) return;
    store.logs.update(id, { userId: to.id });
    this.#owners.get(exerciseName)?.add(to.email);
  }

  /** Whether a log has ever been one of a user who was erased. */
  wasErased(tag: string, erased: ReadonlySet<string> = this.erased): boolean {
    return [...(this.#owners.get(tag) ?? [])].some((email) => erased.has(email));
  }

  /** Whether a log may be there as one of a user who was erased at a machine only, and as it was changed for another. */
  mayBeTwice(tag: string): boolean {
    return this.#edited.has(tag) && this.wasErased(tag, this.#erasedAtMachine);
  }

  #undo(store: Store): void {
    const change = store.history.nextUndo();
    if (change === undefined) return;
    unlessRefused(() => store.undo(change));
  }

  /** Restores one of the records that were ever deleted, if it can be. */
  #restore(store: Store, pick: number): void {
    const deletions = store.history.list().filter(({ action }) => action === 'delete');
    const deletion = deletions[pick % (deletions.length || 1)];
    if (deletion) unlessRefused(() => store.restore(deletion));
  }

  async #sync({ at, weather, decides }: Step & { do: 'sync' }): Promise<void> {
    const edits = new Map<number, string>();
    const meanwhile = () => {
      const store = this.#store(SERVER);
      const [one] = store.logs.list({ sort: '-id', limit: 1 });
      if (!one) return;
      const notes = `meanwhile ${++this.#tag}`;
      this.#edit(store, one.id, notes);
      edits.set(one.id, notes);
    };
    try {
      const options: SyncOptions = decides ? { onConflict: 'newest' } : {};
      await this.run(at, options, stormy(this.#transport, [...weather], meanwhile));
    } catch (error) {
      const { code } = error as SciaticaError;
      // Without a connection, or two diaries that were never brought together.
      if (!(error instanceof Killed) && code !== 'unusable' && code !== 'invalid') throw error;
    }
    for (const [id, notes] of edits)
      if (!this.#wentWithUser(id) && this.#store(SERVER).logs.find(id)?.notes !== notes)
        throw new Error(`Log ${id} was written over, although it had been changed meanwhile.`);
  }

  /** Whether a log behind the service was deleted with its user, which takes what was changed a moment before. */
  #wentWithUser(id: number): boolean {
    const { history } = this.#store(SERVER);
    const last = history.of('log', id).at(-1);
    return last?.action === 'delete' && history.ofChange(last.change).some(({ record }) => record === 'user');
  }

  async run(at: number, options: SyncOptions, transport = this.#transport): Promise<SyncResult> {
    const means = {
      store: this.#store(at),
      remote: `machine ${at}`,
      transport,
      wait: async () => {},
      makeKey: randomUUID,
    };
    try {
      return await sync(means, options);
    } finally {
      if (this.mutant === 'no mapping')
        dbOf(means.store).exec("DELETE FROM counterparts WHERE record <> 'user'");
    }
  }

  close(): void {
    for (const store of this.stores) store.close();
  }

  /** Syncs all, in turn, until nothing is left to do. */
  async settle(): Promise<void> {
    for (let round = 0; round < 12; round++) {
      let isQuiet = true;
      for (let at = 0; at < SERVER; at++) {
        const result = await this.run(at, { onConflict: 'newest', acceptErase: true });
        const twice = [...this.made].filter((tag) => this.mayBeTwice(tag));
        if (this.#store(at).logs.count() > this.made.size + this.deleted().size + twice.length)
          throw new Error('Logs are there twice.');
        const done = total(result.pulled) + total(result.pushed) + result.erased.length;
        if (done > 0 || !isSettled(result)) isQuiet = false;
      }
      if (isQuiet) return;
    }
    throw new Error('The machines never come to an end.');
  }

  contents(at: number) {
    return contents(this.#store(at), [...this.erased]);
  }

  /** The tags of the logs that some history says were deleted, by a person or with their user. */
  deleted(): Set<string> {
    const entries = this.stores.flatMap((store) => store.history.list());
    return new Set(entries.filter(({ action }) => action === 'delete').map(nameOf));
  }

  entries(at: number): HistoryEntry[] {
    return this.#store(at).history.list();
  }
}

function unlessRefused(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof SciaticaError)) throw error;
  }
}

function nameOf({ before }: HistoryEntry): string {
  const { exerciseName, email } = before as { exerciseName?: string; email?: string };
  return String(exerciseName ?? email);
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
