import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SERVER, type Step, type Weather, World } from './world.ts';

/** Whatever is done on three machines and behind the service, and whatever the connection does: in the end all hold the same. */

const weathers: Weather[] = ['fine', 'request lost', 'answer lost', 'twice', 'killed before', 'killed after'];
const machines = fc.integer({ min: 0, max: SERVER });
const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'log',
        'log',
        'log',
        'edit',
        'edit',
        'move',
        'delete',
        'undo',
        'goal',
        'routine',
        'user' as const,
      ),
      at: machines,
      pick: fc.nat(200),
    }) as fc.Arbitrary<Step>,
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constantFrom('delete user', 'erase' as const),
      at: machines,
      pick: fc.nat(200),
    }) as fc.Arbitrary<Step>,
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('sync' as const),
      at: fc.integer({ min: 0, max: SERVER - 1 }),
      weather: fc.array(
        fc.oneof({ weight: 3, arbitrary: fc.constant('fine' as const) }, fc.constantFrom(...weathers)),
        { maxLength: 25 },
      ),
    }) as fc.Arbitrary<Step>,
  },
);

/** All begin with the same user: whoever has none yet takes what is there. */
const begun = (): Step[] => [
  { do: 'user', at: SERVER, pick: 0 },
  { do: 'user', at: SERVER, pick: 0 },
  ...[0, 1, 2].map((at): Step => ({ do: 'sync', at, weather: [] })),
];

async function holds(sequence: readonly Step[], world = new World()): Promise<void> {
  for (const step of [...begun(), ...sequence]) await world.step(step);
  await world.settle();
  const expected = world.contents(SERVER);
  for (let at = 0; at < SERVER; at++) expect(world.contents(at)).toEqual(expected);
  const tags = expected.logs.map((line) =>
    String((JSON.parse(line) as { exerciseName: string }).exerciseName),
  );
  // No record twice, and none lost that nobody deleted.
  expect(new Set(tags).size).toBe(tags.length);
  const [left, deleted] = [new Set(tags), world.deleted()];
  if (world.erased.size === 0)
    expect([...world.made].filter((tag) => !left.has(tag) && !deleted.has(tag))).toEqual([]);
  for (const entry of world.entries(0))
    expect([entry.source, entry.caller]).toEqual(
      entry.source === 'sync' ? ['sync', 'machine 0'] : [entry.source, undefined],
    );
}

const RUNS = Number(process.env['SYNC_RUNS'] ?? 12);

test.each([
  ['without erasures', false],
  ['with erasures', true],
])(
  'all machines come to hold the same, nothing is lost and nothing is there twice, %s',
  async (_, mayErase) => {
    const sequences = fc.array(steps, { minLength: 10, maxLength: 40, size: 'max' });
    const seed = process.env['SYNC_SEED'];
    await fc.assert(
      fc.asyncProperty(sequences, (sequence) =>
        holds(mayErase ? sequence : sequence.filter((step) => step.do !== 'erase')),
      ),
      {
        numRuns: RUNS,
        endOnFailure: process.env['SYNC_SHRINK'] === undefined,
        ...(seed !== undefined && { seed: Number(seed) }),
      },
    );
  },
  3_600_000,
);
