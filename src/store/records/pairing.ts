import { CODE_LIFETIME_MS, CODE_TRIES, DEFAULT_NAME } from '../../domain/pairing.ts';
import { NAME_LENGTH, type Token, type TokenInput } from '../../domain/token.ts';
import { crypto } from '../../lib/crypto.ts';
import type { Database } from '../sqlite/database.ts';
import { storedJson } from '../sqlite/errors.ts';
import { Settings } from './settings.ts';

/** Prefix by which people and secret scanners recognise a token. */
export const PREFIX = 'sciatica_';

const CODE_BYTES = 16;

/** The last code, stored as a hash. */
interface StoredCode {
  /** SHA-256, in hexadecimal. */
  hash: string;
  /** Id of the user for whom the token will be. */
  user: number;
  /** Lifetime of the token, in milliseconds. */
  lifetime: number;
  /** When the code expires, in milliseconds since 1970. */
  expiresAt: number;
  /** Wrong attempts until the code is closed. */
  triesLeft: number;
  /** Id of the token that the code was exchanged for. */
  token?: number;
}

/** Addresses of the service that phones can be paired with. */
export interface PairingService {
  host: string;
  port: number;
  /** Pin of the certificate's key, where the certificate is self-signed. */
  pin?: string;
  /** URLs at which phones reach it, if not at `host` and `port`. */
  urls?: readonly string[];
}

/** The result of an exchange. */
export type Exchange = 'closed' | 'wrong' | { token: Token & { token: string }; user: number };

/** The part of `records/tokens.ts` that pairing needs. */
interface Tokens {
  create(input: TokenInput, token?: string): Token & { token: string };
  find(secret: string): Token | undefined;
  get(id: number): Token;
}

/** The one-time pairing code, at most one for each database: the command line opens it, a service exchanges it. */
export class Pairing {
  readonly #settings: Settings;

  /** @param now the clock, in milliseconds since 1970 */
  constructor(
    private readonly db: Database,
    private readonly tokens: Tokens,
    private readonly now: () => number,
  ) {
    this.#settings = new Settings(db);
  }

  /**
   * Opens a new code and closes any other.
   * @param lifetime of the token, in milliseconds
   * @returns the code, which is not stored and cannot be read again
   */
  open(user: number, lifetime: number): { code: string; expiresAt: number } {
    const code = crypto().randomBytes(CODE_BYTES).toString('base64url');
    const expiresAt = this.now() + CODE_LIFETIME_MS;
    this.#store({ hash: hashOf(code), user, lifetime, expiresAt, triesLeft: CODE_TRIES });
    return { code, expiresAt };
  }

  /** Whether a code can be exchanged now. */
  get isOpen(): boolean {
    return this.#openCode() !== undefined;
  }

  /** Whether a code is open, or was exchanged and has not expired: the phone may retry after a lost answer. */
  get isAnswered(): boolean {
    const code = this.#stored();
    return this.isOpen || (code?.token !== undefined && code.expiresAt > this.now());
  }

  /**
   * Exchanges the open code for a patient's token. A wrong code is counted, so the caller must commit the
   * transaction whatever this returns.
   * @param name of the token, valid by `isTokenName`; a number is appended where it is taken
   * @param key known to the phone only: with it, the phone gets the same token again until the code expires
   */
  exchange(code: string, name = DEFAULT_NAME, key?: string): Exchange {
    return this.db.write(() => {
      const repeated = key === undefined ? undefined : this.#repeated(code, key);
      if (repeated) return repeated;
      const open = this.#openCode();
      if (!open) return 'closed';
      if (!isSame(open.hash, hashOf(code))) {
        this.#store({ ...open, triesLeft: open.triesLeft - 1 });
        return 'wrong';
      }
      const { user, lifetime } = open;
      const input: TokenInput = { name: this.#freeName(name), role: 'patient', users: [user], lifetime };
      const token = this.tokens.create(input, key === undefined ? undefined : derivedToken(code, key));
      this.#store({ ...open, token: token.id });
      return { token, user };
    });
  }

  /** The token that an earlier exchange with this code and key gave; undefined if there was none. */
  #repeated(code: string, key: string): Exchange | undefined {
    const used = this.#stored();
    if (used?.token === undefined || used.expiresAt <= this.now()) return undefined;
    const token = derivedToken(code, key);
    const found = this.tokens.find(token);
    return found?.id === used.token ? { token: { ...found, token }, user: used.user } : undefined;
  }

  /** The state of a code that was opened here: the token that it was exchanged for, or why it is closed. */
  outcome(code: string): 'open' | 'expired' | 'tries' | 'gone' | Token {
    const stored = this.#stored();
    if (!stored || !isSame(stored.hash, hashOf(code))) return 'gone';
    if (stored.token !== undefined) return this.tokens.get(stored.token);
    if (stored.triesLeft <= 0) return 'tries';
    if (stored.expiresAt <= this.now()) return 'expired';
    return this.#openCode() ? 'open' : 'gone';
  }

  /** Closes a code that was opened here, so that it can no longer be exchanged. @returns whether it was open */
  close(code: string): boolean {
    return this.db.write(() => {
      if (this.outcome(code) !== 'open') return false;
      this.#settings.remove('pairingCode');
      return true;
    });
  }

  /** Closes the code for a user who is being erased. */
  forget(user: number): void {
    if (this.#stored()?.user === user) this.#settings.remove('pairingCode');
  }

  /** The service that announced last that phones can pair with it. It may have been killed since. */
  get service(): PairingService | undefined {
    const text = this.#settings.get('pairingService');
    return text === undefined ? undefined : storedJson<PairingService>(text);
  }

  announce(service: PairingService): void {
    this.#settings.set('pairingService', JSON.stringify(service));
  }

  /** Withdraws the announcement of a service, unless another service has replaced it. */
  withdraw(service: PairingService): void {
    this.db.write(() => {
      if (this.#settings.get('pairingService') === JSON.stringify(service))
        this.#settings.remove('pairingService');
    });
  }

  /** For a restored backup: the code and the service of the time of the backup are no longer valid. */
  reset(): void {
    this.#settings.remove('pairingCode');
    this.#settings.remove('pairingService');
  }

  #stored(): StoredCode | undefined {
    const text = this.#settings.get('pairingCode');
    return text === undefined ? undefined : storedJson<StoredCode>(text);
  }

  #openCode(): StoredCode | undefined {
    const code = this.#stored();
    if (!code || code.token !== undefined || code.triesLeft <= 0 || code.expiresAt <= this.now())
      return undefined;
    // The user may have been deleted meanwhile.
    return this.db.value('SELECT 1 FROM users WHERE id = ?', code.user) === 1 ? code : undefined;
  }

  #store(code: StoredCode): void {
    this.#settings.set('pairingCode', JSON.stringify(code));
  }

  /** The name, or the first of `name-2`, `name-3` … that no token has or had. */
  #freeName(name: string): string {
    for (let n = 1; ; n++) {
      const end = n === 1 ? '' : `-${n}`;
      const free = `${name.slice(0, NAME_LENGTH - end.length)}${end}`;
      if (this.db.value('SELECT 1 FROM tokens WHERE name = ?', free) !== 1) return free;
    }
  }
}

/**
 * Derives a token from two secrets (HMAC, RFC 2104), so that it can be given again without storing it.
 * @param secret made by the service, at least 128 bits
 * @param key made by the phone
 */
export const derivedToken = (secret: string, key: string): string =>
  PREFIX + crypto().createHmac('sha256', secret).update(key).digest('base64url');

const hashOf = (code: string): string => crypto().hash('sha256', code, 'hex');

const isSame = (a: string, b: string): boolean =>
  crypto().timingSafeEqual(Buffer.from(a, 'hex'), Buffer.from(b, 'hex'));
