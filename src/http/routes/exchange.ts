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

/** The largest part of an exchange that is taken, in bytes: a record with the longest notes has 40 KiB. */
const MOST_BYTES = 8 * 1024 * 1024;

interface Asked {
  /** States, as text; none where only something is asked for. */
  parcel: string;
  /** How far the caller has received the changes of here; null before the first. */
  have: Position | null;
  /** Whether the states of here are wanted. */
  wants: boolean;
}

const TEXT = { type: 'string', description: 'Lines of JSON with their checksum, as sciatica writes them' };
const POSITION = { type: ['object', 'null'], additionalProperties: true };

/** What a database sends that has no records. */
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
 * POST of what another database knows, for what this one knows: one request each way, which may be repeated, for merging twice
 * changes nothing.
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
  // What is taken here was done on another machine, and is not for `undo` without a number.
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
  // A file that was set back makes what follows under another identity. Anybody could make up a position.
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
  // The write-ahead log may hold who was erased over there, never showed here, and is forgotten by now.
  if (taken.hasNewErasures) store.checkpoint();
  const collector = replication.collector(users);
  // What came from the caller just now is known there.
  const isEcho = isDeepStrictEqual(have, taken.from) && taken.isEcho;
  const from = isEcho ? taken.to : isKnown ? have : START;
  const part = wants
    ? replication.part(collector, from, undefined, taken.left)
    : replication.nothing(collector, from);
  const { counts, disputes, refused } = taken;
  const held = collector.count(replication.held());
  // Who else was erased is not for a token for some users, which erases nobody here either.
  const erased = users ? 0 : store.remotes.erasedElsewhere().length;
  const body = { parcel: part.text, received: before, result: { counts, disputes, refused, held, erased } };
  return { ...json(200, JSON.stringify(body)), disclosed: disclosedStates(part.states) };
}

/**
 * @param token and `isReader` as of `Replication.read`
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

/** For the audit: the ids of records that were made here, and of others those that they have elsewhere. */
const disclosedStates = (states: readonly State[]) =>
  disclosedChanges(states.map(({ kind, name }) => ({ record: kind, id: partsOf(name)[1] })));
