/** Reads the rows of a table-leaf page (https://sqlite.org/fileformat2.html#b_tree_pages). */

export type Cell = string | number | null | Buffer;

export interface Row {
  id: number;
  /** In table order; the id column itself is stored as null. */
  values: Cell[];
}

/** Reads a page by its number, from 1; undefined if there is none. */
export type Pages = (number: number) => Buffer | undefined;

const TABLE_LEAF = 0x0d;
/** The first page begins with the 100-byte file header. */
const HEADER_BYTES = 100;
/** In bytes: our longest record has notes of 10,000 characters of up to 4 bytes; a far longer payload is garbage. */
const MAX_PAYLOAD = 1_000_000;

/** The readable rows of a page, and the number of unreadable ones; none if it is no table leaf page. */
export function rowsOf(number: number, pages: Pages): { rows: Row[]; broken: number } {
  const page = pages(number);
  const start = number === 1 ? HEADER_BYTES : 0;
  if (page?.[start] !== TABLE_LEAF) return { rows: [], broken: 0 };
  const rows: Row[] = [];
  let broken = 0;
  const count = page.readUInt16BE(start + 3);
  for (let i = 0; i < count; i++) {
    const pointer = start + 8 + 2 * i;
    if (pointer + 2 > page.length) break;
    const row = rowAt(page, page.readUInt16BE(pointer), pages);
    if (row) rows.push(row);
    else broken += 1;
  }
  return { rows, broken };
}

function rowAt(page: Buffer, offset: number, pages: Pages): Row | undefined {
  try {
    const [size, afterSize] = varint(page, offset);
    const [id, start] = varint(page, afterSize);
    if (size < 1 || size > MAX_PAYLOAD || id < 1) return undefined;
    const values = valuesOf(payloadOf(page, start, size, pages));
    return values && { id, values };
  } catch (error) {
    // A length or a pointer leads out of the page.
    if (error instanceof RangeError || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Joins a payload with its overflow pages (https://sqlite.org/fileformat2.html#cell_payload_overflow_pages). */
function payloadOf(page: Buffer, start: number, size: number, pages: Pages): Buffer {
  const usable = page.length;
  const most = usable - 35;
  if (size <= most) return slice(page, start, size);
  const least = Math.floor(((usable - 12) * 32) / 255) - 23;
  const fitting = least + ((size - least) % (usable - 4));
  const local = fitting <= most ? fitting : least;
  const parts = [slice(page, start, local)];
  let next = page.readUInt32BE(start + local);
  for (let left = size - local; left > 0; ) {
    const overflow = pages(next);
    if (!overflow) throw new RangeError('The chain of overflow pages is broken.');
    const part = slice(overflow, 4, Math.min(left, usable - 4));
    parts.push(part);
    left -= part.length;
    next = overflow.readUInt32BE(0);
    // A chain that is too long or too short belongs to another row.
    if (left > 0 === (next === 0)) throw new RangeError('The chain of overflow pages is broken.');
  }
  return Buffer.concat(parts);
}

function slice(page: Buffer, start: number, size: number): Buffer {
  if (start + size > page.length) throw new RangeError('The row leads out of its page.');
  return page.subarray(start, start + size);
}

/** Decodes the record format (https://sqlite.org/fileformat2.html#record_format); undefined if lengths do not add up. */
function valuesOf(payload: Buffer): Cell[] | undefined {
  const [headerSize, first] = varint(payload, 0);
  const values: Cell[] = [];
  let body = headerSize;
  let at = first;
  while (at < headerSize) {
    const [type, next] = varint(payload, at);
    at = next;
    const size = sizeOf(type);
    if (size === undefined || body + size > payload.length) return undefined;
    values.push(decoded(type, payload.subarray(body, body + size)));
    body += size;
  }
  return at === headerSize && body === payload.length ? values : undefined;
}

const INTEGER_SIZES = [0, 1, 2, 3, 4, 6, 8] as const;

/** The size of a serial type, in bytes; undefined for a reserved one. */
function sizeOf(type: number): number | undefined {
  if (type <= 6) return INTEGER_SIZES[type];
  if (type === 7) return 8;
  if (type === 8 || type === 9) return 0;
  return type >= 12 ? Math.floor((type - 12) / 2) : undefined;
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decoded(type: number, bytes: Buffer): Cell {
  if (type === 0) return null;
  if (type === 8 || type === 9) return type - 8;
  if (type === 6) return Number(bytes.readBigInt64BE());
  if (type < 6) return bytes.readIntBE(0, bytes.length);
  if (type === 7) return bytes.readDoubleBE();
  if (type % 2 === 0) return bytes;
  return strict.decode(bytes);
}

/** Decodes a varint of 1 to 9 bytes: a high bit, except the ninth's, says that more follow. @returns value and end offset */
function varint(bytes: Buffer, start: number): [value: number, end: number] {
  let value = 0n;
  for (let i = 0; i < 9; i++) {
    const byte = bytes.readUInt8(start + i);
    value = i === 8 ? (value << 8n) | BigInt(byte) : (value << 7n) | BigInt(byte & 0x7f);
    if (i === 8 || byte < 0x80) return [Number(BigInt.asIntN(64, value)), start + i + 1];
  }
  throw new RangeError('Unreachable: a varint has nine bytes at most.');
}
