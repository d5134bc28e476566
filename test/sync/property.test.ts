import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SERVER, type Step, type Weather, World } from './world.ts';

/** Whatever is done on three machines and behind the service, and whatever the connection does: in the end all hold the same. */

const weathers: Weather[] = [
  'request lost',
  'answer lost',
  'twice',
  'killed before',
  'killed after',
  'meanwhile',
  'meanwhile',
];
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
        'restore',
        'goal',
        'routine',
        'pain',
        'trial',
        'trial day',
        'end trial',
        'user' as const,
      ),
      at: machines,
      pick: fc.nat(200),
    }) as fc.Arbitrary<Step>,
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constantFrom('delete user', 'merge', 'erase' as const),
      at: machines,
      pick: fc.nat(200),
    }) as fc.Arbitrary<Step>,
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constantFrom('export', 'copy', 'set back', 'accept', 'keep' as const),
      at: machines,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.oneof(
      fc.record({ do: fc.constant('clone' as const), at: machines, pick: fc.nat(200) }),
      fc.record({
        do: fc.constant('clock' as const),
        at: machines,
        hours: fc.constantFrom(-24_000, -2, 0, 2, 24_000),
      }),
    ),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('folder' as const), at: machines }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('import' as const),
      at: machines,
      // Mostly the latest.
      pick: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(5)),
    }),
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
  try {
    await check(sequence, world);
  } finally {
    world.close();
  }
}

async function check(sequence: readonly Step[], world: World): Promise<void> {
  for (const step of [...begun(), ...sequence]) await world.step(step);
  await world.settle();
  const expected = world.contents(SERVER);
  for (const at of [0, 1, 2, await world.join()]) expect([at, world.contents(at)]).toEqual([at, expected]);
  const tags = expected.logs.map((line) =>
    String((JSON.parse(line) as { exerciseName: string }).exerciseName),
  );
  const emails = expected.users.map((line) => (JSON.parse(line) as { email: string }).email);
  for (const names of [tags, emails]) expect(names.filter((name, i) => names.indexOf(name) < i)).toEqual([]);
  // None is lost that nobody deleted, or erased with a user whose it was.
  const [left, deleted] = [world.tags(SERVER), world.deleted()];
  const isLost = (tag: string) => !left.has(tag) && !deleted.has(tag) && !world.wasErased(tag);
  if (!world.isSetBack) expect([...world.made].filter(isLost)).toEqual([]);
  // A copy has the history of the machine that it is of.
  if (!world.isSetBack)
    for (const { source, caller } of world.entries(0))
      expect(`${source} ${caller}`).toMatch(source === 'sync' ? /^sync (machine 0|folder)$/ : / undefined$/);
}

const RUNS = Number(process.env['SYNC_RUNS'] ?? 40);

const sequences = fc.array(steps, { minLength: 10, maxLength: 40, size: 'max' });
const withoutErasures = (sequence: readonly Step[]) => sequence.filter((step) => step.do !== 'erase');

test.each([
  ['without erasures', withoutErasures],
  ['with erasures', (sequence: readonly Step[]) => sequence],
])(
  'all machines come to hold the same, nothing is lost and nothing is there twice, %s',
  async (_, filtered) => {
    const seed = process.env['SYNC_SEED'];
    await fc.assert(
      fc.asyncProperty(sequences, (sequence) => holds(filtered(sequence))),
      { numRuns: RUNS, endOnFailure: true, ...(seed !== undefined && { seed: Number(seed) }) },
    );
  },
  3_600_000,
);

const steady = (at: number): Step => ({ do: 'sync', at, weather: [] });

const one = (what: 'log' | 'edit', at: number): Step => ({ do: what, at, pick: 0 });

/** Gives the first log to the second user. */
const moved = (at: number): Step => ({ do: 'move', at, pick: 8 });

/** Found by the property, kept as the shortest that shows it. */
const found: [what: string, steps: Step[]][] = [
  [
    'a goal is made here for a user who is merged into another there, and told in a folder too',
    [
      { do: 'merge', at: 1, pick: 200 },
      { do: 'goal', at: 2, pick: 26 },
      { do: 'folder', at: SERVER },
    ],
  ],
  [
    'a user is deleted here, and merged into another there',
    [
      { do: 'delete user', at: 0, pick: 1 },
      { do: 'log', at: SERVER, pick: 1 },
      { do: 'merge', at: SERVER, pick: 1 },
      steady(0),
    ],
  ],
  [
    'a user is merged into another there, and brought back here as one of its own',
    [
      { do: 'merge', at: 1, pick: 1 },
      { do: 'log', at: 0, pick: 1 },
      steady(1),
      steady(0),
      { do: 'restore', at: 0, pick: 0 },
      steady(0),
    ],
  ],
  [
    'a user is merged into another there, brought back by one machine, and deleted by another',
    [
      { do: 'merge', at: 2, pick: 1 },
      steady(2),
      { do: 'log', at: 1, pick: 1 },
      steady(1),
      { do: 'delete user', at: 0, pick: 1 },
      { do: 'restore', at: 1, pick: 0 },
    ],
  ],
  [
    'a user into whom another was merged is deleted here',
    [
      { do: 'user', at: SERVER, pick: 0 },
      steady(0),
      { do: 'log', at: 0, pick: 1 },
      { do: 'merge', at: 0, pick: 1 },
      steady(0),
      steady(1),
      { do: 'delete user', at: 0, pick: 0 },
      steady(0),
    ],
  ],
  [
    'a user is deleted here and merged there, and the file that says both comes to a machine that knows neither',
    [
      { do: 'user', at: SERVER, pick: 0 },
      steady(0),
      steady(1),
      { do: 'delete user', at: 0, pick: 0 },
      { do: 'merge', at: SERVER, pick: 18 },
      steady(0),
      { do: 'export', at: 0 },
      { do: 'import', at: 1, pick: 0 },
    ],
  ],
  [
    'a log is given to a user whose deletion is held back, while that of another user is held back there',
    [
      { do: 'user', at: SERVER, pick: 0 },
      steady(0),
      steady(1),
      { do: 'delete user', at: 1, pick: 0 },
      { do: 'export', at: 1 },
      { do: 'import', at: 0, pick: 0 },
      { do: 'log', at: 0, pick: 2 },
      steady(0),
      { do: 'delete user', at: 0, pick: 1 },
      steady(1),
      { do: 'move', at: 0, pick: 0 },
    ],
  ],
  [
    'a user into whom another was merged here is deleted there, which is held back here',
    [
      { do: 'user', at: SERVER, pick: 0 },
      steady(0),
      { do: 'merge', at: 0, pick: 66 },
      { do: 'delete user', at: SERVER, pick: 68 },
      { do: 'export', at: SERVER },
      { do: 'import', at: 0, pick: 0 },
    ],
  ],
  [
    'a user into whom another was merged here and whose deletion is held back turns out to be one with a third',
    [
      { do: 'user', at: SERVER, pick: 0 },
      ...[0, 1, 2].map(steady),
      { do: 'merge', at: 0, pick: 80 },
      { do: 'delete user', at: SERVER, pick: 0 },
      { do: 'merge', at: 2, pick: 55 },
      { do: 'delete user', at: SERVER, pick: 0 },
      steady(0),
      { do: 'export', at: 2 },
      { do: 'import', at: 0, pick: 0 },
    ],
  ],
  [
    'a user whose deletion is held back here is deleted here too',
    [
      { do: 'delete user', at: SERVER, pick: 0 },
      { do: 'log', at: 0, pick: 0 },
      steady(0),
      { do: 'delete user', at: 0, pick: 0 },
    ],
  ],
  [
    'a user whose deletion is held back here comes back there, and is deleted again',
    [
      { do: 'log', at: SERVER, pick: 0 },
      steady(0),
      steady(1),
      { do: 'delete user', at: 1, pick: 0 },
      steady(1),
      steady(0),
      { do: 'restore', at: 1, pick: 1 },
      steady(1),
      steady(0),
      { do: 'delete user', at: 1, pick: 0 },
    ],
  ],
  [
    'a log is given to a user here who is deleted then, and the deletion of the user is held back there',
    [
      { do: 'log', at: SERVER, pick: 1 },
      steady(0),
      moved(0),
      { do: 'delete user', at: 0, pick: 0 },
      steady(0),
    ],
  ],
  [
    'a sync that brought a user and the goal of another is undone here, and the deletion of the user is held back there',
    [
      { do: 'user', at: SERVER, pick: 1 },
      { do: 'goal', at: SERVER, pick: 49 },
      steady(1),
      { do: 'undo', at: 1, pick: 1 },
      steady(1),
    ],
  ],
  [
    'a routine there goes, after it was met with one of the same name here',
    [
      { do: 'routine', at: SERVER, pick: 29 },
      { do: 'routine', at: 0, pick: 97 },
      steady(0),
      { do: 'undo', at: SERVER, pick: 0 },
      steady(0),
    ],
  ],
  [
    'a log is moved away here, and its user deleted there',
    [
      { do: 'log', at: SERVER, pick: 1 },
      steady(0),
      { do: 'move', at: 0, pick: 0 },
      { do: 'delete user', at: SERVER, pick: 1 },
      steady(0),
    ],
  ],
  [
    'what waits for a decision has gone with somebody who was erased there',
    [
      { do: 'delete user', at: 2, pick: 1 },
      { do: 'log', at: SERVER, pick: 1 },
      steady(2),
      { do: 'move', at: SERVER, pick: 0 },
      { do: 'erase', at: SERVER, pick: 0 },
    ],
  ],
  [
    'a user is deleted here, with a log there from before and a routine from after',
    [
      { do: 'log', at: SERVER, pick: 1 },
      { do: 'delete user', at: 1, pick: 1 },
      { do: 'routine', at: SERVER, pick: 1 },
    ],
  ],
  [
    'a log is deleted there, and changed here by two machines',
    [
      { do: 'log', at: SERVER, pick: 1 },
      ...[0, 1, 2].map(steady),
      { do: 'delete', at: SERVER, pick: 0 },
      ...[0, 1, 2].map((at) => one('edit', at)),
    ],
  ],
  [
    'a log is deleted there, brought back by one machine, and taken over as new by another before that has decided',
    [
      { do: 'log', at: SERVER, pick: 1 },
      ...[0, 1].map(steady),
      { do: 'delete', at: SERVER, pick: 0 },
      ...[0, 1].map((at) => one('edit', at)),
      { do: 'sync', at: 0, weather: [] },
      steady(1),
      { do: 'edit', at: 1, pick: 1 },
    ],
  ],
  [
    'a log is deleted there, and two machines are killed after each of the requests that bring it back',
    [
      { do: 'log', at: SERVER, pick: 1 },
      ...[0, 1].map(steady),
      { do: 'delete', at: SERVER, pick: 0 },
      ...[0, 1].map((at) => one('edit', at)),
      ...[0, 1].flatMap((at) =>
        [2, 3, 4, 5, 6, 7].map((count): Step => {
          const weather: Weather[] = [...Array<Weather>(count).fill('fine'), 'killed after'];
          return { do: 'sync', at, weather };
        }),
      ),
    ],
  ],
  [
    'a user is deleted there with a log, and two machines have changed it and made others',
    [
      { do: 'log', at: SERVER, pick: 1 },
      { do: 'routine', at: SERVER, pick: 1 },
      { do: 'goal', at: SERVER, pick: 1 },
      ...[0, 1].map(steady),
      { do: 'delete user', at: SERVER, pick: 1 },
      ...[0, 1].flatMap((at): Step[] => [
        one('edit', at),
        { do: 'log', at, pick: 1 },
        { do: 'routine', at, pick: 0 },
      ]),
      { do: 'sync', at: 0, weather: [] },
      steady(1),
    ],
  ],
  [
    'a log is deleted there with its user, changed by one machine and moved away by another',
    [
      { do: 'log', at: SERVER, pick: 1 },
      ...[0, 1].map(steady),
      { do: 'delete user', at: SERVER, pick: 1 },
      { do: 'move', at: 0, pick: 0 },
      one('edit', 1),
    ],
  ],
  [
    'a user comes back with a routine, and here was made another one of its name meanwhile',
    [
      { do: 'routine', at: SERVER, pick: 1 },
      ...[0, 1].map(steady),
      { do: 'delete user', at: SERVER, pick: 1 },
      { do: 'log', at: 0, pick: 1 },
      steady(0),
      { do: 'routine', at: 0, pick: 1 },
    ],
  ],
  ...[false, true].map((isEdited): [string, Step[]] => [
    `a log is given to another user by two machines${isEdited ? ', changed by one' : ''}, and its former user erased there`,
    [
      { do: 'log', at: SERVER, pick: 0 },
      ...[0, 1].map(steady),
      ...[0, 1].map(moved),
      ...(isEdited ? [one('edit', 1)] : []),
      { do: 'erase', at: SERVER, pick: 0 },
    ],
  ]),
  [
    'a log is given to another user, and its former user erased here before that is sent',
    [
      { do: 'log', at: SERVER, pick: 0 },
      ...[0, 1].map(steady),
      moved(0),
      moved(1),
      { do: 'erase', at: 0, pick: 0 },
    ],
  ],
  [
    'a log is given to another user there, and its former user erased there',
    [
      { do: 'log', at: SERVER, pick: 0 },
      ...[0, 1].map(steady),
      moved(SERVER),
      { do: 'erase', at: SERVER, pick: 0 },
    ],
  ],
];

test.each(found)('%s', (_, sequence) => holds(sequence));
