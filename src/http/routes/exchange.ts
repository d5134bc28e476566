import { isDeepStrictEqual } from 'node:util';
import { may } from '../../domain/access.ts';
import { conflict, SciaticaError } from '../../domain/errors.ts';
import { type Position, START } from '../../store/reconcile/collect.ts';
import { partsOf } from '../../store/reconcile/names.ts';
import { isPosition, type Parcel, writeParcel } from '../../store/reconcile/parcel.ts';
import type { Replication } from '../../store/reconcile/replication.ts';
import type { State } from '../../store/reconcile/state.ts';
import { migrations } from '../../store/sqlite/migrations/index.ts';
import { object, ok, taken } from '../openapi/parts.ts';
import { readJson } from '../protocol/body.ts';
import { disclosedChanges } from '../protocol/disclosure.ts';
import type { RequestContext, Route } from '../protocol/route.ts';
import { type HttpResponse, json } from '../wire/message.ts';
import { Problem } from '../wire/problem.ts';

/** The largest body that is accepted, in bytes: a record with the longest notes has 40 KiB. */
const MOST_BYTES = 8 * 1024 * 1024;

interface Asked {
  /** States of records, as store/reconcile/parcel.ts writes them; none if the caller only asks. */
  parcel: string;
  /** Position up to which the caller has received the changes of this database; null before the first exchange. */
  have: Position | null;
  /** Whether the caller asks for the states of this database. */
  wants: boolean;
}

const TEXT = { type: 'string', description: 'Lines of JSON with their checksum, as sciatica writes them' };
const POSITION = { type: ['object', 'null'], additionalProperties: true };

/** The parcel of a database without records, as an example. */
const NOTHING = writeParcel(
  {
    database: '0f6e2a52-95c4-4d39-a5a4-6d2c3a1f7b10',
    format: migrations.length,
    from: START,
    to: START,
    isLast: true,
    erased: [],
    view: null,
    states: [],
  },
  new Map(),
);

/**
 * POST of the states of another database; the response has those of this one. It may be repeated, since a merge is
 * idempotent.
 */
export const exchangeRoute: Route = {
  method: 'POST',
  path: '/exchange',
  right: 'read changes',
  errors: ['Conflict'],
  tag: 'Changes',
  id: 'exchange',
  summary: 'Sync with another database of sciatica',
  description:
    'For `sciatica sync`. It takes the states of records that another database sends, as far as the token may write them, and answers with those that changed here since the caller last asked. It may be repeated.',
  body: taken(
    {
      type: 'object',
      required: ['parcel', 'have', 'wants'],
      additionalProperties: false,
      properties: { parcel: TEXT, have: POSITION, wants: { type: 'boolean' } },
    },
    { parcel: NOTHING, have: null, wants: true },
  ),
  success: {
    '200': ok(
      'What is known here',
      object({
        parcel: TEXT,
        received: {
          ...POSITION,
          description: 'How far the changes of the caller had been received before',
        },
        result: { type: 'object', additionalProperties: true, description: 'What was done here' },
      }),
    ),
  },
  handle: async (context) => {
    const { value } = await readJson(context.request, MOST_BYTES);
    return exchange(context, askedIn(value));
  },
};

function askedIn(value: unknown): Asked {
  const { parcel, have, wants } = (value ?? {}) as Partial<Asked>;
  if (typeof parcel !== 'string' || typeof wants !== 'boolean' || !(have === null || isPosition(have)))
    throw new Problem(400, 'The body must be an exchange, as sciatica sync sends it.');
  return { parcel, have, wants };
}

async function exchange(
  { store: view, caller }: RequestContext,
  { parcel: text, have, wants }: Asked,
): Promise<HttpResponse> {
  // These changes were made on another machine: `undo` without a number skips changes with this source.
  const store = view.as({ origin: { source: 'sync', ...(caller && { caller: caller.name }) } });
  const replication = await store.replication();
  const token = caller?.id ?? 0;
  const users = caller?.users ?? undefined;
  const isReader = caller !== undefined && !may(caller.role, 'change log');
  const sent = await store.submitUpkeep(() => {
    const read = readSent(replication, text, users || isReader ? token : undefined, isReader);
    if (read.states.length > 0 && isReader)
      throw new Problem(403, `A token with the role ${caller.role} only reads: nothing was taken.`);
    return read;
  });
  if (sent.database === replication.id)
    throw conflict(
      'Both databases have the same identity: one is a copy of the other. Give the copy one of its own: sciatica identity new',
    );
  const isKnown = have !== null && replication.collector(users).isKnown(have);
  // An unknown position means that this file was set back: what it makes from now on gets a new identity. Not
  // for restricted tokens: anybody could make up a position.
  if (have && !isKnown && !users && !isReader) await store.submitUpkeep(() => replication.renewIdentity());
  const { received: before = null } = replication.peer(sent.database, token);
  const taken = await store.submit(() =>
    replication.receive([isReader ? { states: [], erased: [] } : sent], {
      users,
      after: () =>
        replication.setPeer(
          sent.database,
          { received: sent.to, sent: isKnown ? have : undefined, view: null, at: Date.now() },
          token,
        ),
    }),
  );
  // Clears the write-ahead log of people who were erased elsewhere, and whom this database never showed.
  if (taken.hasNewErasures) store.checkpoint();
  const collector = replication.collector(users);
  // What the caller sent just now is not sent back.
  const isEcho = isDeepStrictEqual(have, taken.from) && taken.isEcho;
  const from = isEcho ? taken.to : isKnown ? have : START;
  const part = wants
    ? replication.part(collector, from, undefined, taken.left)
    : replication.nothing(collector, from);
  const { counts, disputes, refused } = taken;
  const held = collector.count(replication.held());
  // Other erasures are no business of a token for some users, which erases nobody here either.
  const erased = users ? 0 : store.remotes.erasedElsewhere().length;
  const body = { parcel: part.text, received: before, result: { counts, disputes, refused, held, erased } };
  return { ...json(200, JSON.stringify(body)), disclosed: disclosedStates(part.states) };
}

/**
 * Parses the states that the caller sent.
 * @param token and `isReader` as for `Replication.read`
 * @throws Problem 400 for what is no parcel, or of another format
 */
function readSent(
  replication: Replication,
  text: string,
  token: number | undefined,
  isReader: boolean,
): Parcel {
  try {
    replication.header(text, 'there');
    return replication.read(text, token, isReader);
  } catch (error) {
    if (!(error instanceof SciaticaError) || error.code !== 'unusable') throw error;
    throw new Problem(400, error.message);
  }
}

/** For the audit: records by the id that they have in the database where they were made, which may be another one. */
const disclosedStates = (states: readonly State[]) =>
  disclosedChanges(states.map(({ kind, name }) => ({ record: kind, id: partsOf(name)[1] })));
