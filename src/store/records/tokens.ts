import { absent, conflict, type Issue, invalid } from '../../domain/errors.ts';
import { checkToken, type Token, type TokenInput } from '../../domain/token.ts';
import { crypto } from '../../lib/crypto.ts';
import type { Database } from '../sqlite/database.ts';
import { storedJson } from '../sqlite/errors.ts';
import { derivedToken, Pairing, PREFIX } from './pairing.ts';
import { Settings } from './settings.ts';

const SECRET_BYTES = 32;

/** Milliseconds for which found tokens are used without checking `data_version`. */
const LOOK_MS = 1;

type Row = Omit<Token, 'users'> & { users: string | null; hash?: Uint8Array };

const SELECT = 'SELECT id, name, role, users, createdAt, expiresAt, lastUsedAt, revokedAt';

/** A token that was looked up by its secret. */
export interface Found extends Token {
  /** SHA-256 of the secret, if the secret is a renewed one that was never used. */
  renewed?: Uint8Array;
}

/** A new secret for a token, before its first use. */
interface Renewal {
  /** Id of the token. */
  id: number;
  /** SHA-256 of the secret, in hexadecimal. */
  hash: string;
  /** When the secret was made, in milliseconds since 1970. */
  at: number;
  expiresAt: number | null;
}

/** The access tokens of the service. Only the hash of each is stored. */
export class Tokens {
  /**
   * Cache of tokens by secret, in memory only: hashing and looking up costs as much as a read. V8 seeds its
   * string hashes, so the time that a look-up takes reveals nothing about the secrets.
   */
  readonly #found = new Map<string, Found>();
  #version = '';
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** The one-time code that a phone exchanges for a token. */
  readonly pairing: Pairing;
  readonly #settings: Settings;

  constructor(
    private readonly db: Database,
    private readonly now: () => number = Date.now,
  ) {
    this.pairing = new Pairing(db, this, now);
    this.#settings = new Settings(db);
  }

  /**
   * Creates a token.
   * @param token its secret; random by default
   * @returns the token with its secret, which is not stored and cannot be read again
   * @throws SciaticaError `invalid`, `conflict` for a name that a token has or had
   */
  create(
    input: TokenInput,
    token = PREFIX + crypto().randomBytes(SECRET_BYTES).toString('base64url'),
  ): Token & { token: string } {
    checkToken(input);
    const { name, role, users, lifetime } = input;
    const createdAt = this.now();
    return this.db.write(() => {
      this.#requireUsers(users ?? []);
      // The history refers to tokens by name, so the name of a revoked token stays taken.
      if (this.db.value('SELECT 1 FROM tokens WHERE name = ?', name) === 1)
        throw conflict(`There is, or was, a token called "${name}". Choose another name.`);
      const { id } = this.db.run(
        'INSERT INTO tokens (name, role, hash, users, createdAt, expiresAt) VALUES (?, ?, ?, ?, ?, ?)',
        name,
        role,
        hashOf(token),
        users && JSON.stringify(users),
        createdAt,
        lifetime && createdAt + lifetime,
      );
      return { ...this.get(id), token };
    });
  }

  list(): Token[] {
    return this.db.all<Row>(`${SELECT} FROM tokens ORDER BY id`).map(tokenOf);
  }

  /** @throws SciaticaError `not-found` */
  get(id: number): Token {
    const row = this.db.get<Row>(`${SELECT} FROM tokens WHERE id = ?`, id);
    if (!row) throw absent(`There is no token ${id}.`);
    return tokenOf(row);
  }

  /** The token with this secret, expired and revoked ones included. */
  find(secret: string): Found | undefined {
    this.#forgetChanged();
    const known = this.#found.get(secret);
    if (known) return known;
    const hash = hashOf(secret);
    const token = this.#lookUp(hash) ?? this.#lookUpRenewed(hash);
    // A token read inside a write transaction may be rolled back: not cached.
    if (token && !this.db.inTransaction) this.#found.set(secret, token);
    return token;
  }

  #lookUp(key: Buffer): Token | undefined {
    const row = this.db.get<Row>(`${SELECT}, hash FROM tokens WHERE hash = ?`, key);
    if (!row?.hash || !crypto().timingSafeEqual(row.hash, key)) return undefined;
    const { hash: _, ...token } = row;
    return tokenOf(token);
  }

  #lookUpRenewed(hash: Buffer): Found | undefined {
    const renewal = this.#renewals.find((one) => one.hash === hash.toString('hex'));
    if (!renewal) return undefined;
    return { ...this.get(renewal.id), expiresAt: renewal.expiresAt, renewed: hash };
  }

  get #renewals(): readonly Renewal[] {
    return storedJson<Renewal[]>(this.#settings.get('renewals') ?? '[]');
  }

  set #renewals(renewals: readonly Renewal[]) {
    this.#settings.set('renewals', JSON.stringify(renewals));
  }

  /** Clears the cache if another connection may have changed the tokens (`data_version`). */
  #forgetChanged(): void {
    const now = performance.now();
    if (now - this.#lookedAt < LOOK_MS) return;
    this.#lookedAt = now;
    const version = this.db.version();
    if (version !== this.#version) this.#found.clear();
    this.#version = version;
  }

  /** Whether a secret belonged to a token that was deleted because its user was erased. */
  wasForErased(secret: string): boolean {
    return this.#settings.texts('erasedTokens').includes(hashOf(secret).toString('hex'));
  }

  /** Stores the time of the last use. The first use of a renewed secret invalidates the former one. */
  touch(id: number, renewed?: Uint8Array): void {
    this.db.write(() => {
      this.db.run('UPDATE tokens SET lastUsedAt = ? WHERE id = ?', this.now(), id);
      const renewal = this.#renewals.find((one) => one.id === id);
      if (!renewed || renewal?.hash !== Buffer.from(renewed).toString('hex')) return;
      this.#found.clear();
      const { at, expiresAt } = renewal;
      const sql = 'UPDATE tokens SET hash = ?, createdAt = ?, expiresAt = ? WHERE id = ?';
      this.db.run(sql, renewed, at, expiresAt, id);
      this.#renewals = this.#renewals.filter((one) => one !== renewal);
    });
  }

  /**
   * Gives a token a new secret and restarts its lifetime. The former secret works until the new one is used.
   * @param secret the current one; not a renewed one before its first use
   * @param key known to the caller only: a retry with the same key gets the same new secret, until that is used
   * @throws SciaticaError `not-found`
   */
  renew(secret: string, key: string): Token & { token: string } {
    return this.db.write(() => {
      const found = this.#lookUp(hashOf(secret));
      if (!found) throw absent('There is no token with this secret.');
      const { id, createdAt, expiresAt } = found;
      const token = derivedToken(secret, key);
      const hash = hashOf(token).toString('hex');
      const at = this.now();
      const made = { id, hash, at, expiresAt: expiresAt && at + expiresAt - createdAt };
      const renewal = this.#renewals.find((one) => one.hash === hash) ?? made;
      this.#found.clear();
      this.#renewals = [...this.#renewals.filter((one) => one.id !== id), renewal];
      return { ...found, createdAt: renewal.at, expiresAt: renewal.expiresAt, token };
    });
  }

  /**
   * Revokes a token at once. Its name stays taken.
   * @param key the name or the id of the token
   * @throws SciaticaError `not-found`
   */
  revoke(key: string): Token {
    return this.db.write(() => {
      const { id } = this.named(key);
      this.#found.clear();
      this.db.run('UPDATE tokens SET revokedAt = ? WHERE id = ? AND revokedAt IS NULL', this.now(), id);
      return this.get(id);
    });
  }

  /**
   * The token with a name or an id. Names begin with a letter, so the two never collide.
   * @throws SciaticaError `not-found`
   */
  named(key: string): Token {
    const sql = 'SELECT id FROM tokens WHERE name = ? OR CAST(id AS TEXT) = ?';
    const id = this.db.value<number>(sql, key, key);
    if (id === undefined) throw absent(`There is no token "${key}".`);
    return this.get(id);
  }

  /**
   * Deletes the tokens for this erased user that cover no remaining user, and closes the user's pairing code.
   * Only the hashes of the tokens stay, so that a device that still sends one is told to delete its data.
   */
  forget(user: number): void {
    this.#found.clear();
    this.pairing.forget(user);
    const theirs = `EXISTS (SELECT 1 FROM json_each(tokens.users) WHERE value = ?)
      AND NOT EXISTS (SELECT 1 FROM json_each(tokens.users) JOIN users ON users.id = value)`;
    const gone = this.db.all<{ id: number; hash: string }>(
      `SELECT id, lower(hex(hash)) AS hash FROM tokens WHERE ${theirs}`,
      user,
    );
    const ids = new Set(gone.map(({ id }) => id));
    const renewed = this.#renewals.filter(({ id }) => ids.has(id));
    const hashes = [...gone, ...renewed].map(({ hash }) => hash);
    if (hashes.length > 0)
      this.#settings.set(
        'erasedTokens',
        JSON.stringify([...this.#settings.texts('erasedTokens'), ...hashes]),
      );
    if (renewed.length > 0) this.#renewals = this.#renewals.filter(({ id }) => !ids.has(id));
    this.db.run(`DELETE FROM tokens WHERE ${theirs}`, user);
  }

  #requireUsers(users: readonly number[]): void {
    const issues: Issue[] = users
      .filter((id) => this.db.value('SELECT 1 FROM users WHERE id = ?', id) === undefined)
      .map((id) => ({ field: '--user', message: `must be ids of existing users; there is no user ${id}` }));
    if (issues.length > 0) throw invalid(issues);
  }
}

function hashOf(secret: string): Buffer {
  return crypto().hash('sha256', secret, 'buffer');
}

function tokenOf({ users, ...row }: Row): Token {
  return { ...row, users: users === null ? null : storedJson<number[]>(users) };
}
