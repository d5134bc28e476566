import { expect, test } from 'vitest';
import { round } from '../../src/insights/numbers.ts';

test.each([
  [-0.00004, 0],
  [1.00005, 1.0001],
  [-2.33333, -2.3333],
])('%d is published as %d', (value, published) => expect(round(value)).toBe(published));
