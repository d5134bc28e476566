import { expect, test } from 'vitest';
import { countedLogs, upToToday } from '../../src/cases/counted-logs.ts';
import { openStore } from '../../src/store/store.ts';
import { nora, prepared, session } from '../helpers.ts';

const TODAY = '2026-03-02';

test.each([
  [{}, {}],
  [
    { since: '2026-01-01', until: '2026-05-01' },
    { since: '2026-01-01', until: TODAY },
  ],
  [{ until: '2026-05-01' }, { until: TODAY }],
  [
    { since: '2026-04-01', until: '2026-05-01' },
    { since: '2026-04-01', until: '2026-05-01' },
  ],
])('%j ends as %j', (period, ended) => {
  expect(upToToday(period, TODAY)).toEqual(ended);
});

test.each([
  [{}, 6],
  [{ since: '2026-01-01' }, 3],
  [{ until: '2026-01-01' }, 3],
  [{ since: '2026-01-01', until: '2026-12-31' }, 0],
])('of the period %j are left out %i', (period, leftOut) => {
  const store = openStore(
    prepared((made) => {
      const userId = made.users.create(nora).id;
      for (const date of ['1926-01-01', TODAY, '2062-01-01']) {
        made.logs.create({ ...session, userId, date });
        made.of('painEntry').create({ userId, date, pain: 5 });
        made.of('trialDay').create({ userId, date, first: 5, done: true });
      }
    }),
  );
  expect(countedLogs(store, 1, period, TODAY).leftOut).toBe(leftOut);
  store.close();
});
