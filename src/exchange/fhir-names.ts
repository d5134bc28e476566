/** The kinds of resource of a bundle; each is a digit of its UUID, so a kind keeps its place in the list. */
const resourceKinds = ['patient', 'session', 'before', 'after', 'report'] as const;
export type ResourceKind = (typeof resourceKinds)[number];

/** What a record's id is called in an identifier, by kind of resource. */
const values: Readonly<Record<ResourceKind, (id: number) => string>> = {
  patient: (id) => `user-${id}`,
  session: (id) => `log-${id}`,
  before: (id) => `log-${id}-before`,
  after: (id) => `log-${id}-after`,
  report: (id) => `user-${id}-report`,
};

/**
 * The names that resources have beyond the database their records are in. A record of one database always has
 * the same names, and no record of another database has them: ids alone begin at 1 in each.
 */
export class Names {
  readonly #database: string;
  readonly #prefix: string;

  /** @param database the UUID of the database */
  constructor(database: string) {
    this.#database = database.toLowerCase();
    const hex = this.#database.replaceAll('-', '');
    this.#prefix = `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8`;
  }

  /**
   * The name of a resource within a bundle: a UUID of version 8 (RFC 9562, 5.8), made of the database's UUID, the
   * kind and the record's id (below 2^52).
   */
  urn(kind: ResourceKind, id: number): string {
    const digits = resourceKinds.indexOf(kind).toString(16) + id.toString(16).padStart(14, '0');
    return `${this.#prefix}${digits.slice(0, 3)}-${digits.slice(3)}`;
  }

  reference(kind: ResourceKind, id: number): { reference: string } {
    return { reference: this.urn(kind, id) };
  }

  /**
   * The business identifier of a resource, by which a server knows it again.
   * @param version what tells resources of the same record apart
   */
  identifier(kind: ResourceKind, id: number, version = ''): { system: string; value: string } {
    return { system: `urn:uuid:${this.#database}`, value: values[kind](id) + version };
  }
}
