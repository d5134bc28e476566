import { type Caller, may, openToAll } from '../../domain/access.ts';
import { stateOf, type Token } from '../../domain/token.ts';
import { USE_PRECISION_MS } from '../../store/records/tokens.ts';
import type { Store } from '../../store/store.ts';
import type { Desk } from '../handlers/records.ts';
import { Problem, RETRY_AFTER_SECONDS } from '../problem.ts';
import type { Route } from '../routes.ts';
import type { HttpRequest } from '../wire/message.ts';
import { AuditTrail, type Visit } from './audit-trail.ts';
import { secretOf } from './credentials.ts';
import { Buckets, DEFAULT_RATE, FAILURE_RATE, neighbourhood, type Rate } from './limits.ts';

const CHALLENGE = { 'www-authenticate': 'Bearer realm="sciatica", Basic realm="sciatica", charset="UTF-8"' };

/** The one place that decides who may do what: before any handler runs. */
export class Gate {
  /** When the last use of a token was noted, by its id. */
  readonly #touched = new Map<number, number>();
  readonly #scoped = new Map<string, Store>();
  readonly #byToken: Buckets;
  readonly #byAddress: Buckets;
  readonly #failures: Buckets;
  readonly audit: AuditTrail;

  /**
   * @param rate how often a token may call, and an address without one
   * @param onError told when the audit cannot be written
   */
  constructor(
    rate: Rate = DEFAULT_RATE,
    private readonly now: () => number = Date.now,
    onError?: (error: unknown) => void,
  ) {
    this.audit = new AuditTrail(now, onError);
    this.#byToken = new Buckets(rate, now);
    this.#byAddress = new Buckets(rate, now);
    this.#failures = new Buckets(FAILURE_RATE, now);
  }

  /**
   * Lets a request through to its route: with the records that its caller may see and no others, and with
   * changes that bear the name of its token.
   * @throws Problem 401 without a valid token, 403 where the role of its token has no such right, 429 for a
   *   caller who comes too often, 503 when the audit cannot be written
   */
  admit(request: HttpRequest, visit: Visit & { route: Route }, { store, writer }: Desk): Desk {
    const { kind, resource } = visit.route;
    if (openToAll.has(kind)) {
      this.#byAddress.take(neighbourhood(request.address()));
      return { store, writer };
    }
    const secret = secretOf(request.headers.authorization);
    const recheck = () => this.#callerOf(secret, request, { store, writer });
    const caller = recheck();
    visit.token = caller.id;
    if (caller.users?.length === 1) visit.onlyUser = caller.users[0] ?? null;
    this.#byToken.take(caller.id);
    if (!may(caller.role, resource ? `${kind} ${resource.noun}` : kind))
      throw new Problem(403, `A token with the role ${caller.role} may not do this.`);
    const scoped = this.#scopeOf(store, caller);
    return {
      store: scoped,
      writer: { write: (work) => scoped.submit(work) },
      caller,
      recheck,
    };
  }

  #callerOf(secret: string | undefined, { address }: HttpRequest, { store, writer }: Desk): Caller {
    if (this.audit.isFull)
      throw new Problem(503, 'The audit cannot be written, and nothing is done without it.', {
        'retry-after': RETRY_AFTER_SECONDS,
      });
    // Looked up each time, so that a token that was taken back is worthless at once.
    const token = secret === undefined ? undefined : store.tokens.find(secret);
    const now = this.now();
    if (!token || stateOf(token, now) !== 'valid') {
      // Who has a valid token comes in all the same: others behind the same address cannot lock it out.
      this.#failures.take(neighbourhood(address()));
      throw new Problem(401, 'This needs a token that is valid: sciatica token add makes one.', CHALLENGE);
    }
    this.#touch(token, now, { store, writer });
    return token;
  }

  /** Notes the use of a token now and then; nobody waits for it. */
  #touch({ id, lastUsedAt }: Token, now: number, { store }: Desk): void {
    const last = this.#touched.get(id) ?? lastUsedAt ?? 0;
    if (now - last < USE_PRECISION_MS) return;
    this.#touched.set(id, now);
    store.submitUpkeep(() => store.tokens.touch(id)).catch(() => this.#touched.delete(id));
  }

  #scopeOf(store: Store, { id, name, users }: Caller): Store {
    const key = `${id} ${users}`;
    let scoped = this.#scoped.get(key);
    if (!scoped) {
      // As many as there are assignments, and of those that were only as many as fit.
      if (this.#scoped.size >= 1000) this.#scoped.clear();
      scoped = store.as({ ...(users && { users }), origin: { source: 'api', caller: name } });
      this.#scoped.set(key, scoped);
    }
    return scoped;
  }
}
