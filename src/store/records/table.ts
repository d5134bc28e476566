import { type Cell, fromCells, toCell } from '../../domain/codec.ts';
import { idsUsedUp, notFound } from '../../domain/errors.ts';
import { type Fields, MAX_ID } from '../../domain/fields.ts';
import { type KindName, kinds } from '../../domain/kinds.ts';
import { LAST_ENTRY } from '../history/history.ts';
import { type Condition, joined, type Value } from '../sqlite/condition.ts';
import type { Database } from '../sqlite/database.ts';
import { storedJson } from '../sqlite/errors.ts';
import { PROCEED } from '../sqlite/reader.ts';
import { openSource, type Source } from '../sqlite/snapshot.ts';
import { jsonOf } from './json.ts';
import { chunksInOrder } from './lists/chunks.ts';
import { csvLineOf } from './lists/csv.ts';
import { cursorAfter, cursorOfId } from './lists/cursor.ts';
import { type Lines, linesById, linesOf } from './lists/lines.ts';
import { ListSql } from './lists/list-sql.ts';
import { type Chunk, chunkOf, idsOf, type Page, type Query, type Row, type ShortPage } from './lists/rows.ts';
import { totalOf, totalOfTable } from './lists/totals.ts';

/** How much of a long list is in memory at once: records, and characters of JSON. */
const CHUNK_ROWS = 250;
const CHUNK_CHARACTERS = 1024 * 1024;

export type { Chunk, IdRange, Page, Query, ShortPage } from './lists/rows.ts';

const TABLES = { user: 'users', log: 'logs', routine: 'routines', goal: 'goals' } as const satisfies Record<
  KindName,
  string
>;

const isById = ({ sort = 'id' }: Query) => sort === 'id';

/** A record as JSON, and the id of the user whose it is; null for a user. */
export type OwnedJson = [json: string, userId: number | null];

/** A table of records: the SQL that all kinds have in common, built from their fields. */
export class Table<R extends { id: number }> {
  readonly #name: string;
  readonly #fields: Fields;
  readonly #columns: string[];
  readonly #jsonById: string;
  readonly #ownedById: string;
  readonly #byId: string;
  readonly #insert: string;
  readonly #update: string;
  readonly #scopeValues: Value[];
  /** Conditions of every scan, which are true or end it: in front, because the first that is false hides the others. */
  readonly #checks: readonly Condition[];
  readonly #list: ListSql;

  /**
   * @param scope conditions of the visible rows; others are treated as absent
   */
  constructor(
    private readonly db: Database,
    private readonly noun: KindName,
    private readonly scope: readonly Condition[] = [],
  ) {
    const { sql, values } = joined([{ sql: 'id = ?', values: [] }, ...scope]);
    this.#name = TABLES[noun];
    this.#fields = kinds[noun].fields;
    this.#columns = Object.keys(this.#fields);
    this.#byId = `FROM ${this.#name}${sql}`;
    this.#scopeValues = values;
    this.#checks = db.reader ? [PROCEED] : [];
    this.#list = new ListSql(this.#name, this.#fields, [...this.#checks, ...scope]);
    const owner = 'userId' in this.#fields ? 'userId' : 'NULL';
    this.#jsonById = `SELECT ${jsonOf(this.#fields)} ${this.#byId}`;
    this.#ownedById = `SELECT ${jsonOf(this.#fields)}, ${owner} ${this.#byId}`;
    const [, ...others] = this.#columns;
    this.#insert = `INSERT INTO ${this.#name} (${this.#columns}) VALUES (${this.#columns.map(() => '?')})`;
    this.#update = `UPDATE ${this.#name} SET ${others.map((column) => `${column} = ?`)} WHERE id = ?`;
  }

  has(id: number): boolean {
    return this.db.value(`SELECT 1 ${this.#byId}`, id, ...this.#scopeValues) === 1;
  }

  /** @throws SciaticaError `not-found` */
  get(id: number): R {
    const record = this.find(id);
    if (!record) throw notFound(this.noun, id);
    return record;
  }

  find(id: number): R | undefined {
    const row = this.db.get<object>(`SELECT ${this.#columns} ${this.#byId}`, id, ...this.#scopeValues);
    return row && this.#recordOf(row);
  }

  /**
   * The record as JSON, rendered by SQLite.
   * @throws SciaticaError `not-found`
   */
  json(id: number): string {
    const json = this.db.value<string>(this.#jsonById, id, ...this.#scopeValues);
    if (json === undefined) throw notFound(this.noun, id);
    return json;
  }

  /** As `json`, with the owner. */
  ownedJson(id: number): OwnedJson {
    const row = this.db.row<OwnedJson | undefined>(this.#ownedById, id, ...this.#scopeValues);
    if (!row) throw notFound(this.noun, id);
    return row;
  }

  /** Inserts a record, with a new id unless it brings one; returns the stored record. */
  insert(input: Omit<R, 'id'> & { id?: number }): R {
    const [given, ...cells] = this.#cells(input);
    const { id } = this.db.run(this.#insert, given ?? null, ...cells);
    if (id > MAX_ID) throw idsUsedUp(this.noun);
    return this.#record([id, ...cells]);
  }

  /** Writes every field of the record: an optional one that it lacks becomes NULL. Returns the stored record. */
  update(record: Omit<R, 'id'>, id: number): R {
    const [, ...cells] = this.#cells(record);
    this.db.run(this.#update, ...cells, id);
    return this.#record([id, ...cells]);
  }

  delete(id: number): void {
    this.db.run(`DELETE FROM ${this.#name} WHERE id = ?`, id);
  }

  count(where: readonly Condition[]): number {
    const { sql, values } = this.#count(where);
    return this.db.value<number>(sql, ...values) ?? 0;
  }

  /** As `count`, outside of changes: it is counted once, and kept. */
  total(where: readonly Condition[]): number {
    return where.length === 0 && this.scope.length === 0
      ? totalOfTable(this.db, this.#name, this.noun)
      : totalOf(this.db, this.#count(where));
  }

  #count(where: readonly Condition[]): Condition {
    // SQLite counts all rows faster than it looks at any.
    const scanned = where.length > 0 ? this.#checks : [];
    const { sql, values } = joined([...scanned, ...this.scope, ...where]);
    return { sql: `SELECT count(*) FROM ${this.#name}${sql}`, values };
  }

  /** The records that match, up to `query.limit`. */
  list(query: Query): R[] {
    const { sql, values } = this.#list.query(this.#columns.join(', '), query, query.limit);
    return this.db.all<object>(sql, ...values).map((row) => this.#recordOf(row));
  }

  /**
   * The first records that match: as many as one chunk of a long list has, up to `query.limit`.
   * @param withIds whether their ids are asked for: finding the range takes a tenth of the time
   */
  shortPage(query: Query, withIds: boolean): ShortPage {
    const [id, range] = withIds ? ['id, ', 'min(id), max(id)'] : ['', '0, 0'];
    const { limit = Number.POSITIVE_INFINITY } = query;
    const { sql, values } = this.#list.query(
      `${id}${this.#list.jsonOf(query)} AS json`,
      query,
      Math.min(limit, CHUNK_ROWS),
    );
    // The order of a subquery with LIMIT is kept for group_concat (SF_OrderByReqd in SQLite's select.c).
    const [count, json, first, last, revision] = this.db.row<
      [number, string | null, number, number, number | null]
    >(`SELECT count(*), group_concat(json), ${range}, (${LAST_ENTRY}) FROM (${sql})`, ...values);
    return {
      json: `[${json ?? ''}]`,
      ids: withIds && count > 0 ? { first, last, count } : undefined,
      revision: revision ?? 0,
      next: count < CHUNK_ROWS || limit <= CHUNK_ROWS ? undefined : this.#cursorBehind(query, CHUNK_ROWS),
    };
  }

  /** The first `limit` records that match, or as many as have about `CHUNK_CHARACTERS` of JSON. */
  page(query: Query, limit: number): Page {
    const rows = this.#take(this.db, query, limit);
    const last = rows.at(-1);
    const next = last && this.#list.cursorAfter(last, query);
    const isLast = next === undefined || this.#take(this.db, { ...query, cursor: next }, 1).length === 0;
    const ids = rows.length > 0 ? idsOf(rows) : undefined;
    return { json: `[${rows.map(({ json }) => json)}]`, next: isLast ? undefined : next, ids };
  }

  /** Every record that matches, in chunks, as `jsonChunks` reads them. */
  *chunks(query: Query): Generator<R[]> {
    for (const rows of this.jsonRows(query)) yield rows.map((row) => storedJson<R>(row));
  }

  /**
   * As `chunks`, each record as JSON rendered by SQLite. It reads through a connection of its own, unless the
   * store is a snapshot already: no statement stays open between chunks, and the store's connection is free meanwhile.
   * All is from one moment, unless the caller takes longer than a snapshot is held. Then a list by id goes on behind its
   * last record; one in another order goes on if no record still to come was changed.
   * @throws SciaticaError `conflict` where the order cannot be kept
   */
  jsonChunks(query: Query): Generator<Chunk> {
    return this.#reading(query, (source) =>
      isById(query)
        ? this.#chunksById(source, query)
        : this.#chunksInOrder(source, query, this.#list.jsonOf(query)),
    );
  }

  /** As `jsonChunks`, as lines of CSV, each with its end (see `csvLineOf`). */
  csvLines(query: Query, raw: boolean): Generator<Lines> {
    return this.#lines(query, csvLineOf(this.#fields, raw), '');
  }

  /** As `jsonChunks`, with some records in one text: half the time. */
  jsonLines(query: Query, separator: string): Generator<Lines> {
    return this.#lines(query, this.#list.jsonOf(query), separator);
  }

  #lines(query: Query, line: string, separator: string): Generator<Lines> {
    const after = (id: number | undefined, limit: number) =>
      this.#list.query(`id, ${line} AS line`, { ...query, ...(id && { cursor: cursorOfId(id) }) }, limit);
    return this.#reading(query, (source) =>
      isById(query)
        ? linesById(source, after, { separator, limit: query.limit })
        : linesOf(this.#chunksInOrder(source, query, line), separator),
    );
  }

  *#reading<T>(query: Query, read: (source: Source) => Generator<T>): Generator<T> {
    const source = openSource(this.db, !isById(query));
    try {
      yield* read(source);
    } finally {
      source.close();
    }
  }

  #chunksInOrder(source: Source, query: Query, json: string): Generator<Chunk> {
    const ids = this.#list.query('id', query, query.limit);
    const record = { noun: this.noun, table: this.#name, json };
    return chunksInOrder(source, record, ids, { rows: CHUNK_ROWS, characters: CHUNK_CHARACTERS });
  }

  /** The rows of `jsonChunks`. */
  *jsonRows(query: Query): Generator<string[]> {
    for (const { rows } of this.jsonChunks(query)) yield rows;
  }

  /** The distinct values of a column among the records that match. */
  distinct<T extends Value>(column: string, query: Query): T[] {
    const { sql, values } = this.#list.query(column, query, query.limit);
    return this.db.column<T>(`SELECT DISTINCT ${column} FROM (${sql}) ORDER BY ${column}`, ...values);
  }

  *#chunksById(source: Source, query: Query): Generator<Chunk> {
    let { cursor } = query;
    for (let left = query.limit ?? Number.POSITIVE_INFINITY; left > 0; ) {
      const rest =
        cursor === query.cursor ? query : { ...query, ...(cursor !== undefined && { cursor }), offset: 0 };
      const rows = source.read((db) => this.#take(db, rest, Math.min(left, CHUNK_ROWS)));
      const last = rows.at(-1);
      if (!last) return;
      yield chunkOf(rows);
      left -= rows.length;
      cursor = this.#list.cursorAfter(last, query);
    }
  }

  /** The first records that match: up to `limit`, and up to about `CHUNK_CHARACTERS` of JSON. */
  #take(db: Database, query: Query, limit: number): Row[] {
    const place = query.fields ? `, ${this.#list.placeOf(query)} AS place` : '';
    const { sql, values } = this.#list.query(`id, ${this.#list.jsonOf(query)} AS json${place}`, query, limit);
    const most = { rows: limit, characters: CHUNK_CHARACTERS };
    return db.take<Row>(sql, most, ({ json }) => json.length, ...values);
  }

  /** The cursor behind the first `count` records that match, if more follow. */
  #cursorBehind(query: Query, count: number): string | undefined {
    const behind = { ...query, offset: (query.offset ?? 0) + count - 1 };
    const { sql, values } = this.#list.query(this.#list.placeOf(query), behind, 2);
    const [last = '', next] = this.db.column<string>(sql, ...values);
    return next === undefined ? undefined : cursorAfter(last, query.sort, this.#fields);
  }

  /** The cells of a record in the order of the columns; NULL for an id that is to be given. */
  #cells(record: object): Cell[] {
    const values = record as Record<string, unknown>;
    return this.#columns.map((column) => toCell(this.#fields[column], values[column]));
  }

  #recordOf(row: object): R {
    const cells = row as Record<string, unknown>;
    return fromCells(this.#fields, (name) => cells[name]) as R;
  }

  /** The record that cells in the order of the columns make: what a read would give, for checked values are stored as they are. */
  #record(cells: readonly Cell[]): R {
    let place = 0;
    return fromCells(this.#fields, () => cells[place++]) as R;
  }
}
