import type { Role } from '../domain/access.ts';
import { roles } from '../domain/access.ts';
import { SciaticaError } from '../domain/errors.ts';
import type { HistoryEntry } from '../domain/history.ts';
import { type AnyRecord, type KindName, kindNames, kindOf } from '../domain/kinds.ts';
import { checksOf } from '../domain/schema.ts';
import { tryJson } from '../lib/strict-json.ts';
import { Refused } from './refused.ts';
import { type SyncRequest, type SyncResponse, type Transport, Unanswered } from './transport.ts';

/** Who the service takes the caller for. */
export interface Me {
  /** UUID of the database behind the service. */
  database: string;
  name: string | null;
  /** null without authentication: everything is allowed. */
  role: Role | null;
  /** Ids of the users that the token covers; null for all. */
  users: readonly number[] | null;
}

/** A page of the changes. */
export interface ChangesPage {
  entries: HistoryEntry[];
  /** History seq up to which the entries go. */
  position: number;
  isLast: boolean;
}

interface Answer {
  value: unknown;
  headers: SyncResponse['headers'];
}

/** A record with its entity tag. */
export interface Tagged {
  record: AnyRecord;
  etag: string;
}

/** The most records, or entries of the history, that are asked for at once. */
const PAGE = 1000;

/** How often a request that was not answered, or was one too many, is sent again. */
const ATTEMPTS = 5;
/** Longest time that is waited because the service asks for it, in seconds. */
const LONGEST_WAIT = 60;

/** Waits; tests do not. */
export type Wait = (milliseconds: number) => Promise<void>;

/**
 * The service as a client sees it, by what its documentation says. Every request may be repeated: a new record has an
 * Idempotency-Key, a change an If-Match.
 */
export class Service {
  constructor(
    private readonly transport: Transport,
    private readonly token: string | undefined,
    private readonly wait: Wait,
  ) {}

  async me(): Promise<Me> {
    const { value } = await this.#json({ method: 'GET', path: '/me' });
    const { database, name, role, users } = objectOf(value);
    if (typeof database !== 'string' || !/^[0-9a-f-]{36}$/.test(database))
      throw new SciaticaError(
        'unusable',
        'The service does not say which database it has: is it sciatica, and up to date?',
      );
    return {
      database,
      name: typeof name === 'string' ? name : null,
      role: roles.find((one) => one === role) ?? null,
      users: Array.isArray(users) ? users.filter((id) => Number.isSafeInteger(id)) : null,
    };
  }

  /**
   * Exchanges the one-time code of `sciatica pair` for a token.
   * @param name of the token
   * @throws SciaticaError `unusable` for a code that is wrong or closed
   */
  async pair(code: string, name: string): Promise<string> {
    try {
      const answer = await this.write(
        { method: 'POST', path: '/pair', body: JSON.stringify({ code, name }) },
        {},
      );
      const { token } = objectOf(answer);
      if (typeof token !== 'string') throw strange();
      return token;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      throw new SciaticaError(
        'unusable',
        'The code is wrong, used or too old: run sciatica pair there again.',
      );
    }
  }

  /** History seq of the latest change. */
  async position(): Promise<number> {
    const { headers } = await this.#send({ method: 'HEAD', path: '/changes' });
    return seqOf(headers);
  }

  /** The changes after a position. @throws SciaticaError `outdated` when some of them are not there any more */
  async changes(since: number): Promise<ChangesPage> {
    const path = `/changes?since=${since}&limit=${PAGE}`;
    const { value, headers } = await this.#json({ method: 'GET', path });
    const entries = arrayOf(value).map(entryOf);
    return { entries, position: seqOf(headers), isLast: headers['link'] === undefined };
  }

  /** A list of records, page by page. */
  async *list(record: KindName): AsyncGenerator<AnyRecord[]> {
    const start = `${kindOf(record).path}?limit=${PAGE}`;
    for (let path: string | undefined = start; path !== undefined; ) {
      const { value, headers }: Answer = await this.#json({ method: 'GET', path });
      yield arrayOf(value).map((one) => readRecord(record, one));
      path = /^<(\/[^>]*)>; rel="next"$/.exec(headers['link'] ?? '')?.[1];
    }
  }

  /** What the service lists below a user only: routines, the goal. */
  async plans(theirUser: number): Promise<{ record: KindName; value: AnyRecord }[]> {
    const found: { record: KindName; value: AnyRecord }[] = [];
    for (const record of kindNames) {
      const { place } = kindOf(record);
      if (place === 'below-user') {
        const { value } = await this.#json({ method: 'GET', path: collectionOf(record, theirUser) });
        found.push(...arrayOf(value).map((one) => ({ record, value: readRecord(record, one) })));
      } else if (place === 'one-per-user') {
        const one = await this.find(record, 0, theirUser);
        if (one) found.push({ record, value: one.record });
      }
    }
    return found;
  }

  /** One record; undefined where there is none. */
  async find(record: KindName, theirId: number, theirUser: number): Promise<Tagged | undefined> {
    const path = pathOf(record, theirId, theirUser);
    try {
      const { value, headers } = await this.#json({ method: 'GET', path });
      return { record: readRecord(record, value), etag: headers['etag'] ?? '' };
    } catch (error) {
      if (error instanceof Refused && error.status === 404) return undefined;
      throw error;
    }
  }

  /**
   * Sends a write.
   * @returns the value in the answer
   * @throws Refused when the service does not take it
   */
  async write(request: Omit<SyncRequest, 'headers'>, headers: Record<string, string>): Promise<unknown> {
    return (await this.#json(request, headers)).value;
  }

  async #json(request: Omit<SyncRequest, 'headers'>, headers?: Record<string, string>): Promise<Answer> {
    const response = await this.#send(request, headers);
    const json = tryJson(response.text);
    if ('fault' in json)
      throw new SciaticaError('unusable', 'The service answers something else than JSON: is it sciatica?');
    return { value: json.value, headers: response.headers };
  }

  /** Sends a request, again if need be. @throws Refused, SciaticaError */
  async #send(
    request: Omit<SyncRequest, 'headers'>,
    headers: Record<string, string> = {},
  ): Promise<SyncResponse> {
    const sent: SyncRequest = {
      ...request,
      headers: {
        accept: 'application/json',
        ...(this.token !== undefined && { authorization: `Bearer ${this.token}` }),
        ...(request.body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
    };
    for (let attempt = 1; ; attempt++) {
      const response = await this.#once(sent, attempt);
      if (!response) continue;
      if (response.status < 300) return response;
      const wait = Number(response.headers['retry-after']);
      const isBusy = response.status === 429 || response.status === 503;
      if (!isBusy || attempt >= ATTEMPTS || !(wait <= LONGEST_WAIT))
        throw refusal(response, this.token !== undefined);
      await this.wait(Math.max(1, wait) * 1000);
    }
  }

  async #once(request: SyncRequest, attempt: number): Promise<SyncResponse | undefined> {
    try {
      return await this.transport(request);
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
      if (attempt >= ATTEMPTS) throw new SciaticaError('unusable', error.message, [], { cause: error });
      await this.wait(250 * 2 ** attempt);
      return undefined;
    }
  }
}

/** The path of a record; of what a user has one of, below the user. */
export function pathOf(record: KindName, theirId: number, theirUser: number): string {
  const { path, place, words } = kindOf(record);
  return place === 'one-per-user' ? `/users/${theirUser}/${words.one}` : `${path}/${theirId}`;
}

/** The path that takes new records. */
export function collectionOf(record: KindName, theirUser: number): string {
  const { path, place } = kindOf(record);
  return place === 'collection' ? path : `/users/${theirUser}${path}`;
}

/** @throws SciaticaError `unusable` for what is no record of ours */
export function readRecord(record: KindName, value: unknown): AnyRecord {
  try {
    return checksOf(record).record(value);
  } catch (error) {
    if (!(error instanceof SciaticaError)) throw error;
    throw new SciaticaError(
      'unusable',
      `The service has a ${record} that this program does not understand: is it newer? (${error.message})`,
    );
  }
}

function entryOf(value: unknown): HistoryEntry {
  const entry = objectOf(value) as unknown as HistoryEntry;
  const { record, id, seq, action } = entry;
  const isEntry = kindNames.includes(record) && Number.isSafeInteger(id) && Number.isSafeInteger(seq);
  if (!isEntry || !['create', 'update', 'delete', 'erase'].includes(action)) throw strange();
  const stateOf = (state: unknown) => (state === null ? null : readRecord(record, state));
  return { ...entry, before: stateOf(entry.before), after: stateOf(entry.after) };
}

function arrayOf(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw strange();
  return value;
}

function objectOf(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw strange();
  return value as Record<string, unknown>;
}

function seqOf(headers: SyncResponse['headers']): number {
  const seq = headers['x-last-seq'] ?? '';
  if (!/^\d{1,15}$/.test(seq)) throw strange();
  return Number(seq);
}

const strange = () =>
  new SciaticaError('unusable', 'The service answers in another way than sciatica does: is it up to date?');

function refusal(response: SyncResponse, hasToken: boolean): Error {
  const { status } = response;
  if (status === 401)
    return new SciaticaError(
      'unusable',
      hasToken
        ? 'The service does not know the token, or it has expired. Ask for another (sciatica token add, where the service runs), and give it with --token-file, or remove the remote and add it again.'
        : 'The service asks for a token: sciatica token add makes one where it runs. Give it with --token-file, here or to sciatica remote add.',
    );
  if (status === 410)
    return new SciaticaError('outdated', 'The service no longer has all changes since the last sync.');
  if (status >= 300 && status < 400)
    return new SciaticaError(
      'unusable',
      'The service sends callers elsewhere, which is not followed: use the URL that it leads to.',
    );
  const refused = new Refused(response);
  if (status === 403 || status === 429 || status >= 500)
    return status === 403
      ? refused
      : new SciaticaError('unusable', `The service refuses for now (${status}): ${refused.message}`);
  return refused;
}
