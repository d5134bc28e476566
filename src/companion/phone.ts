import { Refused, Sciatica } from './client.ts';
import { EMPTY, type Lock, type Notebook } from './notebook.ts';
import { Offline } from './offline.ts';
import type { Kept } from './shelf.ts';

/** What the page does besides showing records: it pairs, syncs, and says how that goes. */

/** How the last try to reach the service went. */
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

/** Between two tries to reach the service, in milliseconds. */
const [SOON, LATE] = [2_000, 60_000];

/** One after the other in this tab, where a browser has no locks. */
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
  /** The code of the link with which the page was opened. */
  code: string | undefined;
  #pause = SOON;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isFollowing = false;

  /** @param told is called when the connection has changed */
  constructor(
    readonly shelf: Kept,
    public told: () => void,
  ) {
    const { locks } = navigator;
    const lock: Lock = locks ? (name, work) => locks.request(name, work) as Promise<never> : ownLocks();
    this.offline = new Offline(shelf, lock);
  }

  /** The service, as whom this phone is. */
  async client(): Promise<Sciatica> {
    return new Sciatica(location.origin, (await this.shelf.read())?.token);
  }

  /** Syncs now, and again later where that fails. */
  sync = async (): Promise<void> => {
    clearTimeout(this.#timer);
    const kept = (await this.shelf.read()) ?? EMPTY;
    try {
      const client = new Sciatica(location.origin, kept.token);
      if (kept.ended === undefined) {
        this.me = await client.json<Me>('/me');
        if (this.me.authentication && kept.token !== undefined) await this.#renewIfDue(client, this.me);
        if (this.#hasPerson(kept)) await this.offline.sync();
      }
      [this.connection, this.#pause] = ['ok', SOON];
      void this.#follow();
    } catch (error) {
      if (error instanceof Refused && error.problem.status === 401) await this.#end(error.kind, kept.token);
      else this.#later(error);
    }
    this.told();
  };

  /** Without tokens nothing is read before it is known whose diary it is. */
  #hasPerson({ person }: Notebook): boolean {
    return this.me?.authentication === true || person !== undefined;
  }

  /** @param token that was refused: another may have come meanwhile, by pairing or in another tab */
  async #end(ended: string, token: string | undefined): Promise<void> {
    this.connection = 'ok';
    await this.shelf.update((kept) => {
      if (kept.token !== token) return kept;
      return ended === 'person-erased' ? { ...EMPTY, ended } : { ...kept, ended };
    });
  }

  #later(error: unknown): void {
    this.connection = error instanceof Refused ? { refused: error.message } : 'unreachable';
    this.#timer = setTimeout(() => void this.sync(), this.#pause);
    this.#pause = Math.min(LATE, this.#pause * 2);
  }

  async #follow(): Promise<void> {
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    await this.offline.follow(new AbortController().signal).catch(() => {});
    this.#isFollowing = false;
    this.#timer = setTimeout(() => void this.sync(), this.#pause);
  }

  /** Renews the token in the last quarter of its life. */
  async #renewIfDue(client: Sciatica, { createdAt, expiresAt }: Me): Promise<void> {
    if (createdAt === null || expiresAt === null) return;
    const [from, to] = [Date.parse(createdAt), Date.parse(expiresAt)];
    if (to - Date.now() > (to - from) / 4) return;
    const { tokenKey } = await this.shelf.update((kept) => ({ tokenKey: crypto.randomUUID(), ...kept }));
    const headers = { 'Idempotency-Key': tokenKey ?? '' };
    const { token } = await client.json<{ token: string }>('/me/token', { method: 'POST', headers });
    await this.shelf.update(({ tokenKey: _, ...kept }) => ({ ...kept, token }));
  }

  /**
   * Exchanges the one-time code of `sciatica pair` for a token. Where the answer is lost, the same key gets the same token.
   * @throws Refused, TypeError without a network
   */
  async pair(code: string): Promise<void> {
    const { tokenKey = '' } = await this.shelf.update((kept) => ({ ...kept, tokenKey: keyFor(code, kept) }));
    const name = /Android|iPhone|iPad|Windows|Mac|Linux/.exec(navigator.userAgent)?.[0] ?? 'phone';
    const made = await new Sciatica(location.origin).json<{ token: string }>('/pair', {
      method: 'POST',
      headers: { 'Idempotency-Key': tokenKey },
      body: JSON.stringify({ code, name }),
    });
    await this.shelf.update(({ tokenKey: _, ended: _ended, since: _since, person: _person, ...kept }) => ({
      ...kept,
      records: {},
      token: made.token,
      url: location.origin,
    }));
    await this.sync();
  }

  /** Without tokens: says whose diary it is. */
  async choose(person: number): Promise<void> {
    await this.shelf.update(({ ended: _, ...kept }) => ({ ...kept, person, url: location.origin }));
    await this.sync();
  }

  /**
   * Gives the token back and forgets everything.
   * @returns whether the service knows; otherwise the token has to be taken back there
   */
  async forget(): Promise<boolean> {
    const isTold = await this.client()
      .then((client) => client.send('/me/token', { method: 'DELETE' }))
      .then(
        () => true,
        (error) => error instanceof Refused && error.problem.status < 500,
      );
    await this.shelf.update(() => EMPTY);
    this.me = undefined;
    await this.sync();
    return isTold;
  }
}

/** What every view gets. */
export interface Shown {
  kept: Notebook;
  phone: Phone;
  /** Says something to whoever looks or listens. */
  say: (text: string) => void;
}

/** The key of the last try with this code, else a new one. */
function keyFor(code: string, { tokenKey }: Notebook): string {
  return tokenKey?.startsWith(`${code} `) ? tokenKey : `${code} ${crypto.randomUUID()}`;
}
