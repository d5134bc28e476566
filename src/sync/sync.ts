import { isDeepStrictEqual } from 'node:util';
import { conflict, SciaticaError, unusable } from '../domain/errors.ts';
import {
  type Collector,
  isForward,
  type KnownThere,
  type Position,
  START,
} from '../store/reconcile/collect.ts';
import type { Header } from '../store/reconcile/parcel.ts';
import { addCounts } from '../store/reconcile/received.ts';
import type { Peer } from '../store/reconcile/replication.ts';
import { emptyResult, isSettledThere, type SyncOptions, type SyncResult } from './result.ts';
import { type Exchanged, Service, type Wait } from './service.ts';
import {
  applyConsents,
  countUnsent,
  dryRun,
  finish,
  type SyncContext,
  type SyncRun,
  takeOver,
} from './take.ts';
import type { Transport } from './transport.ts';

/** Characters that are received before they are merged as one change: some 200,000 logs. */
const MOST_CHARACTERS = 64 * 1024 * 1024;
/** How often one sync may begin again, because the service is another one or was set back: more is no coincidence. */
const MOST_ANEW = 5;
/** Successive parts without states after which the service is taken for another program. */
const MOST_EMPTY = 1000;

/** What a sync with a service needs. */
export interface ServiceContext extends SyncContext {
  transport: Transport;
  token?: string | undefined;
  wait: Wait;
}

/**
 * Syncs this database with the one behind a service. Each request may be repeated, and the next sync goes on where one ended.
 * @throws SciaticaError `invalid` where it is not said which user is which, `conflict` for two databases with one identity,
 *   `unusable` when the service cannot be used, `busy`
 */
export async function sync(context: ServiceContext, options: SyncOptions): Promise<SyncResult> {
  const store = context.store.as({ origin: { source: 'sync', caller: context.remote } });
  const replication = await store.replication();
  const service = new Service(context.transport, context.token, context.wait);
  const me = await service.me();
  if (me.database === replication.id)
    throw conflict(
      (command) =>
        `This database and the one of the service have the same identity: one is a copy of the other. Give the copy one of its own: ${command('identity new')}`,
    );
  const result = { ...emptyResult(me.database), isReadOnly: me.role === 'provider' };
  const session = new Session({ ...context, store, replication, options, result }, service);
  return options.dryRun ? session.dryRun() : session.run();
}

class Session {
  #database: string;
  #peer: Peer;
  /** The ids here of the users in the view of the service; all without it. */
  #users: number[] | undefined;
  /** Changes here that need not be sent, since they came from there. */
  #knownThere: KnownThere | undefined;
  /** How often all had to be read from the start. */
  #restarts = 0;
  /** How many successive parts had no states. */
  #emptyParts = 0;

  constructor(
    private readonly context: SyncRun & ServiceContext,
    private readonly service: Service,
  ) {
    this.#database = context.result.database;
    this.#peer = context.replication.peer(this.#database);
  }

  async run(): Promise<SyncResult> {
    const { context } = this;
    await this.#pull((texts) => this.#receive(texts, null));
    if (!context.result.isReadOnly) {
      await this.#push();
      await this.#pushDeleted();
    }
    this.#countErasedInView();
    this.#noteUnsent();
    applyConsents(context);
    if (isSettledThere(context.result)) this.#peer = { ...this.#peer, at: context.now() };
    context.replication.setPeer(this.#database, this.#peer);
    context.store.remotes.setDatabase(context.remote, this.#database);
    // A token that only reads sends nothing: nothing is left to be sent.
    return finish(
      context,
      context.result.isReadOnly ? context.store.history.last() : (this.#peer.sent?.seq ?? 0),
    );
  }

  /** Receives everything, merges it, counts, and rolls back. */
  async dryRun(): Promise<SyncResult> {
    const { replication } = this.context;
    const texts: string[] = [];
    await this.#pull((some) => texts.push(...some));
    this.#countErasedInView();
    this.#setUsers();
    countUnsent(this.context, replication.collector(this.#users), this.#peer.sent);
    return dryRun(this.context, () => {
      this.#take(texts, null);
      this.#noteUnsent();
    });
  }

  /** Receives everything. @param takeOver merges some of it as one change: all of it, unless it is much */
  async #pull(takeOver: (texts: readonly string[]) => void): Promise<void> {
    const { replication, options } = this.context;
    let texts: string[] = [];
    let size = 0;
    const take = () => {
      if (texts.length > 0) takeOver(texts);
      [texts, size] = [[], 0];
    };
    let have = this.#peer.received ?? null;
    for (let isFirst = true; ; isFirst = false) {
      const collector = replication.collector(this.#users);
      // While there is nothing here to send, all that comes later comes from there, and is known there.
      const end = collector.end();
      if (isFirst && !this.#peer.sent && isEmpty(collector)) this.#peer.sent = end;
      const { text } = replication.nothing(collector, this.#peer.sent ?? START);
      let exchanged: Exchanged;
      try {
        exchanged = await this.#exchange(text, have);
      } catch (error) {
        // What was received is merged: the next sync goes on from here.
        if (error instanceof SciaticaError) take();
        throw error;
      }
      if (isFirst && exchanged.received && !collector.isKnown(exchanged.received)) {
        // This file was set back: a new identity for what it makes from now on, and what it lost comes back.
        if (!options.dryRun) replication.renewIdentity();
        this.context.result.setBack = 'here';
        this.#peer = { view: null };
        have = null;
        continue;
      }
      const header = replication.header(exchanged.parcel);
      if (this.#isAnew(header, have)) {
        [texts, size, have] = [[], 0, null];
        continue;
      }
      this.#requireProgress(exchanged.parcel, header, have);
      texts.push(exchanged.parcel);
      size += exchanged.parcel.length;
      have = header.to;
      if (header.isLast) {
        take();
        return;
      }
      if (size > MOST_CHARACTERS) take();
    }
  }

  /** Whether everything has to be read anew: the service has another identity, shows other users than before, or was set back. */
  #isAnew(header: Header, have: Position | null): boolean {
    const { database, from } = header;
    const view = this.context.replication.viewOf(header);
    const hasIdentity = database !== this.#database;
    const hasView = have !== null && !isDeepStrictEqual(view, this.#peer.view);
    // It begins from the start, since it does not know the position that it gave before.
    const isSetBack = have !== null && !isStart(have) && isStart(from);
    if (hasIdentity || isSetBack) this.context.result.setBack = 'there';
    const isAnew = hasIdentity || hasView || isSetBack;
    this.#peer = isAnew ? { view } : { ...this.#peer, view };
    if (isAnew && ++this.#restarts > MOST_ANEW)
      throw unusable(
        'The service has another identity, or shows other users, each time it is asked: do several databases answer there?',
      );
    this.#database = database;
    return isAnew;
  }

  async #push(): Promise<void> {
    const { replication, result, progress } = this.context;
    for (let isFirst = true; ; isFirst = false) {
      const collector = replication.collector(this.#users, this.#knownThere);
      const more = isFirst && this.#users ? collector.merged() : [];
      const part = replication.part(collector, this.#peer.sent ?? START, undefined, more);
      if (part.states.length === 0 && part.isLast) {
        this.#peer = { ...this.#peer, sent: part.to };
        return;
      }
      const { parcel, result: there } = await this.#exchange(part.text, this.#peer.received ?? null);
      addCounts(result.pushed, there.counts);
      result.refused += there.refused;
      progress?.('send', part.states.length);
      // If the service has another identity by now, that is for the next sync.
      if (replication.header(parcel).database !== this.#database) return;
      this.#receive([parcel], part.to);
      if (part.isLast) return;
    }
  }

  /** Sends the deletion of users once more, to find out if the service refuses it. */
  async #pushDeleted(): Promise<void> {
    const { replication, store, result } = this.context;
    const ids = store.remotes.deleted(this.#peer.view);
    if (ids.length === 0) return;
    const collector = replication.collector(this.#users);
    const states = collector.statesOf('user', ids).map(({ state }) => state);
    const { text } = replication.nothing(collector, this.#peer.sent ?? START, states);
    const { result: there } = await this.#exchange(text, this.#peer.received ?? null);
    if (there.refused > 0) result.stillThere = ids;
  }

  async #exchange(text: string, have: Position | null): Promise<Exchanged> {
    const exchanged = await this.service.exchange(text, have);
    // Older services do not have `erased`.
    const { held, erased = 0 } = exchanged.result;
    this.context.result.waitingThere = { held, erased };
    return exchanged;
  }

  /** Adds users in the view who were erased here: a token for some users passes no erasure on, so they still show there. */
  #countErasedInView(): void {
    const { result, store } = this.context;
    result.waitingThere.erased += store.remotes.countErased(this.#peer.view ?? []);
  }

  /** Notes users of the token who are merged into one outside of it: only merges into users of the token travel. */
  #noteUnsent(): void {
    const { result, store } = this.context;
    if (result.isReadOnly) return;
    result.unsent = store.remotes.mergedAway(this.#peer.view);
    result.sameEmails = result.sameEmails.map(({ id, other }) =>
      this.#users?.includes(other) ? { id: other, other: id } : { id, other },
    );
  }

  /** Merges parts, and stores the positions of both sides. @param sent the position here up to which the changes were sent */
  #receive(texts: readonly string[], sent: Position | null): void {
    this.#take(texts, sent);
    this.context.replication.setPeer(this.#database, this.#peer);
  }

  #take(texts: readonly string[], sent: Position | null): void {
    const { context } = this;
    const { replication } = context;
    const peer = sent ? { ...this.#peer, sent } : this.#peer;
    const isFirst = this.#peer.received === undefined;
    const { taken, last } = takeOver(context, texts, (text) => replication.read(text), isFirst);
    this.#peer = { ...peer, received: last.to, view: last.view };
    // What has just been received need not be sent back.
    if (taken.isEcho) {
      if (isDeepStrictEqual(peer.sent, taken.from)) this.#peer.sent = taken.to;
      else this.#knownThere = taken;
    }
    this.#setUsers();
  }

  #setUsers(): void {
    const { replication } = this.context;
    this.#users = this.#peer.view?.flatMap((name) => replication.idOfUser(name) ?? []);
  }

  /** @throws SciaticaError `unusable` if the service always says that more follows, and would be asked without end */
  #requireProgress(text: string, { to, isLast }: Header, have: Position | null): void {
    const isEmpty = text.indexOf('\n', text.indexOf('\n') + 1) === text.length - 1;
    this.#emptyParts = isEmpty ? this.#emptyParts + 1 : 0;
    if (isLast || (isForward(have ?? START, to) && this.#emptyParts <= MOST_EMPTY)) return;
    throw unusable('The service says that more follows, and sends nothing: is it sciatica, and up to date?');
  }
}

const isStart = (position: Position): boolean => isDeepStrictEqual(position, START);

function isEmpty(collector: Collector): boolean {
  const { states, isLast } = collector.after(START, 1);
  return isLast && states.length === 0;
}
