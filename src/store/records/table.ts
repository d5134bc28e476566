import { invalid, notFound, SciaticaError } from '../../domain/errors.ts';
import { type Fields, MAX_ID } from '../../domain/fields.ts';
import { parseSort, type SortKey } from '../../domain/sort.ts';
import { LAST_ENTRY } from '../history/history.ts';
import { type Condition, joined, type Value } from '../sqlite/condition.ts';
import type { Database } from '../sqlite/database.ts';
import { openSnapshot } from '../sqlite/open.ts';

/** How much a chunk of a long list has, and so is in memory at once. */
export const CHUNK_ROWS = 250;
const MOST_CHARACTERS = 1024 * 1024;

/** Which rows, in what order, how many, from where. */
export interface Query {
  where: Condition[];
  sort?: string | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}

/** One page of a list: the records as one JSON array, and the cursor of the next page if there is one. */
export interface Page {
  json: string;
  next: string | undefined;
}

/** A table of records: the SQL that users and logs have in common, built from their fields. */
export class Table<R extends { id: number }> {
  readonly #columns: string[];
  readonly #booleans: string[];
  readonly #select: string;
  readonly #json: string;
  readonly #jsonById: string;
  readonly #byId: string;
  readonly #scope: Value[];

  /**
   * @param fields the fields of the record, `id` first
   * @param scope what is to be seen of the table: the rest is as if it were not there
   */
  constructor(
    private readonly db: Database,
    private readonly name: 'users' | 'logs',
    private readonly noun: 'user' | 'log',
    fields: Fields,
    private readonly scope: readonly Condition[] = [],
  ) {
    const { sql, values } = joined([{ sql: 'id = ?', values: [] }, ...scope]);
    this.#byId = `FROM ${name}${sql}`;
    this.#scope = values;
    this.#columns = Object.keys(fields);
    this.#booleans = this.#columns.filter((column) => fields[column]?.kind === 'boolean');
    this.#select = this.#columns.join(', ');
    this.#json = rendered(fields);
    this.#jsonById = `SELECT ${this.#json} ${this.#byId}`;
  }

  has(id: number): boolean {
    return this.db.value(`SELECT 1 ${this.#byId}`, id, ...this.#scope) === 1;
  }

  /** @throws SciaticaError `not-found` */
  get(id: number): R {
    const row = this.find(id);
    if (!row) throw notFound(this.noun, id);
    return row;
  }

  find(id: number): R | undefined {
    const row = this.db.get<R>(`SELECT ${this.#select} ${this.#byId}`, id, ...this.#scope);
    return row && this.#record(row);
  }

  /**
   * The record as JSON, rendered by SQLite.
   * @throws SciaticaError `not-found`
   */
  json(id: number): string {
    const json = this.db.value<string>(this.#jsonById, id, ...this.#scope);
    if (json === undefined) throw notFound(this.noun, id);
    return json;
  }

  /** Inserts a record, with a new id unless it brings one; returns the id. */
  insert(input: Omit<R, 'id'> & { id?: number }): number {
    const columns = this.#columns.filter((column) => column !== 'id' || input.id !== undefined);
    const { id } = this.db.run(
      `INSERT INTO ${this.name} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
      ...this.#values(columns, input),
    );
    if (id > MAX_ID)
      throw new SciaticaError('full', `No further ${this.noun} can be stored: the ids are used up.`);
    return id;
  }

  /** Writes every field of the record. */
  update(record: R): void {
    const columns = this.#columns.filter((column) => column !== 'id');
    this.db.run(
      `UPDATE ${this.name} SET ${columns.map((column) => `${column} = ?`).join(', ')} WHERE id = ?`,
      ...this.#values(columns, record),
      record.id,
    );
  }

  delete(id: number): void {
    this.db.run(`DELETE FROM ${this.name} WHERE id = ?`, id);
  }

  count(where: Condition[]): number {
    const { sql, values } = joined([...this.scope, ...where]);
    return this.db.value<number>(`SELECT count(*) FROM ${this.name}${sql}`, ...values) ?? 0;
  }

  /** The records that match, up to `query.limit`. */
  list(query: Query): R[] {
    const { sql, values } = this.#query(this.#select, query, query.limit);
    return this.db.all<R>(sql, ...values).map((row) => this.#record(row));
  }

  /** The first `limit` records that match, where to go on, and the revision that they are read from. */
  page(query: Query, limit: number): Page & { revision: number } {
    const { sql, values } = this.#query(`${this.#json} AS json`, query, limit);
    // The order of a subquery with LIMIT is kept for group_concat (SF_OrderByReqd in SQLite's select.c).
    const [count, json, revision] = this.db.row<[number, string | null, number | null]>(
      `SELECT count(*), group_concat(json), (${LAST_ENTRY}) FROM (${sql})`,
      ...values,
    );
    return {
      json: `[${json ?? ''}]`,
      revision: revision ?? 0,
      next: count < limit ? undefined : this.#cursorAfter(query, limit),
    };
  }

  /** As `page`, but cut before it takes much memory. */
  boundedPage(query: Query, limit: number): Page {
    const rows = this.#some(this.db, query, limit);
    const last = rows.at(-1);
    const next = last === undefined ? undefined : this.#cursor(query.sort, last);
    const isLast = next === undefined || this.#some(this.db, { ...query, cursor: next }, 1).length === 0;
    return { json: `[${rows.join(',')}]`, next: isLast ? undefined : next };
  }

  /** The first records that match: up to `limit`, and up to about `MOST_CHARACTERS` of JSON. */
  #some(db: Database, query: Query, limit: number): string[] {
    const { sql, values } = this.#query(`${this.#json} AS json`, query, limit);
    const most = { rows: limit, characters: MOST_CHARACTERS };
    const charactersOf = ({ json }: { json: string }) => json.length;
    return db.take(sql, most, charactersOf, ...values).map(({ json }) => json);
  }

  /** Every record that matches, in chunks, all from one moment, however long the caller takes. */
  *chunks(query: Query): Generator<R[]> {
    for (const rows of this.jsonChunks(query)) yield rows.map((row) => JSON.parse(row) as R);
  }

  /**
   * As `chunks`, each record as JSON rendered by SQLite. It reads through a connection of its own, unless the
   * store is a snapshot already: no statement stays open between chunks, and the store's connection is free meanwhile.
   */
  *jsonChunks(query: Query): Generator<string[]> {
    const db = this.db.isSnapshot ? this.db : openSnapshot(this.db.path);
    try {
      yield* (query.sort ?? 'id') === 'id' ? this.#chunksById(db, query) : this.#chunksInOrder(db, query);
    } finally {
      if (db !== this.db) db.close();
    }
  }

  /** The distinct values of a column among the records that match. */
  distinct<T extends Value>(column: string, query: Query): T[] {
    const { sql, values } = this.#query(column, query, query.limit);
    return this.db.column<T>(`SELECT DISTINCT ${column} FROM (${sql}) ORDER BY ${column}`, ...values);
  }

  *#chunksById(db: Database, query: Query): Generator<string[]> {
    let cursor = query.cursor;
    for (let left = query.limit ?? Number.POSITIVE_INFINITY; left > 0; ) {
      const rows = this.#some(db, { ...query, cursor }, Math.min(left, CHUNK_ROWS));
      if (rows.length === 0) return;
      yield rows;
      left -= rows.length;
      cursor = this.#cursor(query.sort, rows.at(-1));
    }
  }

  /** Settles the order once, in a temporary table of ids that SQLite keeps on disk when it is long. */
  *#chunksInOrder(db: Database, query: Query): Generator<string[]> {
    const { sql, values } = this.#query('id', query, query.limit);
    db.exec('DROP TABLE IF EXISTS temp.chosen');
    db.exec('CREATE TEMP TABLE chosen (place INTEGER PRIMARY KEY, id INTEGER NOT NULL) STRICT');
    db.run(`INSERT INTO temp.chosen (id) ${sql}`, ...values);
    const chunk = `SELECT ${this.#json} FROM temp.chosen JOIN ${this.name} USING (id)
      WHERE place > ? AND place <= ? ORDER BY place`;
    for (let place = 0; ; place += CHUNK_ROWS) {
      const rows = db.column<string>(chunk, place, place + CHUNK_ROWS);
      if (rows.length > 0) yield rows;
      if (rows.length < CHUNK_ROWS) return;
    }
  }

  /** The cursor behind the first `count` records that match, if more follow. */
  #cursorAfter(query: Query, count: number): string | undefined {
    const { sql, values } = this.#query(this.#json, query, 2);
    const [last, next] = this.db.column<string>(`${sql} OFFSET ${count - 1}`, ...values);
    return next === undefined ? undefined : this.#cursor(query.sort, last);
  }

  #query(select: string, { where, sort, cursor }: Query, limit: number | undefined): Condition {
    const keys = parseSort(sort ?? 'id', this.#columns);
    const { sql, values } = joined([
      ...this.scope,
      ...where,
      ...(cursor === undefined ? [] : [this.#after(cursor, keys, sort)]),
    ]);
    const order = keys.map(({ field, descending }) => `${field}${descending ? ' DESC' : ''}`).join(', ');
    // Not bound: SQLite prepares a statement anew each time a value is bound to its LIMIT (ExprIsInteger in expr.c).
    const end = limit === undefined ? '' : ` LIMIT ${limit}`;
    return { sql: `SELECT ${select} FROM ${this.name}${sql} ORDER BY ${order}${end}`, values };
  }

  /** The place of a record in an order: its values of the sort keys, and the order they belong to. */
  #cursor(sort: string | undefined, json: string | undefined): string {
    const record = JSON.parse(json ?? '{}') as Record<string, Value>;
    const keys = parseSort(sort ?? 'id', this.#columns);
    const place = [sort ?? 'id', ...keys.map(({ field }) => record[field])];
    return Buffer.from(JSON.stringify(place)).toString('base64url');
  }

  /** The condition that a row comes after the cursor's place. */
  #after(cursor: string, keys: SortKey[], sort: string | undefined): Condition {
    const [order, ...place] = decode(cursor);
    const fits = order === (sort ?? 'id') && place.length === keys.length && place.every(isValue);
    if (!fits)
      throw invalid([{ field: 'cursor', message: 'must be the cursor of a page with the same sort' }]);
    const values = place.map((value) => (typeof value === 'boolean' ? Number(value) : value)) as Value[];
    // f > v OR (f = v AND rest), with a bound on f in front that an index can begin at.
    return keys.reduceRight<Condition>(
      (rest, { field, descending }, i) => {
        const [past, value] = [descending ? '<' : '>', values[i] as Value];
        return rest.sql === ''
          ? { sql: `${field} ${past} ?`, values: [value] }
          : {
              sql: `${field} ${past}= ? AND (${field} ${past} ? OR (${rest.sql}))`,
              values: [value, value, ...rest.values],
            };
      },
      { sql: '', values: [] },
    );
  }

  #values(columns: string[], record: object): Value[] {
    const values = record as Record<string, Value | boolean>;
    return columns.map((column) => {
      const value = values[column];
      return typeof value === 'boolean' ? Number(value) : (value as Value);
    });
  }

  /** A row as SQLite gives it has 0 and 1 where the record has false and true. */
  #record(row: R): R {
    const values = row as Record<string, unknown>;
    for (const column of this.#booleans) values[column] = values[column] === 1;
    return row;
  }
}

/** The SQL of a record as JSON; format() is faster than json_object() and gives the same bytes as JSON.stringify. */
function rendered(fields: Fields): string {
  const parts = Object.entries(fields).map(([name, { kind }]) => {
    if (kind === 'integer') return { format: '%d', value: name };
    if (kind === 'boolean') return { format: '%s', value: `iif(${name}, 'true', 'false')` };
    // Checked by the schema to hold nothing that JSON escapes.
    if (kind === 'choice' || kind === 'date') return { format: '"%s"', value: name };
    return { format: '%s', value: `json_quote(${name})` };
  });
  const template = Object.keys(fields).map((name, i) => `"${name}":${parts[i]?.format}`);
  return `format('{${template}}', ${parts.map(({ value }) => value)})`;
}

function decode(cursor: string): unknown[] {
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(place) ? place : [];
  } catch {
    return [];
  }
}

function isValue(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
