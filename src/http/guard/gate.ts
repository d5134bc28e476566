import { type Caller, isOpenToAll, may } from '../../domain/access.ts';
import { stateOf, type TokenState } from '../../domain/token.ts';
import type { Found } from '../../store/records/tokens.ts';
import type { Store } from '../../store/store.ts';
import { isRepeated } from '../protocol/idempotency.ts';
import type { RequestContext, Route, Session } from '../protocol/route.ts';
import type { HttpRequest, HttpResponse } from '../wire/message.ts';
import { Problem, type ProblemType, unavailable } from '../wire/problem.ts';
import { AuditTrail } from './audit.ts';
import {
  Buckets,
  DEFAULT_QUOTA,
  DEFAULT_RATE,
  FAILURE_RATE,
  PAIRING_RATE,
  Quota,
  type Rate,
  rateLimitKey,
} from './limits.ts';

/** The header that asks for a token. @param error the attribute that says what is wrong with one (RFC 6750, 3.1) */
const challenge = (error = '') => ({
  'www-authenticate': `Bearer realm="sciatica"${error}, Basic realm="sciatica", charset="UTF-8"`,
});

const INVALID_TOKEN = challenge(', error="invalid_token"');

/** Precision of a token's last use, in milliseconds: a write for every read would cost more than the read. */
const LAST_USE_PRECISION_MS = 60_000;

/** Size of the cache of store views, one for each token. */
const MOST_VIEWS = 1000;

/** Why a request was not admitted, with its caller if the token was valid. */
export interface Refusal {
  readonly caller: Caller | undefined;
  readonly error: unknown;
}

export interface GateOptions {
  /** Rate limit of each token, and of each address on open routes. */
  rate?: Rate;
  /** Bytes that each token may store in an hour. */
  quota?: number | undefined;
  /** The clock, in milliseconds since 1970. */
  now?: () => number;
  /** Receives the error when the audit cannot be written. */
  onError?: ((error: unknown) => void) | undefined;
}

/** Authentication, rate limits and authorization: decides on every request before its handler runs. */
export class Gate {
  /** When the last use of each token was stored, in milliseconds since 1970, by the id of the token. */
  readonly #lastUses = new Map<number, number>();
  readonly #views = new Map<string, Store>();
  readonly #byToken: Buckets;
  readonly #byAddress: Buckets;
  readonly #failures: Buckets;
  readonly #pairings: Buckets;
  readonly #quota: Quota;
  readonly #now: () => number;
  readonly audit: AuditTrail;

  constructor(
    private readonly store: Store,
    { rate = DEFAULT_RATE, quota = DEFAULT_QUOTA, now = Date.now, onError = () => {} }: GateOptions = {},
  ) {
    this.#now = now;
    this.audit = new AuditTrail(store, now, onError);
    this.#byToken = new Buckets(rate, now);
    this.#byAddress = new Buckets(rate, now);
    this.#quota = new Quota(quota, now);
    this.#failures = new Buckets(FAILURE_RATE, now);
    this.#pairings = new Buckets(PAIRING_RATE, now);
  }

  /**
   * Admits a request to its route.
   * @returns the caller's session; or a refusal with Problem 401 without a valid token, 403 where its role lacks the
   *   right, 429 over a rate limit, 503 when the audit cannot be written
   */
  admit(request: HttpRequest, { right }: Pick<Route, 'right'>): Session | Refusal {
    let caller: Caller | undefined;
    try {
      if (right === null) {
        this.#byAddress.take(rateLimitKey(request.address()));
        return { store: this.store };
      }
      if (isOpenToAll(right)) {
        this.#requireAudit();
        this.#pairings.take(rateLimitKey(request.address()));
        return { store: this.store };
      }
      const secret = secretOf(request.headers.authorization);
      caller = this.#authenticate(secret, request);
      request.trust?.();
      this.#byToken.take(caller.id);
      if (!may(caller.role, right))
        throw new Problem(403, `A token with the role ${caller.role} may not do this.`);
      const recheck = () => void this.#authenticate(secret, request);
      return { store: this.#viewOf(caller), caller, recheck };
    } catch (error) {
      return { caller, error };
    }
  }

  /**
   * Charges the body and the change of a write to the caller's quota; the body of a repeated request is free, as is its change.
   * @returns the request and the store for the handler, and `settle`, which refunds all unless the response is a success
   */
  metered(
    { request, route, id }: Pick<RequestContext, 'request' | 'route' | 'id'>,
    { store, caller }: Session & { caller: Caller },
  ): { request: HttpRequest; store: Store; settle: (response: HttpResponse) => void } {
    const charge = this.#quota.charge(caller.id);
    const readBody = async (most?: number) => {
      const body = await request.readBody(most);
      if (!isRepeated(store, { request, route, id, caller })) charge.raise(body.length);
      return body;
    };
    return {
      request: { ...request, readBody },
      store: store.metered(charge),
      settle: ({ status }) => {
        if (status >= 300) charge.release();
      },
    };
  }

  #authenticate(secret: string | undefined, request: HttpRequest): Caller {
    this.#requireAudit();
    // Read on every request, so that a revoked token is refused at once.
    const token = secret === undefined ? undefined : this.store.tokens.find(secret);
    const now = this.#now();
    if (!token || stateOf(token, now) !== 'valid') {
      // A valid token bypasses the failure limit, so callers behind the same address cannot lock it out. No
      // token, or one that was valid once, is not a guess: it counts for the address's limit of open routes.
      const isGuess = secret !== undefined && !token && !this.store.tokens.wasForErased(secret);
      (isGuess ? this.#failures : this.#byAddress).take(rateLimitKey(request.address()));
      throw this.#refusal(secret, token && stateOf(token, now));
    }
    this.#noteUse(token, now);
    return token;
  }

  #refusal(secret: string | undefined, state: TokenState | undefined): Problem {
    const refused = (detail: string, type: ProblemType) => new Problem(401, detail, INVALID_TOKEN, type);
    if (secret === undefined)
      return new Problem(401, 'This needs a token: sciatica token add makes one.', challenge());
    if (state === 'revoked') return refused('The token was revoked.', 'token-revoked');
    if (state === 'expired') return refused('The token has expired.', 'token-expired');
    return this.store.tokens.wasForErased(secret)
      ? refused('The person was erased: forget what you keep of the person.', 'person-erased')
      : refused('This token is not known here: sciatica token add makes one.', 'token-unknown');
  }

  #requireAudit(): void {
    if (this.audit.isFull) throw unavailable('The audit cannot be written, and nothing is done without it.');
  }

  /** Stores the last use of a token; no response waits for it. */
  #noteUse({ id, lastUsedAt, renewed }: Found, now: number): void {
    const last = this.#lastUses.get(id) ?? lastUsedAt ?? 0;
    if (now - last < LAST_USE_PRECISION_MS && !renewed) return;
    this.#lastUses.set(id, now);
    this.store
      .submitUpkeep(() => this.store.tokens.touch(id, renewed))
      .catch(() => this.#lastUses.delete(id));
  }

  /** The view of the records that the caller sees. The history attributes its changes to the token's name. */
  #viewOf({ name, users }: Caller): Store {
    const key = `${name} ${users}`;
    const known = this.#views.get(key);
    if (known) return known;
    if (this.#views.size >= MOST_VIEWS) this.#views.clear();
    const view = this.store.as({ ...(users && { users }), origin: { source: 'api', caller: name } });
    this.#views.set(key, view);
    return view;
  }
}

/** Longest Authorization header that is parsed, in characters. */
const MOST_CHARACTERS = 1000;

/** The token in an Authorization header: a bearer token (RFC 6750), or the password of Basic (RFC 7617). */
export function secretOf(header: string | undefined): string | undefined {
  if (header === undefined || header.length > MOST_CHARACTERS) return undefined;
  const [, scheme = '', credentials = ''] = /^(bearer|basic) +([\w.~+/-]+=*) *$/i.exec(header) ?? [];
  if (scheme.toLowerCase() !== 'basic') return credentials || undefined;
  const pair = Buffer.from(credentials, 'base64').toString();
  const colon = pair.indexOf(':');
  return colon < 0 ? undefined : pair.slice(colon + 1) || undefined;
}
