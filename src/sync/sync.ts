import { SciaticaError } from '../domain/errors.ts';
import { type KindName, kindNames } from '../domain/kinds.ts';
import { type Collector, type Position, START } from '../store/reconcile/collect.ts';
import type { Diary, Peer } from '../store/reconcile/diary.ts';
import type { Parcel } from '../store/reconcile/parcel.ts';
import type { Received } from '../store/reconcile/receive.ts';
import type { Store } from '../store/store.ts';
import { Refused } from './refused.ts';
import { type ByKind, emptyResult, type Progress, type SyncResult } from './result.ts';
import { type Exchanged, type Me, Service, type Wait } from './service.ts';
import type { Transport } from './transport.ts';

/** What a sync works with. */
export interface Means {
  store: Store;
  /** Name of the remote, for the history. */
  remote: string;
  transport: Transport;
  token?: string | undefined;
  wait: Wait;
  /** The clock, in milliseconds since 1970. */
  now: () => number;
  progress?: Progress;
}

export interface SyncOptions {
  /** The user here who is the one of the token over there; `new` where that one is not here yet. */
  as?: number | 'new' | undefined;
  /** Deletes what would be held back otherwise. */
  acceptDeletions?: boolean | undefined;
  /** Erases here who was erased over there. */
  acceptErase?: boolean | undefined;
  /** Finds out what would come, and writes nothing, here or there. */
  dryRun?: boolean | undefined;
}

/** Undoes what a dry run did. */
class DryRun extends Error {}

/**
 * Lets this database and the one behind a service come to hold the same. Each request may be repeated, and the next sync goes on where
 * one ended.
 * @throws SciaticaError `invalid` where it is not said which user is which, `conflict` for two databases with one identity, `unusable`
 *   when the service cannot be used, `busy`
 */
export async function sync(means: Means, options: SyncOptions): Promise<SyncResult> {
  const store = means.store.as({ origin: { source: 'sync', caller: means.remote } });
  const diary = await store.diary();
  const service = new Service(means.transport, means.token, means.wait);
  const me = await service.me();
  if (me.database === diary.id)
    throw new SciaticaError(
      'conflict',
      'This database and the one of the service have the same identity: one is a copy of the other. Give the copy one of its own: sciatica identity new',
    );
  const session = new Session({ ...means, store }, options, { diary, service, me });
  return options.dryRun ? session.dryRun() : session.run();
}

interface Parties {
  diary: Diary;
  service: Service;
  me: Me;
}

class Session {
  readonly #result: SyncResult;
  #database: string;
  #peer: Peer;
  /** The users whose records travel, by their ids here; all without it. */
  #users: number[] | undefined;

  constructor(
    private readonly means: Means,
    private readonly options: SyncOptions,
    private readonly parties: Parties,
  ) {
    this.#database = parties.me.database;
    this.#peer = parties.diary.peer(this.#database);
    this.#result = emptyResult(this.#database);
    this.#result.isReadOnly = parties.me.role === 'provider';
  }

  async run(): Promise<SyncResult> {
    const { means, options, parties } = this;
    await this.#pull();
    if (!this.#result.isReadOnly) await this.#push();
    if (options.acceptErase)
      for (const id of parties.diary.erasedElsewhere()) {
        means.store.erase(id);
        this.#result.erased.push(id);
      }
    this.#result.erasedThere = parties.diary.erasedElsewhere();
    this.#peer = { ...this.#peer, at: means.now() };
    parties.diary.setPeer(this.#database, this.#peer);
    means.store.remotes.setDatabase(means.remote, this.#database);
    this.#result.held = parties.diary.held();
    this.#result.seq = means.store.history.last();
    return this.#result;
  }

  /** Receives all, takes it over, counts, and takes it back. */
  async dryRun(): Promise<SyncResult> {
    const { diary, service } = this.parties;
    const parcels: Parcel[] = [];
    for (let have = this.#peer.received ?? null; ; ) {
      const { parcel } = await this.#exchange(service, diary.nothing(diary.collector(), START).text, have);
      const read = diary.read(parcel);
      requireProgress(read, have);
      parcels.push(read);
      have = read.to;
      if (read.isLast) break;
    }
    this.#users = parcels[0]?.view?.flatMap((name) => diary.idOfUser(name) ?? []);
    this.#count(diary.collector(this.#users));
    try {
      this.means.store.change(() => {
        for (const parcel of parcels) this.#take(parcel, null);
        throw new DryRun();
      });
    } catch (error) {
      if (!(error instanceof DryRun)) throw error;
    }
    return this.#result;
  }

  /** Counts what would be sent. */
  #count(collector: Collector): void {
    for (let from = this.#peer.sent ?? START; ; ) {
      const { states, to, isLast } = collector.after(from);
      for (const { kind } of states) this.#result.pushed[kind].changed++;
      if (isLast) return;
      from = to;
    }
  }

  async #pull(): Promise<void> {
    const { diary } = this.parties;
    for (let isFirst = true; ; isFirst = false) {
      const collector = diary.collector(this.#users);
      const { text } = diary.nothing(collector, this.#peer.sent ?? START);
      const exchanged = await this.#exchange(this.parties.service, text, this.#peer.received ?? null);
      if (isFirst && exchanged.received && !collector.isKnown(exchanged.received)) {
        // What was made here meanwhile has names of its own, and what was lost comes back.
        diary.renewIdentity();
        this.#result.setBack = 'here';
        this.#peer = { view: null };
        continue;
      }
      const parcel = diary.read(exchanged.parcel);
      if (this.#isAnew(parcel)) continue;
      requireProgress(parcel, this.#peer.received ?? null);
      this.#receive(parcel, null);
      if (parcel.isLast) return;
    }
  }

  /** Whether everything has to be read anew: the service has another identity, or shows other users than before. */
  #isAnew({ database, view }: Parcel): boolean {
    const hasIdentity = database !== this.#database;
    const hasView =
      this.#peer.received !== undefined && JSON.stringify(view) !== JSON.stringify(this.#peer.view);
    if (hasIdentity) this.#result.setBack = 'there';
    if (hasIdentity || hasView) this.#peer = { view };
    this.#database = database;
    return hasIdentity || hasView;
  }

  async #push(): Promise<void> {
    const { diary, service } = this.parties;
    for (;;) {
      const collector = diary.collector(this.#users);
      const part = diary.part(collector, this.#peer.sent ?? START);
      if (part.states.length === 0 && part.isLast) {
        this.#peer = { ...this.#peer, sent: part.to };
        return;
      }
      const { parcel, result } = await this.#exchange(service, part.text, this.#peer.received ?? null);
      for (const kind of kindNames) add(this.#result.pushed, result.counts, kind);
      this.#result.heldThere += result.held;
      this.#result.refused += result.refused;
      this.means.progress?.('send', part.states.length);
      this.#receive(diary.read(parcel), part.to);
      if (part.isLast) return;
    }
  }

  async #exchange(service: Service, parcel: string, have: Position | null): Promise<Exchanged> {
    try {
      return await service.exchange({ parcel, have, wants: true });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const why =
        error.status === 404
          ? 'it has an older sciatica. Upgrade it there first. Nothing was exchanged.'
          : error.message;
      throw new SciaticaError('unusable', `The service does not take part: ${why}`, [], { cause: error });
    }
  }

  /** Takes a part over, and notes how far both are. */
  #receive(parcel: Parcel, sent: Position | null): void {
    const { diary } = this.parties;
    if (parcel.database !== this.#database) return;
    this.means.progress?.('receive', parcel.states.length);
    this.#take(parcel, sent);
    diary.setPeer(this.#database, this.#peer);
  }

  #take(parcel: Parcel, sent: Position | null): void {
    const { diary } = this.parties;
    const { store } = this.means;
    const peer = sent ? { ...this.#peer, sent } : this.#peer;
    const before = diary.collector(this.#users).end();
    if (this.#peer.received === undefined) this.#meet(parcel);
    const received = diary.receive(parcel, { acceptDeletions: this.options.acceptDeletions });
    this.#note(received, parcel);
    // What was just received need not be sent back.
    const isSent =
      received.isEcho &&
      received.apart.length === 0 &&
      peer.sent &&
      JSON.stringify(peer.sent) === JSON.stringify(before);
    this.#peer = {
      ...peer,
      received: parcel.to,
      view: parcel.view,
      ...(isSent && { sent: diary.collector(this.#users).end() }),
    };
    this.#users = parcel.view?.flatMap((name) => diary.idOfUser(name) ?? []);
    this.#result.change = store.latestChange ?? this.#result.change;
  }

  /** At the first contact: which user here is which over there. */
  #meet({ view, states }: Parcel): void {
    const { store } = this.means;
    const { as } = this.options;
    if (typeof as !== 'number') return;
    store.users.get(as);
    const users = states.filter(({ kind, fields }) => kind === 'user' && fields);
    const [user, second] = view ? users.filter(({ name }) => view.includes(name)) : users;
    if (second)
      throw new SciaticaError(
        'invalid',
        `--as ${as}: the service shows several users, and only one can be user ${as}. Use a token for that one user (sciatica token add --role patient), or merge them afterwards: sciatica user merge`,
      );
    if (user) store.change(() => this.parties.diary.adopt(as, user));
  }

  #note({ counts, disputes, refused }: Received, { states }: Parcel): void {
    const { diary } = this.parties;
    for (const kind of kindNames) add(this.#result.pulled, counts, kind);
    this.#result.disputes.push(...disputes);
    this.#result.refused += refused;
    this.#result.sameEmails.push(...diary.sameEmails(states));
    const latest = states.flatMap(({ statements }) => Object.values(statements).map(({ stamp }) => stamp[0]));
    const ahead = latest.reduce((most, clock) => Math.max(most, clock / 1000 - this.means.now()), 0);
    this.#result.ahead = Math.max(this.#result.ahead, ahead);
  }
}

/** @throws SciaticaError `unusable` where a service says that more follows, and has told nothing: it would be asked without end */
function requireProgress({ to, isLast }: Parcel, have: Position | null): void {
  if (!isLast && JSON.stringify(to) === JSON.stringify(have))
    throw new SciaticaError(
      'unusable',
      'The service says that more follows, and sends nothing: is it sciatica, and up to date?',
    );
}

function add(to: ByKind, more: ByKind, kind: KindName): void {
  to[kind].created += more[kind].created;
  to[kind].changed += more[kind].changed;
  to[kind].deleted += more[kind].deleted;
}
