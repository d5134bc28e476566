import { Random } from './random.ts';

const HEADER_BYTES = 100;
const SECTOR_BYTES = 512;

/** Ways in which a file goes bad. Each changes the bytes, or gives others in their place. */
const ways: readonly [Way, ...Way[]] = [
  (bytes, random) => flipped(bytes, random, 0.004),
  (bytes, random) => flipped(bytes, random, 0.0004),
  (bytes, random) => flipped(bytes, random, 0.00004),
  // The header alone, where each byte says how all others are to be read.
  (bytes, random) => Buffer.concat([flipped(head(bytes), random, 0.02), bytes.subarray(HEADER_BYTES)]),
  (bytes, random) => {
    bytes[random.below(HEADER_BYTES)] = random.below(256);
    return bytes;
  },
  (bytes, random) => bytes.subarray(0, random.below(bytes.length)),
  (bytes, random) => bytes.subarray(0, random.below(2 * HEADER_BYTES)),
  // Two pages in each other's place.
  (bytes, random) => {
    const [a, b] = [0, 0].map(() => 4096 * random.below(bytes.length / 4096)) as [number, number];
    const page = Buffer.from(bytes.subarray(a, a + 4096));
    bytes.copy(bytes, a, b, b + 4096);
    page.copy(bytes, b);
    return bytes;
  },
  // One bit of the schema, which may still be SQL.
  (bytes, random) => {
    const objects = [...bytes.toString('latin1').matchAll(/CREATE [A-Z]+ \w+/g)];
    const at = (objects[random.below(objects.length)]?.index ?? 0) + random.below(700);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(7));
    return bytes;
  },
  // A sector that was never written.
  (bytes, random) => bytes.fill(0, ...sector(random.below(bytes.length / SECTOR_BYTES))),
];

type Way = (bytes: Buffer, random: Random) => Buffer;

const sector = (n: number): [number, number] => [n * SECTOR_BYTES, (n + 1) * SECTOR_BYTES];
const head = (bytes: Buffer) => bytes.subarray(0, HEADER_BYTES);

/** As zzuf does it: so many of the bits are turned over. */
function flipped(bytes: Buffer, random: Random, ratio: number): Buffer {
  for (let left = Math.max(1, Math.round(bytes.length * 8 * ratio)); left > 0; left--) {
    const at = random.below(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
  }
  return bytes;
}

/**
 * A damaged copy of a file, the same for the same seed.
 * @param seed from 0; those that follow each other go through the ways of damage in turn
 */
export function damagedCopy(file: Buffer, seed: number): Buffer {
  const way = ways[seed % ways.length] ?? ways[0];
  return file.length === 0 ? file : way(Buffer.from(file), new Random(seed));
}
