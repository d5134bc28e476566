import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { SciaticaError } from '../domain/errors.ts';
import type { KindName } from '../domain/kinds.ts';
import { errnoOf, isFull, replace, TEMPORARY, temporaryBeside } from '../lib/files.ts';
import { type Collector, isForward, type Position, START } from '../store/reconcile/collect.ts';
import type { Diary } from '../store/reconcile/diary.ts';
import type { Parcel } from '../store/reconcile/parcel.ts';
import { IN_FOLDERS } from '../store/reconcile/peers.ts';
import type { Name, State } from '../store/reconcile/state.ts';
import type { Store } from '../store/store.ts';
import { FILE, type Manifest, manifestIn, type Part } from './manifest.ts';
import {
  dryRun,
  emptyResult,
  noteClocks,
  noteTaken,
  type Progress,
  type SyncOptions,
  type SyncResult,
} from './result.ts';
import type { Seal } from './seal.ts';
import { meet } from './sync.ts';

/**
 * A folder that something else carries from machine to machine. Each machine has a folder of its own in it, named as the UUID of its
 * database: parts, and a manifest that lists them and is written last. Nobody writes into the folder of another machine.
 */

/** Some of what a machine tells: texts that are taken over as one change, and how far they reach. */
interface Batch {
  database: string;
  view: Manifest['view'];
  texts: string[];
  to: Position;
}

/** What a sync with a folder works with. */
export interface FolderMeans {
  store: Store;
  /** Name of the remote, for the history. */
  remote: string;
  path: string;
  seal: Seal;
  /** The ids of the users whose records go there; all without it. */
  users?: readonly number[] | undefined;
  /** The clock, in milliseconds since 1970. */
  now: () => number;
  progress?: Progress;
}

const MANIFEST = 'manifest.json';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Most parts of a machine before what came after the base is written as one, or all anew. */
const MOST_PARTS = 50;
/** Text of one part, before it is packed, and text that is taken over as one change. */
const MOST_IN_PART = 16 * 1024 * 1024;
const MOST_IN_CHANGE = 64 * 1024 * 1024;
/** Between the texts in a file: JSON has it escaped only (RFC 8259, 7). */
const BETWEEN = '\u001e';
/** How often `changed` looks, in milliseconds. */
const LOOK_MS = 1_000;

/** Lets a database and the machines of a folder come to hold the same. */
export class Folder {
  /** Under which it is remembered when both were last in step. */
  readonly #key: string;

  /** @param diary of `means.store` */
  constructor(
    private readonly means: FolderMeans,
    private readonly diary: Diary,
  ) {
    this.#key = pathToFileURL(means.path).href;
  }

  /** @throws SciaticaError `unusable`, `full` where the folder is missing, or cannot be read or written: nothing is lost */
  static async of(means: FolderMeans): Promise<Folder> {
    const store = means.store.as({ origin: { source: 'sync', caller: means.remote } });
    return new Folder({ ...means, store }, await store.diary());
  }

  /**
   * Reads what the others told, then tells what is known here.
   * @throws SciaticaError `unusable`, `full` for a folder that is missing, full, or cannot be read or written: nothing is lost
   */
  sync(options: SyncOptions = {}): Promise<SyncResult> {
    return this.#explained(async () => {
      const { diary, means } = this;
      const waiting: NonNullable<SyncResult['waiting']> = [];
      const result: SyncResult = { ...emptyResult(this.#key), waiting };
      if (options.dryRun) return this.#dryRun(options, result, waiting);
      if (this.#isSetBack()) {
        // What was made here meanwhile has names of its own, and what was lost comes back.
        diary.renewIdentity();
        result.setBack = 'here';
      }
      for (const database of this.#machines())
        for await (const batch of this.#unread(database, waiting)) {
          this.#take(batch, options, result);
          diary.setPeer(database, { received: batch.to, view: batch.view }, IN_FOLDERS);
        }
      if (options.acceptErase)
        for (const id of diary.erasedElsewhere()) {
          means.store.erase(id);
          result.erased.push(id);
        }
      const end = await this.#tell(result);
      diary.setPeer(this.#key, { sent: end, view: null, at: means.now() });
      means.store.remotes.setDatabase(means.remote, this.#key);
      result.erasedThere = diary.erasedElsewhere();
      result.held = diary.held();
      result.seq = means.store.history.last();
      return result;
    });
  }

  async #dryRun(options: SyncOptions, result: SyncResult, waiting: object[]): Promise<SyncResult> {
    const batches: Batch[] = [];
    for (const database of this.#machines())
      for await (const batch of this.#unread(database, waiting as [])) batches.push(batch);
    const collector = this.#collector();
    for (let from = this.#own()?.parts.at(-1)?.to ?? START, isLast = false; !isLast; ) {
      const told = collector.after(from);
      for (const { kind } of told.states) result.pushed[kind].changed++;
      ({ to: from, isLast } = told);
    }
    dryRun(this.means.store, () => {
      for (const batch of batches) this.#take(batch, options, result);
    });
    result.changes = [];
    return result;
  }

  /** Writes what is known here, and nothing that was erased; removes the files that may hold it. */
  tell(): Promise<unknown> {
    return this.#explained(() => this.#tell(emptyResult(this.#key)));
  }

  /** Shows that this machine takes part, with which key, before it tells anything. */
  join(): Promise<void> {
    return this.#explained(async () => {
      this.#makeOwn();
      if (!this.#own())
        this.#writeManifest({ parts: [], base: 0, view: this.#collector().view(), erased: 0 });
    });
  }

  /** Which key the machines of the folder have (`Seal.id`); undefined where there is none yet. */
  static keyIn(path: string): string | undefined {
    const manifests = readdirSync(path)
      .filter((name) => UUID.test(name))
      .map((name) => join(path, name, MANIFEST))
      .filter((file) => existsSync(file));
    return manifests.map((file) => readFileSync(file, 'utf8').split('\n')[2]).find((key) => key);
  }

  /** Calls back when another machine has written something, until the signal comes. */
  async changed(onEvent: () => void, signal: AbortSignal): Promise<void> {
    const seen = () =>
      this.#machines().map((database) => {
        const found = statSync(this.#at(database, MANIFEST), { throwIfNoEntry: false });
        return [database, found?.mtimeMs, found?.size];
      });
    const before = await this.#explained(async () => seen());
    await new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        try {
          if (!isDeepStrictEqual(seen(), before)) onEvent();
        } catch {
          // The sync that follows says what is wrong with the folder.
          onEvent();
        }
      }, LOOK_MS);
      const end = () => {
        clearInterval(timer);
        resolve();
      };
      if (signal.aborted) end();
      else signal.addEventListener('abort', end, { once: true });
    });
  }

  async #explained<T>(work: () => Promise<T>): Promise<T> {
    const { path } = this.means;
    try {
      return await work();
    } catch (error) {
      const errno = errnoOf(error);
      if (error instanceof SciaticaError || errno === undefined) throw error;
      const why =
        errno === 'ENOENT' && !existsSync(path)
          ? `There is no folder ${path}: is the stick or the share connected?`
          : `The folder ${path} cannot be used (${errno}). Nothing is lost: what is recorded here stays here until the next sync.`;
      throw new SciaticaError(isFull(error) ? 'full' : 'unusable', why, [], { cause: error });
    }
  }

  #machines(): string[] {
    const found = readdirSync(this.means.path, { withFileTypes: true });
    return found
      .filter((one) => one.isDirectory() && UUID.test(one.name) && one.name !== this.diary.id)
      .map(({ name }) => name)
      .sort();
  }

  #collector = (): Collector => this.diary.collector(this.means.users);

  /** Whether the files of this machine say more than it knows: its database was set back, or is a copy. */
  #isSetBack(): boolean {
    const last = this.#own()?.parts.at(-1)?.to;
    const collector = this.#collector();
    return last !== undefined && !(collector.isKnown(last) && last.rev <= collector.end().rev);
  }

  #at = (database: string, file: string): string => join(this.means.path, database, file);

  /** Makes the folder of this machine, never the one that it is in: that may be a stick which is not there. */
  #makeOwn(): void {
    const own = join(this.means.path, this.diary.id);
    if (!existsSync(own)) mkdirSync(own, 0o700);
  }

  /** The manifest of this machine, whatever key it has: only this machine writes it. */
  #own(): Manifest | undefined {
    const path = this.#at(this.diary.id, MANIFEST);
    if (!existsSync(path)) return undefined;
    const manifest = manifestIn(readFileSync(path, 'utf8').split('\n')[0] ?? '');
    if (manifest) return manifest;
    throw new SciaticaError(
      'unusable',
      `${path} is not whole: wait until it is carried, or remove it. Nothing was written.`,
    );
  }

  /** @returns why it cannot be read for now, or the manifest; undefined where there is none yet */
  #manifest(database: string): Manifest | string | undefined {
    const path = this.#at(database, MANIFEST);
    if (!existsSync(path)) return undefined;
    const { seal } = this.means;
    const [line = '', mark = '', key = ''] = readFileSync(path, 'utf8').split('\n');
    if (key !== seal.id) return /^(null|[0-9a-f]{16})$/.test(key) ? OTHER_KEY : CUT;
    return (seal.isMark(mark, database, line) && manifestIn(line)) || CUT;
  }

  /** What a machine tells that was not read yet, as far as it is there and whole. */
  async *#unread(database: string, waiting: NonNullable<SyncResult['waiting']>): AsyncGenerator<Batch> {
    const wait = (why: string) => void waiting.push({ database, why });
    const manifest = this.#manifest(database);
    if (manifest === undefined) return;
    if (typeof manifest === 'string') return wait(manifest);
    const { parts, view } = manifest;
    const peer = this.diary.peer(database, IN_FOLDERS);
    const hasView = isDeepStrictEqual(peer.view, view);
    const unread = this.#unreadParts(manifest, hasView ? peer.received : undefined);
    const missing = unread.filter((part) => !this.#bytes(database, part)).length;
    let [texts, size] = [[] as string[], 0];
    for (const [i, part] of unread.entries()) {
      const bytes = this.#bytes(database, part);
      // The position never passes what is missing.
      const opened = bytes && (await this.means.seal.open(bytes)).split(BETWEEN);
      try {
        if (opened?.some((text) => this.diary.header(text).database !== database))
          return wait('a file is that of another machine');
      } catch (error) {
        if (error instanceof SciaticaError) return wait(error.message);
        throw error;
      }
      if (opened) texts.push(...opened);
      size += opened?.join('').length ?? 0;
      const last = opened ? part : unread[i - 1];
      if (texts.length > 0 && last && (!opened || i === unread.length - 1 || size >= MOST_IN_CHANGE)) {
        yield { database, view, texts, to: last.to };
        [texts, size] = [[], 0];
      }
      if (!opened) break;
    }
    if (missing > 0) wait(`${missing} of its ${parts.length} files are not there, or not whole`);
  }

  /** From the part on in which the position is; the last one where only what was erased is new. */
  #unreadParts({ parts, erased }: Manifest, received: Position | undefined): readonly Part[] {
    const last = parts.at(-1);
    if (!received || !last) return parts;
    if (isForward(received, last.to)) {
      const begun = parts.findLastIndex(({ from }) => !isForward(received, from));
      return parts.slice(Math.max(begun, 0));
    }
    return erased > this.#collector().erased().length ? [last] : [];
  }

  /** The content of a file that is there and whole. */
  #bytes(database: string, { file, sha256, bytes }: Part): Uint8Array | undefined {
    const path = this.#at(database, file);
    if (!existsSync(path)) return undefined;
    const content = readFileSync(path);
    return content.length === bytes && digestOf(content) === sha256 ? content : undefined;
  }

  /** Takes over what a machine tells, as one change. */
  #take({ texts: [text = '', ...others] }: Batch, options: SyncOptions, result: SyncResult): void {
    const { diary, means } = this;
    const users: State[] = [];
    const read = (one: string): Parcel => {
      const parcel = diary.read(one);
      means.progress?.('receive', parcel.states.length);
      noteClocks(result, parcel.states, means.now());
      users.push(...parcel.states.filter(({ kind }) => kind === 'user'));
      return parcel;
    };
    const first = read(text);
    const isFirst = diary.peer(this.#key).at === undefined && result.changes.length === 0;
    function* all() {
      yield first;
      for (const one of others) yield read(one);
    }
    const taken = diary.receive(others.length === 0 ? [first] : all(), {
      acceptDeletions: options.acceptDeletions,
      before: isFirst ? () => meet(means.store, diary, options.as, first) : undefined,
    });
    noteTaken(result, taken);
    result.sameEmails.push(...diary.sameEmails(users));
  }

  /** Writes what is not in the folder yet. @returns how far the changes here are told */
  async #tell(result: SyncResult): Promise<Position> {
    const { diary, means } = this;
    const collector = this.#collector();
    const [view, erased] = [collector.view(), collector.erased().length];
    const kept = this.#kept(view, erased);
    const parts = [...kept.parts];
    this.#makeOwn();
    // A record that changed several times is in several parts.
    const told = new Set<`${KindName} ${Name}`>();
    let from = parts.at(-1)?.to ?? START;
    for (let isLast = false; !isLast; ) {
      const begun = from;
      const texts: string[] = [];
      for (let size = 0; !isLast && size < MOST_IN_PART; ) {
        const part = diary.part(collector, from);
        ({ to: from, isLast } = part);
        const isNothing = part.states.length === 0 && parts.length + texts.length > 0;
        if (isNothing) continue;
        texts.push(part.text);
        size += part.text.length;
        for (const { kind, name } of part.states) told.add(`${kind} ${name}`);
        means.progress?.('send', part.states.length);
      }
      if (texts.length === 0) break;
      parts.push(await this.#writePart(texts.join(BETWEEN), begun, from));
    }
    for (const key of told) result.pushed[key.slice(0, key.indexOf(' ')) as KindName].changed++;
    if (parts.length === kept.parts.length && kept.isWritten) return from;
    this.#writeManifest({ parts, base: kept.parts.length > 0 ? kept.base : parts.length, view, erased });
    this.#removeOthers(new Set(parts.map(({ file }) => file)));
    return from;
  }

  /** The parts that stay: none where one is missing or may hold too much, the base where those after it are many. */
  #kept(view: Manifest['view'], erased: number): { parts: Part[]; base: number; isWritten: boolean } {
    const own = this.#own();
    const isFit =
      own &&
      typeof this.#manifest(this.diary.id) === 'object' &&
      isDeepStrictEqual(own.view, view) &&
      own.erased === erased &&
      own.parts.every((part) => this.#bytes(this.diary.id, part));
    if (!isFit) return { parts: [], base: 0, isWritten: false };
    if (own.parts.length < MOST_PARTS) return { ...own, isWritten: true };
    const size = (parts: readonly Part[]) => parts.reduce((sum, { bytes }) => sum + bytes, 0);
    const [base, later] = [own.parts.slice(0, own.base), own.parts.slice(own.base)];
    return { parts: size(later) < size(base) ? base : [], base: own.base, isWritten: false };
  }

  async #writePart(text: string, from: Position, to: Position): Promise<Part> {
    const bytes = await this.means.seal.close(text);
    const sha256 = digestOf(bytes);
    const file = `${sha256.slice(0, 32)}.sciatica`;
    this.#write(file, bytes);
    return { file, sha256, bytes: bytes.length, from, to };
  }

  #writeManifest(manifest: Manifest): void {
    const { id } = this.diary;
    const line = JSON.stringify(manifest);
    const { seal } = this.means;
    this.#write(MANIFEST, Buffer.from(`${line}\n${seal.mark(id, line)}\n${seal.id}\n`));
  }

  #write(file: string, bytes: Uint8Array): void {
    const path = this.#at(this.diary.id, file);
    const temporary = temporaryBeside(path);
    try {
      const open = openSync(temporary.path, 'r+');
      try {
        writeFileSync(open, bytes);
        fsyncSync(open);
      } finally {
        closeSync(open);
      }
      replace(temporary.path, path);
    } finally {
      temporary.remove();
    }
  }

  /** Removes the files of this machine that its manifest does not list: they may hold what was erased. */
  #removeOthers(files: ReadonlySet<string>): void {
    for (const name of readdirSync(join(this.means.path, this.diary.id)))
      if ((FILE.test(name) && !files.has(name)) || TEMPORARY.test(name))
        rmSync(this.#at(this.diary.id, name), { force: true });
  }
}

const OTHER_KEY = 'it has another key of the folder: sciatica remote key shows it there, and sets it here';
const CUT = 'its list of files is not whole yet';

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
