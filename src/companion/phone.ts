import { Refused, Service } from './client.ts';
import { EMPTY, Full, isOwn, type Lock, type Notebook, refusedToken, unread } from './notebook.ts';
import { Offline } from './offline.ts';
import { type Kept, trace } from './shelf.ts';
import { type Entry, kindOf } from './words.ts';

/** The actions of the page besides showing records: pairing and syncing, with their state. */

/** The result of the last attempt to reach the service. */
export type Connection = 'trying' | 'ok' | 'unreachable' | { refused: string };

/** Who the caller is, as `GET /me` says. */
interface Me {
  authentication: boolean;
  name: string | null;
  role: string | null;
  users: number[] | null;
  createdAt: string | null;
  expiresAt: string | null;
  machine: string;
}

/** Shortest and longest delay between two attempts to reach the service, in milliseconds. */
const [SOON, LATE] = [2_000, 60_000];

const HOUR_MS = 60 * 60 * 1000;

/** How long "Forget this phone" waits for the service, in milliseconds: it works without a network, too. */
const GOODBYE_MS = 5_000;

/** The names of systems by which a phone is named. The order counts: Android also says Linux, and an iPhone Mac. */
const SYSTEMS = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac', 'Linux'];

/** Locks within this tab, for a browser that has none for all tabs. */
function ownLocks(): Lock {
  const last = new Map<string, Promise<unknown>>();
  return (name, work) => {
    const next = (last.get(name) ?? Promise.resolve()).then(work, work);
    last.set(name, next);
    return next;
  };
}

export class Phone {
  readonly offline: Offline;
  connection: Connection = 'trying';
  me: Me | undefined;
  /** Why the last write was not saved. */
  fault: string | undefined;
  /** The code of the link with which the page was opened. */
  code: string | undefined;
  /** The entries that the person deleted since the page was opened, the last first. */
  deleted: Entry[] = [];
  /** Functions that each save the text typed into a field, if it is not saved yet. */
  readonly drafts = new Set<() => Promise<void>>();
  /** The number of writes that waited in a store that the browser has emptied; undefined if it has not. */
  lost: number | undefined;
  /** Whether the clocks of this phone and the service differ by more than an hour: then days may differ. */
  isClockOff = false;
  #pause = SOON;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isFollowing = false;

  /** @param told called when the connection has changed */
  constructor(
    readonly shelf: Kept,
    public told: () => void,
  ) {
    const { locks } = navigator;
    const lock: Lock = locks ? (name, work) => locks.request(name, work) as Promise<never> : ownLocks();
    this.offline = new Offline(shelf, lock);
  }

  /** A client of the service with the token of this phone. */
  async client(): Promise<Service> {
    return new Service(location.origin, (await this.shelf.read())?.token);
  }

  /** Syncs now, with short delays again if that fails: something has happened, such as a network that is back. */
  sync = (): Promise<void> => {
    this.#pause = SOON;
    return this.#try();
  };

  async #try(): Promise<void> {
    clearTimeout(this.#timer);
    let token: string | undefined;
    try {
      const kept = await this.shelf.read();
      ({ token } = kept);
      const client = new Service(location.origin, kept.token);
      // A service that asked for a token may run without authentication by now.
      if (kept.ended === undefined || kept.ended === 'no-token') {
        const response = await client.send('/me');
        const me = (await response.json()) as Me;
        this.me = me;
        const now = Date.parse(response.headers.get('Date') ?? '');
        this.isClockOff = Math.abs(Date.now() - now) > HOUR_MS;
        if (me.authentication && kept.token !== undefined) await this.#renewIfDue(client, kept, me, now);
        if (kept.ended !== undefined) await this.shelf.update(({ ended: _, ...now }) => now);
        await this.offline.sync();
      }
      [this.connection, this.#pause] = ['ok', SOON];
      void this.#follow().catch((error) => this.#later(error));
    } catch (error) {
      const ended = error instanceof Refused ? error.ended : undefined;
      if (ended !== undefined) {
        this.connection = 'ok';
        await this.shelf.update((now) => refusedToken(now, token, ended));
      } else this.#later(error);
    }
    this.told();
  }

  /**
   * Runs `work`, which adds a write, and syncs.
   * @returns the result of `work`; undefined if it failed, as `fault` then says
   */
  async note<T>(work: (offline: Offline) => Promise<T>): Promise<T | undefined> {
    this.fault = undefined;
    try {
      return await work(this.offline);
    } catch (error) {
      this.fault = `Not saved. ${error instanceof Full ? error.message : `${storageFault(error)} Try again.`}`;
      this.told();
      return undefined;
    } finally {
      void this.sync();
      void sendLater();
    }
  }

  /**
   * Deletes an entry, after its drafts are saved. It can be brought back while the page is open.
   * @returns the entry as it was; undefined if it was deleted before, or if that failed, as `fault` then says
   */
  async remove(one: Entry): Promise<Entry | undefined> {
    await this.saveDrafts();
    const gone = (await this.note((offline) => offline.change(...kindOf(one), one.id))) as Entry | undefined;
    const isSame = (other: Entry) => gone?.id === other.id && kindOf(gone)[0] === kindOf(other)[0];
    if (gone) this.deleted = [gone, ...this.deleted.filter((other) => !isSame(other))];
    return gone;
  }

  async saveDrafts(): Promise<void> {
    await Promise.all([...this.drafts].map((save) => save()));
  }

  #later(error: unknown): void {
    const isReached = !(error instanceof DOMException) || error.name === 'TimeoutError';
    const refused = error instanceof Refused ? error.message : !isReached && storageFault(error);
    this.connection = refused ? { refused } : 'unreachable';
    this.#tryLater();
  }

  #tryLater(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#pause = Math.min(LATE, this.#pause * 2);
      void this.#try();
    }, this.#pause);
  }

  async #follow(): Promise<void> {
    const kept = await this.shelf.read();
    if (this.#isFollowing || kept.ended !== undefined || !isOwn(kept)) return;
    this.#isFollowing = true;
    await this.offline.follow(new AbortController().signal).catch(() => {});
    this.#isFollowing = false;
    this.#tryLater();
  }

  /** Renews the token in the last quarter of its life. @param now by the clock of the service */
  async #renewIfDue(
    client: Service,
    kept: Notebook,
    { createdAt, expiresAt }: Me,
    now: number,
  ): Promise<void> {
    if (createdAt === null || expiresAt === null) return;
    const [from, to] = [Date.parse(createdAt), Date.parse(expiresAt)];
    if (!(to - now < (to - from) / 4)) return;
    const { tokenKey, token: held } = await this.shelf.update((now) =>
      now.token === kept.token ? { tokenKey: crypto.randomUUID(), ...now } : now,
    );
    // Another tab has renewed the token: a second renewal would end the first.
    if (held !== kept.token) return;
    const headers = { 'Idempotency-Key': tokenKey ?? '' };
    const { token } = await client.json<{ token: string }>('/me/token', { method: 'POST', headers });
    await this.shelf.update(({ tokenKey: _, ...now }) => ({
      ...now,
      ...(now.token === kept.token && { token }),
    }));
  }

  /**
   * Exchanges the one-time code of `sciatica pair` for a token. If the answer is lost, a retry with the same key gets it again.
   * @throws Refused, TypeError without a network
   */
  async pair(code: string): Promise<void> {
    const { tokenKey = '' } = await this.shelf.update((kept) => ({ ...kept, tokenKey: keyFor(code, kept) }));
    const name = SYSTEMS.find((system) => navigator.userAgent.includes(system)) ?? 'phone';
    const made = await new Service(location.origin).json<{ token: string }>('/pair', {
      method: 'POST',
      headers: { 'Idempotency-Key': tokenKey },
      body: JSON.stringify({ code, name }),
    });
    await this.use(made.token);
  }

  /** Uses this token from now on. */
  async use(token: string): Promise<void> {
    await this.shelf.update(({ tokenKey: _, ended: _ended, person: _person, role: _role, ...kept }) => ({
      ...kept,
      token,
      url: location.origin,
    }));
    await this.sync();
  }

  /** Sets whose diary it is, if the service needs no tokens. @param person id of the user */
  async choose(person: number): Promise<void> {
    await this.shelf.update(({ ended: _, ...kept }) => ({ ...unread(kept), person, url: location.origin }));
    await this.sync();
  }

  /**
   * Has the token revoked, and deletes everything on this phone.
   * @returns whether the token is revoked; otherwise it has to be revoked at the service
   */
  async forget(): Promise<boolean> {
    const { token } = await this.shelf.read();
    // Before the update: the page is rendered as soon as the store is empty.
    this.me = this.lost = undefined;
    await this.shelf.update(() => EMPTY);
    trace.write();
    const signal = AbortSignal.timeout(GOODBYE_MS);
    const isTold =
      token === undefined ||
      (await new Service(location.origin, token).send('/me/token', { method: 'DELETE', signal }).then(
        () => true,
        (error) => error instanceof Refused && error.ended !== undefined,
      ));
    await this.sync();
    return isTold;
  }
}

/** What a person can do about a storage that fails. */
const storageFault = (error: unknown): string =>
  (error as Error).name === 'QuotaExceededError'
    ? 'This phone has no room left: make some.'
    : 'This browser could not store it: open the page anew.';

/** Asks for a Background Sync, where the browser has it: it sends the writes that wait although the page is closed. */
async function sendLater(): Promise<void> {
  const registered = await navigator.serviceWorker?.getRegistration().catch(() => undefined);
  const { sync } = (registered ?? {}) as { sync?: { register(tag: string): Promise<void> } };
  await sync?.register('send').catch(() => {});
}

/** The properties of every view. */
export interface Shown {
  kept: Notebook;
  phone: Phone;
  /** Shows a message, and has screen readers announce it. */
  say: (text: string) => void;
}

/** The key of the last attempt with this code; otherwise a new one. */
function keyFor(code: string, { tokenKey }: Notebook): string {
  return tokenKey?.startsWith(`${code} `) ? tokenKey : `${code} ${crypto.randomUUID()}`;
}
