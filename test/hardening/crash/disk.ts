import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Random } from '../random.ts';
import type { Event } from './trace.ts';

/** A change of a file's bytes that the disk may not have yet. */
type Change = { at: number; bytes: Buffer } | { size: number };

/** What a file holds for certain, and what may come. */
interface Inode {
  durable: Buffer;
  pending: Change[];
}

/** A name that comes, or goes: nothing, for a name that is removed. */
interface Naming {
  name: string;
  inode: Inode | undefined;
}

/** How much of what was not synced the disk has at a crash. */
export const outcomes = ['all', 'nothing', 'some', 'torn', 'reordered', 'last lost'] as const;
export type Outcome = (typeof outcomes)[number];

const SECTOR = 512;

/**
 * The files of a folder as a disk may have them: what was synced for certain, of the rest any part. Names become durable in
 * order, at the latest with the next sync of any file, as in the journals of ext4, XFS and APFS.
 */
export class Disk {
  #names = new Map<string, Inode>();
  #durableNames = new Map<string, Inode>();
  #pendingNames: Naming[] = [];

  apply(event: Event): void {
    switch (event.kind) {
      case 'create':
        this.#at(event.path);
        break;
      case 'write':
        this.#at(event.path).pending.push({ at: event.at, bytes: event.bytes });
        break;
      case 'append': {
        const inode = this.#at(event.path);
        inode.pending.push({ at: present(inode).length, bytes: event.bytes });
        break;
      }
      case 'copy': {
        const inode = this.#at(event.path);
        const source = this.#names.get(event.from);
        if (!source) throw new Error(`${event.from} is not known.`);
        const at = present(inode).length;
        inode.pending.push({ at, bytes: present(source).subarray(at, at + event.length) });
        break;
      }
      case 'truncate':
        this.#at(event.path).pending.push({ size: event.size });
        break;
      case 'sync': {
        for (const { name, inode } of this.#pendingNames.splice(0)) setName(this.#durableNames, name, inode);
        const inode = this.#names.get(event.path);
        if (inode) [inode.durable, inode.pending] = [present(inode), []];
        break;
      }
      case 'unlink':
        this.#name(event.path, undefined);
        break;
      case 'link':
        this.#name(event.to, this.#at(event.path));
        break;
      case 'rename': {
        const inode = this.#at(event.path);
        this.#name(event.to, inode);
        this.#name(event.path, undefined);
      }
    }
  }

  /** How many changes the disk may not have. */
  get pending(): number {
    let count = this.#pendingNames.length;
    for (const { pending } of new Set(this.#names.values())) count += pending.length;
    return count;
  }

  /** Writes what is there after a crash into a new folder. */
  leave(folder: string, outcome: Outcome, random: Random): void {
    mkdirSync(folder);
    const names = new Map(this.#durableNames);
    const kept =
      outcome === 'all'
        ? this.#pendingNames.length
        : outcome === 'nothing'
          ? 0
          : random.below(this.#pendingNames.length + 1);
    for (const { name, inode } of this.#pendingNames.slice(0, kept)) setName(names, name, inode);
    for (const [name, { durable, pending }] of names)
      writeFileSync(join(folder, basename(name)), after(durable, surviving(pending, outcome, random)), {
        mode: 0o600,
      });
  }

  #at(path: string): Inode {
    let inode = this.#names.get(path);
    if (!inode) {
      inode = { durable: Buffer.alloc(0), pending: [] };
      this.#name(path, inode);
    }
    return inode;
  }

  #name(name: string, inode: Inode | undefined): void {
    setName(this.#names, name, inode);
    this.#pendingNames.push({ name, inode });
  }
}

function setName(names: Map<string, Inode>, name: string, inode: Inode | undefined): void {
  if (inode) names.set(name, inode);
  else names.delete(name);
}

const present = ({ durable, pending }: Inode) => after(durable, pending);

function after(bytes: Buffer, changes: readonly Change[]): Buffer {
  let result = Buffer.from(bytes);
  for (const change of changes) {
    const size = 'size' in change ? change.size : Math.max(result.length, change.at + change.bytes.length);
    if (size !== result.length) result = Buffer.concat([result.subarray(0, size)], size);
    if ('bytes' in change) change.bytes.copy(result, change.at);
  }
  return result;
}

function surviving(pending: readonly Change[], outcome: Outcome, random: Random): Change[] {
  switch (outcome) {
    case 'all':
      return [...pending];
    case 'nothing':
      return [];
    case 'some':
      return pending.filter(() => random.below(2) === 0);
    case 'last lost':
      return pending.slice(0, -1);
    case 'torn':
      return pending.map((change) => ('bytes' in change ? torn(change, random) : change));
    case 'reordered': {
      const rest = [...pending];
      const order: Change[] = [];
      while (rest.length > 0) order.push(...rest.splice(random.below(rest.length), 1));
      return order.slice(0, random.below(order.length + 1));
    }
  }
}

/** The first sectors of a write, or the last. */
function torn({ at, bytes }: { at: number; bytes: Buffer }, random: Random): Change {
  const cut = SECTOR * random.below(Math.floor(bytes.length / SECTOR) + 1);
  return random.below(2) === 0
    ? { at, bytes: bytes.subarray(0, cut) }
    : { at: at + cut, bytes: bytes.subarray(cut) };
}
