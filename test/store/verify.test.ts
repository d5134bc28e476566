import { expect, test } from 'vitest';
import { damageIn, referenceFaults } from '../../src/store/sqlite/verify.ts';
import { dbOf, filledStore } from './helpers.ts';

test.each([
  ['of its change', 4, 0],
  ['of another change', 1, 1],
  ['that is not there', 99, 1],
])('an entry of the history with a head %s', (_, head, faults) => {
  const store = filledStore(1);
  store.logs.update(1, { notes: 'of the second change' });
  const db = dbOf(store);
  db.run(
    `INSERT INTO history (seq, change, head, record, recordId, userId, action)
     SELECT seq + 1, change, ?, record, recordId, userId, action FROM history WHERE seq = 4`,
    head,
  );
  expect(referenceFaults(db)).toBe(faults);
});

test.each([
  ['2026-02-28', false],
  ['2026-02-30', true],
])('whether a log of %s is damage: %j', (day, isDamage) => {
  const store = filledStore(1);
  dbOf(store).run('UPDATE logs SET date = ?', day);
  expect(damageIn(store.path) !== undefined).toBe(isDamage);
});
