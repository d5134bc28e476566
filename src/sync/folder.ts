import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { explained, SciaticaError, unusable } from '../domain/errors.ts';
import type { KindName } from '../domain/kinds.ts';
import { errnoOf, isFull } from '../lib/files.ts';
import { pause } from '../lib/sleep.ts';
import { type Collector, isForward, type Position, START } from '../store/reconcile/collect.ts';
import type { Parcel } from '../store/reconcile/parcel.ts';
import { addCounts } from '../store/reconcile/received.ts';
import { IN_FOLDERS, type Peer, type Replication } from '../store/reconcile/replication.ts';
import type { Name } from '../store/reconcile/state.ts';
import type { FolderCipher } from './cipher.ts';
import { FolderFiles, type Manifest, type Part } from './folder-files.ts';
import { emptyResult, type SyncOptions, type SyncResult, type Waiting } from './result.ts';
import {
  applyConsents,
  countUnsent,
  dryRun,
  finish,
  type SyncContext,
  type SyncRun,
  takeOver,
} from './take.ts';

/** Parts of one machine that are merged as one change. */
interface Batch {
  database: string;
  view: Manifest['view'];
  /** Decrypted, but still compressed, since texts are some eight times as long: they are unpacked one at a time. */
  packed: Uint8Array[];
  to: Position;
}

/** What a sync with a folder needs. */
interface FolderContext extends SyncContext {
  path: string;
  cipher: FolderCipher;
  /** The ids of the users whose records go there, beside those who came from there; all without it. */
  users?: readonly number[] | undefined;
}

interface FolderCourse extends SyncRun {
  result: SyncResult & { waiting: Waiting[] };
}

/** About how many parts hold everything (the base of a manifest): the carrier of a folder copes best with few files. */
const MOST_IN_BASE = 40;
/** This many parts after the base are put together. If they have outgrown the base, or this many bytes, all is written anew. */
const MOST_PARTS = 50;
const MOST_LATER = 4 * 1024 * 1024;
/** Bytes of files that are merged as one change: some 200,000 logs. */
const MOST_IN_CHANGE = 8 * 1024 * 1024;
/** How often `changed` looks at the folder, in milliseconds. */
const LOOK_MS = 1_000;

/** Syncs a database with the other machines of a folder. */
export class Folder {
  /** The key of the folder in `peers`: when both were last in step, and what was sent. */
  readonly #key: string;
  readonly #files: FolderFiles;
  /** The signature of the folder when the last sync began. */
  #lastSignature = '';
  /** Whether no machine of the folder has sent a user yet: at this first contact `--as` applies. */
  #isFirstContact = false;

  /** @param replication of `context.store` */
  constructor(
    private readonly context: FolderContext,
    private readonly replication: Replication,
  ) {
    this.#key = pathToFileURL(context.path).href;
    this.#files = new FolderFiles(context.path, context.cipher, () => replication.id);
  }

  static async of(context: FolderContext): Promise<Folder> {
    const store = context.store.as({ origin: { source: 'sync', caller: context.remote } });
    return new Folder({ ...context, store }, await store.replication());
  }

  /**
   * Merges what the other machines wrote, then writes what is known here.
   * @throws SciaticaError `unusable`, `full` for a folder that is missing, full, or cannot be read or written: nothing is lost
   */
  sync(options: SyncOptions = {}): Promise<SyncResult> {
    return this.#explained(async () => {
      const { replication, context } = this;
      const run = this.#begun(options);
      const { waiting } = run.result;
      if (options.dryRun) return this.#dryRun(run, waiting);
      await this.#receive(run);
      applyConsents(run);
      const sent = await this.#tell(run.result);
      const at = waiting.length > 0 ? replication.peer(this.#key).at : context.now();
      replication.setPeer(this.#key, { sent, view: null, at });
      context.store.remotes.setDatabase(context.remote, this.#key);
      return finish(run, sent.seq);
    });
  }

  /** Merges what the other machines wrote, and writes nothing: for a key that is about to change. @throws as `sync` does */
  receive(options: Pick<SyncOptions, 'as'>): Promise<SyncResult> {
    return this.#explained(async () => {
      const run = this.#begun(options);
      await this.#receive(run);
      return finish(run, 0);
    });
  }

  #begun(options: SyncOptions): FolderCourse {
    const { replication, context } = this;
    this.#files.requireSome();
    const machines = this.#files.machines();
    this.#isFirstContact = !machines.some((database) => this.#peer(database).received);
    const beside = context.store.remotes.addedBeside(context.remote, context.users);
    return { ...context, replication, options, result: { ...emptyResult(this.#key), beside, waiting: [] } };
  }

  async #receive(run: FolderCourse): Promise<void> {
    this.#lastSignature = this.#files.signature();
    if (this.#renewIfSetBack()) run.result.setBack = 'here';
    let hasNews = false;
    await this.#readOthers(run.result.waiting, (batch) => {
      hasNews = true;
      this.#take(batch, run);
      const peer = { received: batch.to, view: batch.view };
      this.replication.setPeer(this.#keyOf(batch.database), peer, IN_FOLDERS);
    });
    if (hasNews) return;
    // Without news, too: records show that waited for a user who was restored here since.
    const { counts, changes } = this.replication.receive([]);
    addCounts(run.result.pulled, counts);
    run.result.changes.push(...changes);
  }

  async #dryRun(run: SyncRun, waiting: Waiting[]): Promise<SyncResult> {
    const batches: Batch[] = [];
    await this.#readOthers(waiting, (batch) => batches.push(batch));
    countUnsent(run, this.#collector(), this.#files.own()?.parts.at(-1)?.to);
    return dryRun(run, () => {
      for (const batch of batches) this.#take(batch, run);
    });
  }

  /** Writes what is known here, without anything erased, and removes the files that may hold such. */
  tell(): Promise<unknown> {
    return this.#explained(() => {
      this.#files.requireSome();
      this.#renewIfSetBack();
      return this.#tell(emptyResult(this.#key));
    });
  }

  /** Writes an empty manifest, so that others see this machine and its key before it has sent anything. */
  join(): Promise<void> {
    return this.#explained(async () => {
      this.#renewIfSetBack();
      this.#files.makeOwn();
      if (!this.#files.own())
        this.#files.writeManifest({ parts: [], base: 0, view: this.#collector().view(), erased: 0, told: 0 });
    });
  }

  /** Calls back when files of other machines have changed since the last sync began. Resolves at the signal. */
  async changed(onEvent: () => void, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await pause(LOOK_MS, signal);
      if (!signal.aborted && this.#hasNews()) onEvent();
    }
  }

  #hasNews(): boolean {
    try {
      return this.#files.signature() !== this.#lastSignature;
    } catch {
      // The sync that follows says what is wrong with the folder.
      return true;
    }
  }

  async #explained<T>(work: () => Promise<T>): Promise<T> {
    const { path } = this.context;
    try {
      return await work();
    } catch (error) {
      const errno = errnoOf(error);
      if (error instanceof SciaticaError || errno === undefined) throw error;
      const why =
        errno === 'ENOENT' && !existsSync(path)
          ? `There is no folder ${path}: is the stick or the share connected?`
          : `The folder ${path} cannot be used (${errno}). Nothing is lost: what is recorded here stays here until the next sync.`;
      throw explained(isFull(error) ? 'full' : 'unusable', why, error);
    }
  }

  /** Collects for the users who were chosen and those who came from there: what is recorded here for these is wanted there. */
  #collector(): Collector {
    const { store, users, remote } = this.context;
    return this.replication.collector(store.remotes.usersOf(remote, users));
  }

  /**
   * If the manifest of this machine has a position that its database does not know, the database was set back or is a copy: it
   * takes a new identity for what it makes from now on, and what it lost comes back. @returns whether it was
   */
  #renewIfSetBack(): boolean {
    const last = this.#files.own()?.parts.at(-1)?.to;
    if (!last || this.#collector().isKnown(last)) return false;
    this.replication.renewIdentity();
    return true;
  }

  /** Hands over the unread parts of all machines, and notes those of which some cannot be read for now. */
  async #readOthers(waiting: Waiting[], handOver: (batch: Batch) => void): Promise<void> {
    for (const database of this.#files.machines())
      try {
        const why = await this.#read(database, handOver);
        if (why) waiting.push({ database, why });
      } catch (error) {
        if (!(error instanceof SciaticaError && /^(unusable|invalid)$/.test(error.code))) throw error;
        waiting.push({ database, why: error.message });
      }
  }

  /** Hands over the unread parts of a machine. @returns why some are missing; undefined if none is */
  async #read(database: string, handOver: (batch: Batch) => void): Promise<string | undefined> {
    const manifest = this.#files.manifest(database);
    if (typeof manifest !== 'object') return manifest;
    const { parts, view } = manifest;
    const unread = this.#unreadParts(database, manifest);
    let batch: Batch | undefined;
    let [size, missing] = [0, 0];
    for (const part of unread) {
      const bytes = this.#files.bytes(database, part);
      if (!bytes) missing++;
      // Parts after a missing one wait, since the position must not go beyond it.
      if (!bytes || missing > 0) continue;
      batch ??= { database, view, packed: [], to: part.to };
      batch.packed.push(await this.context.cipher.open(bytes));
      batch.to = part.to;
      size += part.bytes;
      if (size < MOST_IN_CHANGE) continue;
      handOver(batch);
      [batch, size] = [undefined, 0];
    }
    if (batch) handOver(batch);
    return missing > 0 ? `${missing} of its ${parts.length} files are not there, or not whole` : undefined;
  }

  /** The key of a machine in `peers`. It has one for each folder, since its view may differ. */
  #keyOf = (database: string): string => `${this.#key} ${database}`;

  #peer = (database: string): Peer => this.replication.peer(this.#keyOf(database), IN_FOLDERS);

  /** The parts from that on which holds the received position; only the last one if there are new erasures and nothing else. */
  #unreadParts(database: string, { parts, erased, view }: Manifest): readonly Part[] {
    const peer = this.#peer(database);
    const received = isDeepStrictEqual(peer.view, view) ? peer.received : undefined;
    const last = parts.at(-1);
    if (!received || !last) return parts;
    if (isForward(received, last.to)) {
      const begun = parts.findLastIndex(({ from }) => !isForward(received, from));
      return parts.slice(Math.max(begun, 0));
    }
    return erased > this.replication.collector().erased().length ? [last] : [];
  }

  /** Merges parts of a machine, as one change. */
  #take({ database, packed }: Batch, run: SyncRun): void {
    const { replication, context } = this;
    const isOwn = context.store.remotes.isOwn(database);
    let hasUser = false;
    const read = (part: Uint8Array): Parcel => {
      const text = context.cipher.unpack(part);
      if (replication.header(text).database !== database)
        throw unusable('one of its files is that of another machine');
      const parcel = replication.read(text);
      // That a record left the view is no news from a former identity of here and, after a loss, would hide
      // it.
      if (isOwn) parcel.states = parcel.states.filter(({ outside }) => !outside);
      hasUser ||= parcel.states.some(({ kind, fields }) => kind === 'user' && fields);
      return parcel;
    };
    takeOver(run, packed, read, this.#isFirstContact);
    this.#isFirstContact &&= !hasUser;
  }

  /** Writes what is not in the folder yet. @returns the position here up to which it is */
  async #tell(result: SyncResult): Promise<Position> {
    const { replication, context } = this;
    const collector = this.#collector();
    // `erased` is of all users, since a record may have been another's. `told` is of those in the view: they
    // hear of erasures elsewhere once these are made here too.
    const [erased, told] = [replication.collector().erased().length, collector.erased().length];
    const said = { view: collector.view(), erased, told };
    const kept = this.#kept(said);
    const parts = [...kept.parts];
    this.#files.makeOwn();
    // Each counts once: one that changed several times is in several parts.
    const records = new Set<`${KindName} ${Name}`>();
    const share = replication.shareOf(MOST_IN_BASE);
    let from = parts.at(-1)?.to ?? START;
    for (let isLast = false; !isLast; ) {
      const part = replication.part(collector, from, share);
      if (part.states.length > 0 || parts.length === 0)
        parts.push(await this.#files.writePart(part.text, from, part.to));
      ({ to: from, isLast } = part);
      for (const { kind, name } of part.states) records.add(`${kind} ${name}`);
      if (part.states.length > 0) context.progress?.('send', part.states.length);
    }
    for (const key of records) result.pushed[key.slice(0, key.indexOf(' ')) as KindName].changed++;
    if (parts.length === kept.parts.length && kept.isWritten) return from;
    // Only if there are more erasures: a copy that goes on under a former identity may never know as many.
    if ((this.#files.own()?.told ?? 0) < told) this.#removeFormer(told);
    this.#files.writeManifest({ parts, base: kept.parts.length > 0 ? kept.base : parts.length, ...said });
    this.#files.removeOthers(new Set(parts.map(({ file }) => file)));
    // A concurrent sync of this machine may have removed some: then they are written again.
    return parts.every((part) => this.#files.has(part)) ? from : this.#tell(result);
  }

  /** Removes files of former identities of here that may hold what was erased. A copy that still uses one writes them anew. */
  #removeFormer(told: number): void {
    for (const database of this.#files.machines().filter((one) => this.context.store.remotes.isOwn(one))) {
      const manifest = this.#files.manifest(database);
      const isRead = typeof manifest === 'object' && this.#unreadParts(database, manifest).length === 0;
      if (isRead && manifest.told < told) this.#files.remove(database);
    }
  }

  /**
   * The parts that stay: all; the base, if many follow it; none, if one is missing or may hold erased or other users' records.
   */
  #kept(said: Omit<Manifest, 'parts' | 'base'>): { parts: Part[]; base: number; isWritten: boolean } {
    const own = this.#files.own();
    const isFit =
      own?.isSealed &&
      isDeepStrictEqual({ view: own.view, erased: own.erased, told: own.told }, said) &&
      own.parts.every((part) => this.#files.bytes(this.replication.id, part));
    if (!isFit) return { parts: [], base: 0, isWritten: false };
    const [base, later] = [own.parts.slice(0, own.base), own.parts.slice(own.base)];
    if (later.length < MOST_PARTS) return { ...own, isWritten: true };
    const size = (parts: readonly Part[]) => parts.reduce((sum, { bytes }) => sum + bytes, 0);
    const isLittle = size(later) < Math.min(size(base), MOST_LATER);
    return { parts: isLittle ? base : [], base: own.base, isWritten: false };
  }
}
