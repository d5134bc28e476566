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

/** Text that is gathered before it is taken over as one change: some 200,000 logs. */
const MOST_CHARACTERS = 64 * 1024 * 1024;
/** How often all is read anew in one sync, because the service has become another: more is no coincidence. */
const MOST_ANEW = 5;
/** Parts of an exchange without anything, one after the other, before the service is taken for another program. */
const MOST_EMPTY = 1000;

/** What a sync with a service works with. */
export interface ServiceContext extends SyncContext {
  transport: Transport;
  token?: string | undefined;
  wait: Wait;
}

/**
 * Lets this database and the one behind a service come to hold the same. Each request may be repeated, and the next sync goes on where
 * one ended.
 * @throws SciaticaError `invalid` where it is not said which user is which, `conflict` for two databases with one identity, `unusable`
 *   when the service cannot be used, `busy`
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
  /** The users whose records travel, by their ids here; all without it. */
  #users: number[] | undefined;
  /** The changes here that are known there, for they came from there. */
  #told: KnownThere | undefined;
  /** How often all was to be read anew. */
  #anew = 0;
  /** How many parts without anything came one after the other. */
  #empty = 0;

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
    this.#countShown();
    this.#sayWhoIsSent();
    applyConsents(context);
    if (isSettledThere(context.result)) this.#peer = { ...this.#peer, at: context.now() };
    context.replication.setPeer(this.#database, this.#peer);
    context.store.remotes.setDatabase(context.remote, this.#database);
    // What only reads waits for nothing from here.
    return finish(
      context,
      context.result.isReadOnly ? context.store.history.last() : (this.#peer.sent?.seq ?? 0),
    );
  }

  /** Receives all, takes it over, counts, and takes it back. */
  async dryRun(): Promise<SyncResult> {
    const { replication } = this.context;
    const texts: string[] = [];
    await this.#pull((some) => texts.push(...some));
    this.#countShown();
    this.#setUsers();
    countUnsent(this.context, replication.collector(this.#users), this.#peer.sent);
    return dryRun(this.context, () => {
      this.#take(texts, null);
      this.#sayWhoIsSent();
    });
  }

  /** Receives all that is told. @param takeOver takes some of it over as one change: all of it, unless it is much */
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
      // Where there is nothing to send yet, all that is here later is known there.
      const end = collector.end();
      if (isFirst && !this.#peer.sent && isEmpty(collector)) this.#peer.sent = end;
      const { text } = replication.nothing(collector, this.#peer.sent ?? START);
      let exchanged: Exchanged;
      try {
        exchanged = await this.#exchange(text, have);
      } catch (error) {
        // The next sync goes on from here.
        if (error instanceof SciaticaError) take();
        throw error;
      }
      if (isFirst && exchanged.received && !collector.isKnown(exchanged.received)) {
        // What was made here meanwhile has names of its own, and what was lost comes back.
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
    // It knows nothing of how far its changes were read.
    const isSetBack = have !== null && !isStart(have) && isStart(from);
    if (hasIdentity || isSetBack) this.context.result.setBack = 'there';
    const isAnew = hasIdentity || hasView || isSetBack;
    this.#peer = isAnew ? { view } : { ...this.#peer, view };
    if (isAnew && ++this.#anew > MOST_ANEW)
      throw unusable(
        'The service has another identity, or shows other users, each time it is asked: do several databases answer there?',
      );
    this.#database = database;
    return isAnew;
  }

  async #push(): Promise<void> {
    const { replication, result, progress } = this.context;
    for (let isFirst = true; ; isFirst = false) {
      const collector = replication.collector(this.#users, this.#told);
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
      // Another identity over there is for the next sync.
      if (replication.header(parcel).database !== this.#database) return;
      this.#receive([parcel], part.to);
      if (part.isLast) return;
    }
  }

  /** Tells once more which users are deleted here: it was told before, and perhaps refused. */
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
    // An older service says nothing of those who were erased.
    const { held, erased = 0 } = exchanged.result;
    this.context.result.waitingThere = { held, erased };
    return exchanged;
  }

  /** A token for some users tells of nobody's erasing there: who of them was erased here, and shows there, is. */
  #countShown(): void {
    const { result, store } = this.context;
    result.waitingThere.erased += store.remotes.countErased(this.#peer.view ?? []);
  }

  /** Whoever is merged into the user of the token goes there; what is recorded for one into whom that user is merged does not. */
  #sayWhoIsSent(): void {
    const { result, store } = this.context;
    if (result.isReadOnly) return;
    result.unsent = store.remotes.mergedAway(this.#peer.view);
    result.sameEmails = result.sameEmails.map(({ id, other }) =>
      this.#users?.includes(other) ? { id: other, other: id } : { id, other },
    );
  }

  /** Takes parts over, and notes how far both are. @param sent how far the changes here were sent with them */
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
    // What was just received need not be sent back.
    if (taken.isEcho) {
      if (isDeepStrictEqual(peer.sent, taken.from)) this.#peer.sent = taken.to;
      else this.#told = taken;
    }
    this.#setUsers();
  }

  #setUsers(): void {
    const { replication } = this.context;
    this.#users = this.#peer.view?.flatMap((name) => replication.idOfUser(name) ?? []);
  }

  /** @throws SciaticaError `unusable` where a service always says that more follows: it would be asked without end */
  #requireProgress(text: string, { to, isLast }: Header, have: Position | null): void {
    const isEmpty = text.indexOf('\n', text.indexOf('\n') + 1) === text.length - 1;
    this.#empty = isEmpty ? this.#empty + 1 : 0;
    if (isLast || (isForward(have ?? START, to) && this.#empty <= MOST_EMPTY)) return;
    throw unusable('The service says that more follows, and sends nothing: is it sciatica, and up to date?');
  }
}

const isStart = (position: Position): boolean => isDeepStrictEqual(position, START);

function isEmpty(collector: Collector): boolean {
  const { states, isLast } = collector.after(START, 1);
  return isLast && states.length === 0;
}
