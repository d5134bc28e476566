import { expect, test } from 'vitest';
import { sized } from '../../src/lib/size.ts';

test.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [1_000, '1.0 KB'],
  [999_600, '1.0 MB'],
  [27_600_000, '28 MB'],
  [5e15, '5000 TB'],
])('%i bytes are %s', (bytes, text) => expect(sized(bytes)).toBe(text));
