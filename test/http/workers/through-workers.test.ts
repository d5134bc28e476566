import { vi } from 'vitest';
import '../formats.test.ts';
import '../insights.test.ts';
import '../lists.test.ts';

/** The same tests with every list and all statistics read by a worker thread, of the bundle in dist. */
vi.mock('../../../src/store/records/lists/cost.ts', () => ({
  isLong: () => true,
  hasManyEntries: () => true,
}));
