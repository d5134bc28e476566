import { type Role, roles } from '../domain/access.ts';
import { conflict, explained, SciaticaError, unusable } from '../domain/errors.ts';
import { isObject, tryJson } from '../lib/strict-json.ts';
import type { Position } from '../store/reconcile/collect.ts';
import { isPosition } from '../store/reconcile/parcel.ts';
import type { Received } from '../store/reconcile/received.ts';
import { type SyncRequest, type SyncResponse, type Transport, Unanswered } from './transport.ts';

/** The caller, as the service knows it. */
export interface Me {
  /** UUID of the database behind the service. */
  database: string;
  /** null if the service has no authentication: everything is allowed. */
  role: Role | null;
}

/** The answer of a service to an exchange. */
export interface Exchanged {
  parcel: string;
  /** The position here up to which it had received the changes before; null before the first. */
  received: Position | null;
  /** What it did with the states that were sent; how many deletions, and erasures made elsewhere, wait for consent there. */
  result: Pick<Received, 'counts' | 'refused'> & { held: number; erased?: number };
}

/** The service rejected a request: a repetition would not help. */
class Refused extends SciaticaError {
  constructor(
    readonly status: number,
    readonly reason: string,
  ) {
    super('unusable', `The service refuses (${status}): ${reason}`);
  }
}

/** Most attempts of a request that gets no answer, or the status 429 or 503. */
const ATTEMPTS = 5;
/** The longest `Retry-After` that is waited for, in seconds. */
const LONGEST_WAIT = 60;

/** Waits between two attempts; tests do not wait. */
export type Wait = (milliseconds: number) => Promise<void>;

/** A client of the service, by its documented API. */
export class Service {
  constructor(
    private readonly transport: Transport,
    private readonly token: string | undefined,
    private readonly wait: Wait,
  ) {}

  async me(): Promise<Me> {
    const { database, role } = await this.#json({ method: 'GET', path: '/me' });
    if (typeof database !== 'string' || !/^[0-9a-f-]{36}$/.test(database))
      throw unusable('The service does not say which database it has: is it sciatica, and up to date?');
    return { database, role: roles.find((one) => one === role) ?? null };
  }

  /**
   * Exchanges the one-time code of `sciatica pair` for a token.
   * @param name of the token
   * @throws SciaticaError `unusable` for a code that is wrong or closed
   */
  async pair(code: string, name: string): Promise<string> {
    try {
      const body = JSON.stringify({ code, name });
      const { token } = await this.#json({ method: 'POST', path: '/pair', body });
      if (typeof token !== 'string') throw strange();
      return token;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      throw unusable('The code is wrong, used or too old: run sciatica pair there again.');
    }
  }

  /**
   * Sends a part of an exchange, and receives the states over there after the position `have`. It may be repeated.
   * @throws SciaticaError `unusable` when the service rejects it, or cannot be reached
   */
  async exchange(sent: string, have: Position | null): Promise<Exchanged> {
    const body = JSON.stringify({ parcel: sent, have, wants: true });
    const { parcel, received, result } = await this.#json({ method: 'POST', path: '/exchange', body }).catch(
      (error: unknown) => {
        if (!(error instanceof Refused)) throw error;
        const why =
          error.status === 404
            ? 'it has an older sciatica. Upgrade it there first. Nothing was exchanged.'
            : error.reason;
        throw explained('unusable', `The service does not take part: ${why}`, error);
      },
    );
    if (typeof parcel !== 'string' || !(received === null || isPosition(received))) throw strange();
    return { parcel, received, result: objectOf(result) as unknown as Exchanged['result'] };
  }

  async #json(request: Omit<SyncRequest, 'headers'>): Promise<Record<string, unknown>> {
    const { text } = await this.#send(request);
    const json = tryJson(text);
    if ('fault' in json) throw unusable('The service answers something else than JSON: is it sciatica?');
    return objectOf(json.value);
  }

  /** Sends a request, up to `ATTEMPTS` times. @throws Refused, SciaticaError */
  async #send(request: Omit<SyncRequest, 'headers'>): Promise<SyncResponse> {
    const sent: SyncRequest = {
      ...request,
      headers: {
        accept: 'application/json',
        ...(this.token !== undefined && { authorization: `Bearer ${this.token}` }),
        ...(request.body !== undefined && { 'content-type': 'application/json' }),
      },
    };
    for (let attempt = 1; ; attempt++)
      try {
        const response = await this.transport(sent);
        if (response.status < 300) return response;
        const wait = Number(response.headers['retry-after']);
        const isBusy = response.status === 429 || response.status === 503;
        if (!isBusy || attempt >= ATTEMPTS || !(wait <= LONGEST_WAIT))
          throw refusal(response, this.token !== undefined);
        await this.wait(Math.max(1, wait) * 1000);
      } catch (error) {
        if (!(error instanceof Unanswered)) throw error;
        if (attempt >= ATTEMPTS) throw explained('unusable', error.message, error);
        await this.wait(250 * 2 ** attempt);
      }
  }
}

function objectOf(value: unknown): Record<string, unknown> {
  if (!isObject(value)) throw strange();
  return value;
}

const strange = () => unusable('The service answers in another way than sciatica does: is it up to date?');

function refusal({ status, text }: SyncResponse, hasToken: boolean): SciaticaError {
  if (status === 401 && text.includes('#problem-person-erased'))
    return conflict(
      (command) =>
        `The person of the token was erased over there, for good. Nothing was sent, and nothing goes there any more. To erase the person here too: ${command('user erase')}. To keep the replication here: ${command('remote rm')}`,
    );
  if (status === 401)
    return unusable(
      hasToken
        ? 'The service does not know the token, or it has expired. Ask for another (sciatica token add, where the service runs), and give it with --token-file, or remove the remote and add it again.'
        : 'The service asks for a token: sciatica token add makes one where it runs. Give it with --token-file, here or to sciatica remote add.',
    );
  if (status >= 300 && status < 400)
    return unusable(
      'The service sends callers elsewhere, which is not followed: use the URL that it leads to.',
    );
  const reason = reasonIn(text) ?? `status ${status}`;
  return status === 429 || status >= 500
    ? unusable(`The service refuses for now (${status}): ${reason}`)
    : new Refused(status, reason);
}

/** Why a request was rejected (RFC 9457): the faults of its fields, or else the whole problem. */
function reasonIn(text: string): string | undefined {
  const json = tryJson(text);
  const { detail, errors } = (('value' in json && json.value) || {}) as {
    detail?: unknown;
    errors?: unknown;
  };
  const faults = Array.isArray(errors) ? (errors as ({ field?: unknown; message?: unknown } | null)[]) : [];
  const lines = faults.map((fault) => `${fault?.field} ${fault?.message}`.slice(0, 200));
  const reason = lines.length > 0 ? lines.join('; ') : detail;
  return reason === undefined ? undefined : String(reason).slice(0, 500);
}
