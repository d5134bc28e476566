import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Decrypter, Encrypter, identityToRecipient } from 'age-encryption';
import { SciaticaError } from '../domain/errors.ts';
import { errnoOf, TEMPORARY, temporaryName } from '../lib/files.ts';
import { tryJson } from '../lib/strict-json.ts';
import { type Position, START } from '../store/reconcile/collect.ts';
import type { Diary, Taken } from '../store/reconcile/diary.ts';
import { isPosition } from '../store/reconcile/parcel.ts';
import type { Name } from '../store/reconcile/state.ts';

/**
 * A folder that something else carries from machine to machine. Each machine has a folder of its own in it, named as the UUID of its
 * database: parts, and a manifest that lists them and is written last. Nobody writes into the folder of another machine.
 */

/** A file of a machine: its name has no meaning, its digest is checked. */
interface Part {
  file: string;
  sha256: string;
  bytes: number;
  from: Position;
  to: Position;
}

interface Manifest {
  parts: Part[];
  /** The users whose records are told, by the names that the machine has for them; null for all. */
  view: readonly Name[] | null;
  /** How much was erased. */
  erased: number;
}

/** A machine of which not everything has been read. */
export interface Waiting {
  database: string;
  why: string;
}

export interface FolderResult {
  taken: Taken[];
  waiting: Waiting[];
  /** How many records were written into the folder. */
  written: number;
  /** Whether the file here was set back, or is a copy, and has an identity of its own now. */
  isSetBack: boolean;
}

export interface FolderOptions {
  /** The ids of the users whose records go there; all without it. */
  users?: readonly number[] | undefined;
  acceptDeletions?: boolean | undefined;
}

const MANIFEST = 'manifest.json';
/** Stands for a token in what is remembered of the machines of a folder: they have no token, and tell more or less than their service. */
const FOLDER = -1;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const FILE = /^[0-9a-f]{32}\.sciatica$/;
/** Most parts of a machine before it writes its state anew. A full state is never split into more than it needs. */
const MOST_PARTS = 50;

/** What makes files unreadable, and forged ones known, for who has no key; null writes them plainly. */
export class Seal {
  readonly #mac: Buffer | undefined;

  /** @param identity the key of the folder (AGE-SECRET-KEY-…); null for none */
  constructor(private readonly identity: string | null) {
    if (identity !== null)
      this.#mac = Buffer.from(hkdfSync('sha256', identity, '', 'sciatica folder manifest', 32));
  }

  /** Which key it is, without telling it; null without one. */
  get key(): string | null {
    return this.#mac ? createHmac('sha256', this.#mac).update('key').digest('hex').slice(0, 16) : null;
  }

  /** Of a text of a machine: with a key nobody else can make it, without one it shows that the text is whole. */
  mark(database: string, text: string): string {
    const mark = this.#mac ? createHmac('sha256', this.#mac) : createHash('sha256');
    return mark.update(`${database}\n${text}`).digest('hex');
  }

  async close(text: string): Promise<Uint8Array> {
    if (this.identity === null) return Buffer.from(text);
    const encrypter = new Encrypter();
    encrypter.addRecipient(await identityToRecipient(this.identity));
    return encrypter.encrypt(text);
  }

  async open(bytes: Uint8Array): Promise<string> {
    if (this.identity === null) return Buffer.from(bytes).toString('utf8');
    const decrypter = new Decrypter();
    decrypter.addIdentity(this.identity);
    return decrypter.decrypt(bytes, 'text');
  }
}

/** Lets a database and the machines of a folder come to hold the same. */
export class Folder {
  constructor(
    private readonly path: string,
    private readonly seal: Seal,
    private readonly diary: Diary,
  ) {}

  /**
   * Reads what the others told, then tells what is known here.
   * @throws SciaticaError `unusable` for a folder that is missing, full, or cannot be read or written: nothing is lost
   */
  async sync(options: FolderOptions = {}): Promise<FolderResult> {
    try {
      const result: FolderResult = { taken: [], waiting: [], written: 0, isSetBack: this.#noticeSetBack() };
      for (const database of this.#machines()) await this.#receive(database, options, result);
      result.written = await this.#tell(options.users);
      return result;
    } catch (error) {
      const code = errnoOf(error);
      if (code === undefined) throw error;
      throw new SciaticaError('unusable', `${this.path} cannot be used: ${(error as Error).message}`, [], {
        cause: error,
      });
    }
  }

  #machines(): string[] {
    const found = readdirSync(this.path, { withFileTypes: true });
    return found
      .filter((one) => one.isDirectory() && UUID.test(one.name) && one.name !== this.diary.id)
      .map(({ name }) => name)
      .sort();
  }

  /** Takes another identity if the files of this machine say more than it knows, before it writes one. */
  #noticeSetBack(): boolean {
    const last = this.#own()?.parts.at(-1)?.to;
    const collector = this.diary.collector();
    if (!last || (collector.isKnown(last) && last.rev <= collector.end().rev)) return false;
    this.diary.renewIdentity();
    return true;
  }

  #at = (database: string, file: string): string => join(this.path, database, file);

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
    const [line = '', mark = '', key = ''] = readFileSync(path, 'utf8').split('\n');
    if (key !== String(this.seal.key)) return /^(null|[0-9a-f]{16})$/.test(key) ? 'it has another key' : CUT;
    const expected = this.seal.mark(database, line);
    const isMarked =
      mark.length === expected.length && timingSafeEqual(Buffer.from(mark), Buffer.from(expected));
    return (isMarked && manifestIn(line)) || CUT;
  }

  async #receive(database: string, options: FolderOptions, result: FolderResult): Promise<void> {
    const wait = (why: string) => void result.waiting.push({ database, why });
    const manifest = this.#manifest(database);
    if (manifest === undefined) return;
    if (typeof manifest === 'string') return wait(manifest);
    const peer = this.diary.peer(database, FOLDER);
    const { parts } = manifest;
    let first = this.#firstUnread(
      manifest,
      isDeepStrictEqual(peer.view, manifest.view) ? peer.received : undefined,
    );
    if (first === undefined) return;
    if (first === parts.length) first--;
    const missing = parts.slice(first).filter((part) => !this.#bytes(database, part));
    for (const part of parts.slice(first)) {
      const bytes = this.#bytes(database, part);
      // The position never passes what is missing.
      if (!bytes) break;
      const text = await this.seal.open(bytes);
      if (this.diary.header(text).database !== database) return wait('a file is that of another machine');
      const parcel = this.diary.read(text);
      result.taken.push(this.diary.receive([parcel], { acceptDeletions: options.acceptDeletions }));
      this.diary.setPeer(database, { received: part.to, view: manifest.view }, FOLDER);
    }
    if (missing.length > 0) wait(`${missing.length} of its files are not there, or not whole`);
  }

  /** The place of the first part to be read; after the last one where only what was erased is; undefined for none. */
  #firstUnread({ parts, erased }: Manifest, received: Position | undefined): number | undefined {
    if (!received) return 0;
    const next = parts.findIndex(({ from }) => isDeepStrictEqual(from, received));
    if (next >= 0) return next;
    if (!isDeepStrictEqual(parts.at(-1)?.to, received)) return 0;
    return erased > this.diary.collector().erased().length ? parts.length : undefined;
  }

  /** The content of a file that is there and whole. */
  #bytes(database: string, { file, sha256, bytes }: Part): Uint8Array | undefined {
    const path = this.#at(database, file);
    if (!existsSync(path)) return undefined;
    const content = readFileSync(path);
    return content.length === bytes && digestOf(content) === sha256 ? content : undefined;
  }

  /** Writes what is not in the folder yet; all of it where parts are missing, are many, or may hold too much. */
  async #tell(users: readonly number[] | undefined): Promise<number> {
    const { diary } = this;
    const collector = diary.collector(users);
    const [view, erased] = [collector.view(), collector.erased().length];
    const own = this.#own();
    const isFit =
      own &&
      typeof this.#manifest(diary.id) === 'object' &&
      isDeepStrictEqual(own.view, view) &&
      own.erased === erased &&
      own.parts.length < MOST_PARTS &&
      own.parts.every((part) => this.#bytes(diary.id, part));
    const parts = isFit ? [...own.parts] : [];
    mkdirSync(join(this.path, diary.id), { recursive: true });
    let written = 0;
    for (;;) {
      const from = parts.at(-1)?.to ?? START;
      const part = diary.part(collector, from);
      const isNothing = part.states.length === 0 && part.isLast && parts.length > 0;
      if (isNothing) break;
      const bytes = await this.seal.close(part.text);
      const file = `${digestOf(bytes).slice(0, 32)}.sciatica`;
      this.#write(file, bytes);
      parts.push({ file, sha256: digestOf(bytes), bytes: bytes.length, from, to: part.to });
      written += part.states.length;
      if (part.isLast) break;
    }
    if (isFit && parts.length === own.parts.length) return 0;
    const line = JSON.stringify({ parts, view, erased } satisfies Manifest);
    this.#write(MANIFEST, Buffer.from(`${line}\n${this.seal.mark(diary.id, line)}\n${this.seal.key}\n`));
    this.#removeOthers(new Set(parts.map(({ file }) => file)));
    return written;
  }

  #write(file: string, bytes: Uint8Array): void {
    const path = this.#at(this.diary.id, file);
    const temporary = temporaryName(join(this.path, this.diary.id));
    try {
      const open = openSync(temporary, 'wx', 0o600);
      try {
        writeFileSync(open, bytes);
        fsyncSync(open);
      } finally {
        closeSync(open);
      }
      renameSync(temporary, path);
    } finally {
      rmSync(temporary, { force: true });
    }
  }

  /** Removes the files of this machine that its manifest does not list: they may hold what was erased. */
  #removeOthers(files: ReadonlySet<string>): void {
    for (const name of readdirSync(join(this.path, this.diary.id)))
      if ((FILE.test(name) && !files.has(name)) || TEMPORARY.test(name))
        rmSync(this.#at(this.diary.id, name), { force: true });
  }
}

const CUT = 'its list of files is not whole';

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

function manifestIn(line: string): Manifest | undefined {
  const json = tryJson(line);
  const { parts, view, erased } = ('value' in json ? (json.value ?? {}) : {}) as Partial<Manifest>;
  const isWhole =
    Array.isArray(parts) &&
    parts.every(
      (part: Partial<Part> | null) =>
        FILE.test(String(part?.file)) && isPosition(part?.from) && isPosition(part?.to),
    ) &&
    (view === null || Array.isArray(view)) &&
    Number.isSafeInteger(erased);
  return isWhole ? { parts, view: view as Manifest['view'], erased: erased as number } : undefined;
}
