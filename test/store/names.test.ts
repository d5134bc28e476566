import { expect, test } from 'vitest';
import { Names, nameOf } from '../../src/store/reconcile/names.ts';
import { dbOf, freshStore } from './helpers.ts';

test('of records that had one id at their origin, one after the other, only the one that is meant is forgotten', () => {
  const db = dbOf(freshStore());
  const names = new Names(db);
  const origin = db.write(() => names.origin('0b6f1f0e-4c1c-4f0e-9d53-3a4f4f0d8f11'));
  const sql = "INSERT INTO replicas (record, origin, originId, uid, seq, state) VALUES (?, ?, 7, ?, 0, '{}')";
  for (const [record, uid] of [
    ['log', 1],
    ['log', 2],
    ['routine', 1],
  ] as const)
    db.run(sql, record, origin, uid);
  names.forget('log', nameOf(origin, 7, 1));
  expect(db.all('SELECT record, uid FROM replicas ORDER BY record')).toEqual([
    { record: 'log', uid: 2 },
    { record: 'routine', uid: 1 },
  ]);
});
