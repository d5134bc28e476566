import { mayUndo } from '../../../domain/access.ts';
import { SciaticaError } from '../../../domain/errors.ts';
import { integer, MAX_ID } from '../../../domain/fields.ts';
import { check, objectOf } from '../../../domain/schema.ts';
import type { Handler } from '../../route.ts';
import { json } from '../../wire/message.ts';
import { readJson } from '../body.ts';
import { disclosedChanges } from '../disclosure.ts';
import { parseQuery } from '../query.ts';

/** What is sent to undo a change. */
export const undoFields = {
  change: integer({
    label: 'Change',
    flag: 'change',
    help: 'Number of the change, as the history has it',
    min: 1,
    max: MAX_ID,
    example: 2,
  }),
};

/** POST of a change to take back: one that the caller may not write back whole is not there. */
export const undo: Handler = async ({ request, search, store, caller }) => {
  parseQuery(search, {});
  const { change } = check(objectOf(undoFields), await readJson(request));
  const { entries, seq } = await store.submitUndo(change, (found) => {
    if (caller && !found.every((entry) => mayUndo(caller, entry)))
      throw new SciaticaError('not-found', `There is no change ${change} in the history.`);
  });
  const body = JSON.stringify({ undoes: change, entries: entries.length, since: seq });
  return { ...json(200, body), disclosed: disclosedChanges(entries) };
};
