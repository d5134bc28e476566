import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { unusable } from '../domain/errors.ts';
import { UUID } from '../domain/origin.ts';
import { isAbandoned, writeWhole } from '../lib/files.ts';
import { tryJson } from '../lib/strict-json.ts';
import type { Position } from '../store/reconcile/collect.ts';
import { isPosition } from '../store/reconcile/parcel.ts';
import type { Name } from '../store/reconcile/state.ts';
import type { FolderCipher } from './cipher.ts';

/**
 * The files of a folder that something else carries from machine to machine. Each machine has a folder of its own in it, named as
 * the UUID of its database: parts, and a manifest that lists them and is written last. No machine writes into that of another.
 */

/** A file with the states between two positions of a machine. Its name has no meaning; its digest is checked. */
export interface Part {
  file: string;
  sha256: string;
  bytes: number;
  from: Position;
  to: Position;
}

export interface Manifest {
  parts: Part[];
  /** How many of the parts, from the first, were there when all was last written anew; later ones follow. */
  base: number;
  /** The names of the users whose records are written, with the numbers of databases of that machine; null for all. */
  view: readonly Name[] | null;
  /** How many erasures the machine knew when it wrote: of all users, and of those in the view. */
  erased: number;
  told: number;
}

const MANIFEST = 'manifest.json';
const FILE = /^[0-9a-f]{32}\.sciatica$/;
/** As `FolderCipher.id`. */
const KEY = /^(null|[0-9a-f]{16})$/;
/** Matches conflicting copies that a carrier makes, too: “manifest (conflicted copy).json”. */
const OURS = /^(manifest|[0-9a-f]{32})/;
/** The longest manifest, in bytes. */
const MOST_OF_MANIFEST = 1024 * 1024;

/** The keys of the machines of a folder, as `FolderCipher.id`. A machine that is not used any more may have a former one. */
export function keysIn(path: string): string[] {
  const machines = readdirSync(path).filter((name) => UUID.test(name));
  const keys = machines.map((name) => contentOf(join(path, name, MANIFEST), MOST_OF_MANIFEST)?.toString());
  return keys.map((text) => text?.split('\n')[2] ?? '').filter((key) => KEY.test(key));
}

/** The content of a file; undefined for one of more than `most` bytes, or no regular file: a pipe would never end. */
function contentOf(path: string, most: number): Buffer | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() && found.size <= most ? readFileSync(path) : undefined;
}

/** Reads and writes the files of a folder. Throws the errors of the file system as they are. */
export class FolderFiles {
  /** @param id the UUID of the database of this machine, which may change */
  constructor(
    readonly path: string,
    private readonly cipher: FolderCipher,
    private readonly id: () => string,
  ) {}

  #at = (database: string, file: string): string => join(this.path, database, file);

  machines(): string[] {
    const found = readdirSync(this.path, { withFileTypes: true });
    return found
      .filter((one) => one.isDirectory() && UUID.test(one.name) && one.name !== this.id())
      .map(({ name }) => name)
      .sort();
  }

  /** A text that is another one once files of other machines have changed. */
  signature(): string {
    const lines = this.machines().flatMap((database) =>
      readdirSync(join(this.path, database)).map((name) => {
        const found = lstatSync(this.#at(database, name), { throwIfNoEntry: false });
        return `${database} ${name} ${found?.size} ${found?.mtimeMs}`;
      }),
    );
    return lines.join('\n');
  }

  /** @throws SciaticaError `unusable` for a folder without any such files: it may be where a stick or a share is not connected */
  requireSome(): void {
    if (existsSync(this.#at(this.id(), MANIFEST)) || this.machines().length > 0) return;
    throw unusable(
      `There are no files of sciatica in ${this.path}: is the stick or the share connected? If they were removed on purpose, remove the remote and add it again.`,
    );
  }

  /** Makes the folder of this machine, but not the one around it, which may be where a stick is not connected. */
  makeOwn(): void {
    const own = join(this.path, this.id());
    const found = lstatSync(own, { throwIfNoEntry: false });
    if (!found) mkdirSync(own, 0o700);
    // A symbolic link could lead anywhere, and a carrier may copy one.
    else if (!found.isDirectory()) throw unusable(`${own} is no folder: remove it. Nothing was written.`);
  }

  /** The manifest of a machine, and whether it was authenticated with the key of here; undefined if there is none. */
  #read(database: string): { manifest: Manifest | undefined; key: string; isSealed: boolean } | undefined {
    const text = contentOf(this.#at(database, MANIFEST), MOST_OF_MANIFEST)?.toString();
    if (text === undefined) return undefined;
    const [line = '', mark = '', key = ''] = text.split('\n');
    const isSealed = key === this.cipher.id && this.cipher.isMark(mark, database, line);
    return { manifest: manifestIn(line), key, isSealed };
  }

  /** The manifest of this machine, under any key: nobody else writes it. @throws SciaticaError `unusable` if it is not whole */
  own(): (Manifest & { isSealed: boolean }) | undefined {
    const found = this.#read(this.id());
    if (!found) return undefined;
    const { manifest, isSealed } = found;
    if (manifest) return { ...manifest, isSealed };
    throw unusable(
      `${this.#at(this.id(), MANIFEST)} is not whole: wait until it is carried, or remove it. Nothing was written.`,
    );
  }

  /** @returns the manifest of a machine, or a text that says why it cannot be read for now; undefined if there is none yet */
  manifest(database: string): Manifest | string | undefined {
    const found = this.#read(database);
    if (!found) return undefined;
    const { manifest, key, isSealed } = found;
    if (key !== this.cipher.id && KEY.test(key)) return `${OTHER_KEY} ${join(this.path, database)}`;
    return (isSealed && manifest) || CUT;
  }

  /** The content of a part; undefined unless it is there and whole. */
  bytes(database: string, { file, sha256, bytes }: Part): Uint8Array | undefined {
    const content = contentOf(this.#at(database, file), bytes);
    return content?.length === bytes && digestOf(content) === sha256 ? content : undefined;
  }

  /** Whether a part of this machine is there, with its whole length. */
  has({ file, bytes }: Part): boolean {
    return lstatSync(this.#at(this.id(), file), { throwIfNoEntry: false })?.size === bytes;
  }

  async writePart(text: string, from: Position, to: Position): Promise<Part> {
    const bytes = await this.cipher.close(text);
    const sha256 = digestOf(bytes);
    const file = `${sha256.slice(0, 32)}.sciatica`;
    writeWhole(this.#at(this.id(), file), bytes);
    return { file, sha256, bytes: bytes.length, from, to };
  }

  writeManifest(manifest: Manifest): void {
    const id = this.id();
    const line = JSON.stringify(manifest);
    const { cipher } = this;
    writeWhole(this.#at(id, MANIFEST), `${line}\n${cipher.mark(id, line)}\n${cipher.id}\n`);
  }

  remove(database: string): void {
    rmSync(join(this.path, database), { recursive: true, force: true });
  }

  /**
   * Removes the files of this machine that its manifest does not list, and conflicting copies that a carrier made: they may hold
   * what was erased.
   */
  removeOthers(files: ReadonlySet<string>): void {
    for (const name of readdirSync(join(this.path, this.id())))
      if ((OURS.test(name) && name !== MANIFEST && !files.has(name)) || isAbandoned(name))
        rmSync(this.#at(this.id(), name), { force: true });
  }
}

const OTHER_KEY =
  'it has another key of the folder: sciatica remote key shows it there, and sets it here. If that machine is not used any more, delete';
const CUT = 'its list of files is not whole yet';

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** The manifest in a line of JSON; undefined if it is not valid. */
function manifestIn(line: string): Manifest | undefined {
  const json = tryJson(line);
  const {
    parts,
    base,
    view,
    erased,
    // Manifests of earlier versions do not have it.
    told = erased,
  } = ('value' in json ? (json.value ?? {}) : {}) as Partial<Manifest>;
  const isWhole =
    Array.isArray(parts) &&
    parts.every(
      (part: Partial<Part> | null) =>
        FILE.test(String(part?.file)) && isPosition(part?.from) && isPosition(part?.to),
    ) &&
    (view === null || Array.isArray(view)) &&
    Number.isSafeInteger(base) &&
    Number.isSafeInteger(erased) &&
    Number.isSafeInteger(told);
  return isWhole ? ({ parts, base, view, erased, told } as Manifest) : undefined;
}
