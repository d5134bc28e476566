import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import type { Pages } from './cells.ts';

/** Access to the pages of a database file and its log, whatever their state. */
interface PageFile {
  pages: Pages;
  count: number;
  close(): void;
}

/** Page size of our databases, in bytes. */
export const PAGE_BYTES = 4096;
const WAL_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/** Opens a database file to read its pages. A page in the write-ahead log takes precedence over the one in the file. */
export function openPages(path: string, size = pageSizeOf(path)): PageFile {
  const file = existsSync(path) ? openSync(path, 'r') : undefined;
  const log = openLog(`${path}-wal`);
  const frames = log?.pageSize === size ? log.frames : new Map<number, number>();
  const inFile = file === undefined ? 0 : Math.floor(fstatSync(file).size / size);
  // A truncated log may describe a smaller database than the one into which it was checkpointed before.
  const count = Math.max(inFile, log?.count ?? 0);
  const pages: Pages = (number) => {
    if (number < 1 || number > count) return undefined;
    const frame = frames.get(number);
    if (frame !== undefined && log) return pageAt(log.file, frame, size);
    return file === undefined ? undefined : pageAt(file, (number - 1) * size, size);
  };
  return {
    pages,
    count,
    close() {
      if (file !== undefined) closeSync(file);
      if (log) closeSync(log.file);
    },
  };
}

function pageAt(file: number, place: number, size: number): Buffer | undefined {
  const page = Buffer.alloc(size);
  try {
    return readSync(file, page, 0, size, place) === size ? page : undefined;
  } catch (error) {
    // A bad sector loses only its own page.
    if ((error as NodeJS.ErrnoException).code === 'EIO') return undefined;
    throw error;
  }
}

/** The page size in the header of a file, in bytes; our own if the header has no valid one. */
export function pageSizeOf(path: string): number {
  if (!existsSync(path)) return PAGE_BYTES;
  const file = openSync(path, 'r');
  const header = Buffer.alloc(18);
  try {
    readSync(file, header, 0, header.length, 0);
  } finally {
    closeSync(file);
  }
  const size = header.readUInt16BE(16);
  return validSize(size === 1 ? 65_536 : size) ?? PAGE_BYTES;
}

function validSize(size: number): number | undefined {
  return size >= 512 && size <= 65_536 && (size & (size - 1)) === 0 ? size : undefined;
}

interface Log {
  file: number;
  pageSize: number;
  /** Offset of the newest committed version of each page, in bytes. */
  frames: Map<number, number>;
  count: number;
}

/** The committed pages of a write-ahead log (https://sqlite.org/fileformat2.html#the_write_ahead_log). */
function openLog(path: string): Log | undefined {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return undefined;
  }
  const header = Buffer.alloc(WAL_HEADER_BYTES);
  const pageSize =
    readSync(file, header, 0, header.length, 0) === header.length ? validSize(header.readUInt32BE(8)) : 0;
  const magic = header.readUInt32BE(0);
  const sum = checksum(header.subarray(0, 24), magic === 0x377f0683);
  const isLog =
    (magic & ~1) === 0x377f0682 && sum[0] === header.readUInt32BE(24) && sum[1] === header.readUInt32BE(28);
  if (!pageSize || !isLog) {
    closeSync(file);
    return undefined;
  }
  return { file, pageSize, ...committed(file, header, pageSize) };
}

/** Follows the chain of salts and checksums to the last complete transaction. */
function committed(file: number, header: Buffer, pageSize: number): Pick<Log, 'frames' | 'count'> {
  const bigEndian = header.readUInt32BE(0) === 0x377f0683;
  const frames = new Map<number, number>();
  const pending = new Map<number, number>();
  const frame = Buffer.alloc(FRAME_HEADER_BYTES + pageSize);
  let sum: Sum = [header.readUInt32BE(24), header.readUInt32BE(28)];
  let count = 0;
  for (
    let at = WAL_HEADER_BYTES;
    readSync(file, frame, 0, frame.length, at) === frame.length;
    at += frame.length
  ) {
    if (frame.compare(header, 16, 24, 8, 16) !== 0) break;
    sum = checksum(frame.subarray(0, 8), bigEndian, sum);
    sum = checksum(frame.subarray(FRAME_HEADER_BYTES), bigEndian, sum);
    if (sum[0] !== frame.readUInt32BE(16) || sum[1] !== frame.readUInt32BE(20)) break;
    pending.set(frame.readUInt32BE(0), at + FRAME_HEADER_BYTES);
    const pagesAfterCommit = frame.readUInt32BE(4);
    if (pagesAfterCommit === 0) continue;
    for (const [page, place] of pending) frames.set(page, place);
    pending.clear();
    count = pagesAfterCommit;
  }
  return { frames, count };
}

type Sum = [number, number];

/** https://sqlite.org/fileformat2.html#checksum_algorithm */
function checksum(bytes: Buffer, bigEndian: boolean, [first, second]: Sum = [0, 0]): Sum {
  let [a, b] = [first, second];
  for (let i = 0; i < bytes.length; i += 8) {
    a = (a + (bigEndian ? bytes.readUInt32BE(i) : bytes.readUInt32LE(i)) + b) >>> 0;
    b = (b + (bigEndian ? bytes.readUInt32BE(i + 4) : bytes.readUInt32LE(i + 4)) + a) >>> 0;
  }
  return [a, b];
}
