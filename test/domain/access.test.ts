import { expect, test } from 'vitest';
import { type Caller, kindOfRight, mayUndo, type Right } from '../../src/domain/access.ts';
import type { Action } from '../../src/domain/history.ts';
import type { KindName } from '../../src/domain/kinds.ts';

test.each<[Right, KindName]>([
  ['change painEntry', 'painEntry'],
  ['create trialDay', 'trialDay'],
  ['read self', 'user'],
  ['pair', 'user'],
  ['read changes', 'log'],
  ['undo', 'log'],
])('%s is about a %s', (right, kind) => expect(kindOfRight(right)).toBe(kind));

test.each<[Caller['role'], Caller['users'], Action, KindName, number[], boolean]>([
  ['patient', [1], 'update', 'user', [1], true],
  ['patient', [1], 'create', 'user', [1], false],
  ['patient', [1], 'delete', 'user', [1], false],
  ['patient', [1], 'delete', 'log', [1], true],
  ['patient', [1], 'update', 'log', [1, 2], false],
  ['patient', [1], 'erase', 'log', [1], false],
  ['provider', [1], 'update', 'log', [1], false],
  ['admin', null, 'delete', 'user', [1], true],
  ['admin', null, 'update', 'log', [1, 2], true],
])(
  'a %s of %j may take back that somebody did %s a %s of %j: %s',
  (role, scope, action, record, users, may) => {
    expect(mayUndo({ role, users: scope }, { record, action, users })).toBe(may);
  },
);
