import { type Cell, fromCells, toCell } from '../../domain/codec.ts';
import { idsUsedUp, notFound } from '../../domain/errors.ts';
import { MAX_ID } from '../../domain/fields.ts';
import type { Kind } from '../../domain/kind.ts';
import { type FilterOf, type KindName, kindOf, nounOf, type RecordOfKind } from '../../domain/kinds.ts';
import type { ListFilter } from '../../domain/sort.ts';
import { type Condition, isAmong, joined, type Value } from '../sqlite/condition.ts';
import type { Database } from '../sqlite/database.ts';
import { storedJson } from '../sqlite/errors.ts';
import { PROCEED } from '../sqlite/reader.ts';
import { openSource, type Source } from '../sqlite/snapshot.ts';
import { isLong } from './lists/cost.ts';
import { cursorAfter, cursorOfId } from './lists/cursor.ts';
import { conditionsFor, ListSql } from './lists/list-sql.ts';
import { chunksInOrder, type Lines, linesById, linesOf } from './lists/long-lists.ts';
import { csvLineOf, jsonOf } from './lists/render.ts';
import {
  type Chunk,
  charactersOf,
  chunkOf,
  idsOf,
  LAST_ENTRY,
  type Page,
  type Query,
  type Row,
  type ShortPage,
  totalOf,
  totalOfTable,
} from './lists/rows.ts';

/** Bounds of a chunk, the part of a long list that is in memory at once: records, and characters of JSON. */
const CHUNK_ROWS = 250;
const CHUNK_CHARACTERS = 1024 * 1024;

const isById = ({ sort = 'id' }: Query) => sort === 'id';

/** A record as JSON, and the id of its owner; null for a user. */
type OwnedJson = [json: string, userId: number | null];

/** The SQL of a kind, which does not depend on the connection or the view. */
type KindSql = ReturnType<typeof makeSql>;

const kindSql = new Map<KindName, KindSql>();

function sqlOf(kind: KindName): KindSql {
  let sql = kindSql.get(kind);
  if (!sql) {
    sql = makeSql(kindOf(kind));
    kindSql.set(kind, sql);
  }
  return sql;
}

function makeSql({ table, fields, filters }: Kind) {
  const columns = Object.keys(fields);
  const [, ...others] = columns;
  const owner = fields['userId'] && {
    userId: { column: 'userId', operator: 'eq' as const, field: fields['userId'] },
  };
  return {
    name: table,
    fields,
    columns,
    json: jsonOf(fields),
    insert: `INSERT INTO ${table} (${columns}) VALUES (${columns.map(() => '?')})`,
    update: `UPDATE ${table} SET ${others.map((column) => `${column} = ?`)} WHERE id = ?`,
    conditionsOf: conditionsFor(fields, { ...owner, ...filters }),
  };
}

/** Reads the records of a kind within a view, and has the primitives that write one. */
export class Table<K extends KindName> {
  readonly #sql: KindSql;
  readonly #byId: string;
  readonly #jsonById: string;
  readonly #ownedById: string;
  readonly #scope: readonly Condition[];
  readonly #scopeValues: Value[];
  /** Conditions of every scan that are true or throw. They come first: SQLite skips the conditions after a false one. */
  readonly #checks: readonly Condition[];
  readonly #list: ListSql;

  /** @param visible ids of the users whose records are visible; undefined for all users */
  constructor(
    readonly kind: K,
    private readonly db: Database,
    private readonly visible: readonly number[] | undefined,
  ) {
    this.#sql = sqlOf(kind);
    const { name, fields, json } = this.#sql;
    const owner = 'userId' in fields ? 'userId' : 'NULL';
    this.#scope = visible ? [isAmong('userId' in fields ? owner : 'id', visible)] : [];
    const { sql, values } = joined([{ sql: 'id = ?', values: [] }, ...this.#scope]);
    this.#byId = `FROM ${name}${sql}`;
    this.#scopeValues = values;
    this.#checks = db.reader ? [PROCEED] : [];
    this.#list = new ListSql(name, fields, [...this.#checks, ...this.#scope]);
    this.#jsonById = `SELECT ${json} ${this.#byId}`;
    this.#ownedById = `SELECT ${json}, ${owner} ${this.#byId}`;
  }

  has(id: number): boolean {
    return this.db.value(`SELECT 1 ${this.#byId}`, id, ...this.#scopeValues) === 1;
  }

  /** @throws SciaticaError `not-found` */
  get(id: number): RecordOfKind<K> {
    const record = this.find(id);
    if (!record) throw notFound(nounOf(this.kind), id);
    return record;
  }

  find(id: number): RecordOfKind<K> | undefined {
    const row = this.db.get<object>(`SELECT ${this.#sql.columns} ${this.#byId}`, id, ...this.#scopeValues);
    return row && this.#recordOf(row);
  }

  /**
   * The record as JSON, rendered by SQLite.
   * @throws SciaticaError `not-found`
   */
  json(id: number): string {
    const json = this.db.value<string>(this.#jsonById, id, ...this.#scopeValues);
    if (json === undefined) throw notFound(nounOf(this.kind), id);
    return json;
  }

  /** As `json`, with the id of the owner. */
  ownedJson(id: number): OwnedJson {
    const row = this.db.row<OwnedJson | undefined>(this.#ownedById, id, ...this.#scopeValues);
    if (!row) throw notFound(nounOf(this.kind), id);
    return row;
  }

  /** Inserts a record, under a new id unless it has one; returns the stored record. @throws SciaticaError if ids are used up */
  protected insert(input: object): RecordOfKind<K> {
    const [given, ...cells] = this.#cells(input);
    const { id } = this.db.run(this.#sql.insert, given ?? null, ...cells);
    if (id > MAX_ID) throw idsUsedUp(nounOf(this.kind));
    return this.#record([id, ...cells]);
  }

  /** Writes every field of a record; an optional field that it lacks becomes NULL. Returns the stored record. */
  protected set(id: number, record: object): RecordOfKind<K> {
    const [, ...cells] = this.#cells(record);
    this.db.run(this.#sql.update, ...cells, id);
    return this.#record([id, ...cells]);
  }

  protected remove(id: number): void {
    this.db.run(`DELETE FROM ${this.#sql.name} WHERE id = ?`, id);
  }

  /** The conditions of a list, including those of the view. */
  protected conditions(filter: ListFilter): Condition[] {
    return [...this.#scope, ...this.#sql.conditionsOf(filter)];
  }

  /** The distinct values of a column among the records that match. */
  protected distinct<T extends Value>(column: string, filter: ListFilter): T[] {
    const query = this.#query(filter);
    const { sql, values } = this.#list.query(column, query, query.limit);
    return this.db.column<T>(`SELECT DISTINCT ${column} FROM (${sql}) ORDER BY ${column}`, ...values);
  }

  #query(filter: ListFilter = {}): Query {
    return { ...filter, where: this.#sql.conditionsOf(filter) };
  }

  count(filter?: FilterOf<K>): number {
    const { sql, values } = this.#count(this.#query(filter).where);
    return this.db.value<number>(sql, ...values) ?? 0;
  }

  /** As `count`, cached (`totalOf`). Not for use inside a change. */
  total(filter?: FilterOf<K>): number {
    const { where } = this.#query(filter);
    return where.length === 0 && this.#scope.length === 0
      ? totalOfTable(this.db, this.#sql.name, this.kind)
      : totalOf(this.db, this.#count(where));
  }

  #count(where: readonly Condition[]): Condition {
    // Without conditions, SQLite counts the rows without evaluating any.
    const scanned = where.length > 0 ? this.#checks : [];
    const { sql, values } = joined([...scanned, ...this.#scope, ...where]);
    return { sql: `SELECT count(*) FROM ${this.#sql.name}${sql}`, values };
  }

  /**
   * Whether this list would block other requests for too long (see cost.ts).
   * @param isContinued whether the first part of it was read already, and more follows
   */
  isLong(filter: FilterOf<K>, isContinued = false): boolean {
    return isLong({ db: this.db, table: this.#sql.name, users: this.visible }, filter, isContinued);
  }

  /** The records that match, up to the limit. */
  list(filter?: FilterOf<K>): RecordOfKind<K>[] {
    const query = this.#query(filter);
    const { sql, values } = this.#list.query(this.#sql.columns.join(', '), query, query.limit);
    return this.db.all<object>(sql, ...values).map((row) => this.#recordOf(row));
  }

  /**
   * The first matching records, at most one chunk of a long list, and at most the limit.
   * @param withIds whether to return their ids: computing the range takes a tenth of the time
   */
  shortPage(filter: FilterOf<K>, withIds = false): ShortPage {
    const query = this.#query(filter);
    const [id, range] = withIds ? ['id, ', 'min(id), max(id)'] : ['', '0, 0'];
    const { limit = Number.POSITIVE_INFINITY } = query;
    const { sql, values } = this.#list.query(
      `${id}${this.#list.jsonOf(query)} AS _json`,
      query,
      Math.min(limit, CHUNK_ROWS),
    );
    // SQLite keeps the order of a subquery with LIMIT for group_concat (SF_OrderByReqd in select.c).
    const [count, json, first, last, revision] = this.db.row<
      [number, string | null, number, number, number | null]
    >(`SELECT count(*), group_concat(_json), ${range}, (${LAST_ENTRY}) FROM (${sql})`, ...values);
    return {
      json: `[${json ?? ''}]`,
      ids: withIds && count > 0 ? { first, last, count } : undefined,
      revision: revision ?? 0,
      next: count < CHUNK_ROWS || limit <= CHUNK_ROWS ? undefined : this.#cursorBehind(query, CHUNK_ROWS),
    };
  }

  /** The first matching records: at most `limit`, and about `CHUNK_CHARACTERS` of JSON. */
  page(filter: FilterOf<K>, limit: number): Page {
    const query = this.#query(filter);
    const rows = this.#take(this.db, query, limit);
    const last = rows.at(-1);
    const next = last && this.#list.cursorAfter(last, query);
    const isLast = next === undefined || this.#take(this.db, { ...query, cursor: next }, 1).length === 0;
    const ids = rows.length > 0 ? idsOf(rows) : undefined;
    return { json: `[${rows.map(({ _json }) => _json)}]`, next: isLast ? undefined : next, ids };
  }

  /** All matching records, in chunks, read as `jsonChunks` reads them. */
  *chunks(filter?: FilterOf<K>): Generator<RecordOfKind<K>[]> {
    for (const rows of this.jsonRows(filter)) yield rows.map((row) => storedJson<RecordOfKind<K>>(row));
  }

  /**
   * As `chunks`, each record as JSON rendered by SQLite. Reads through a connection of its own, unless this is a snapshot
   * already: no statement stays open between chunks, and the store's connection stays free. All chunks are from one snapshot,
   * unless the caller takes longer than a snapshot may be held. Then a list sorted by id continues after its last record; any
   * other list continues only if no record still to come was changed.
   * @throws SciaticaError `conflict` where the order cannot be kept
   */
  jsonChunks(filter?: FilterOf<K>): Generator<Chunk> {
    const query = this.#query(filter);
    return this.#reading(query, (source) =>
      isById(query)
        ? this.#chunksById(source, query)
        : this.#chunksInOrder(source, query, this.#list.jsonOf(query)),
    );
  }

  /** As `jsonChunks`, rendered as lines of CSV with line ends (see `csvLineOf`). */
  protected linesOfCsv(filter: FilterOf<K>, raw: boolean, more: readonly string[]): Generator<Lines> {
    return this.#lines(this.#query(filter), csvLineOf(this.#sql.fields, raw, more), '');
  }

  /** As `jsonChunks`, with several records joined into one text, which takes half the time. */
  jsonLines(filter: FilterOf<K>, separator: string): Generator<Lines> {
    const query = this.#query(filter);
    return this.#lines(query, this.#list.jsonOf(query), separator);
  }

  #lines(query: Query, line: string, separator: string): Generator<Lines> {
    const after = (id: number | undefined, limit: number) =>
      this.#list.query(`id, ${line} AS _line`, { ...query, ...(id && { cursor: cursorOfId(id) }) }, limit);
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
    const record = { kind: this.kind, table: this.#sql.name, json };
    return chunksInOrder(source, record, ids, { rows: CHUNK_ROWS, characters: CHUNK_CHARACTERS });
  }

  /** The rows of `jsonChunks`. */
  *jsonRows(filter?: FilterOf<K>): Generator<string[]> {
    for (const { rows } of this.jsonChunks(filter)) yield rows;
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

  /** The first matching rows: at most `limit`, and about `CHUNK_CHARACTERS` of JSON. */
  #take(db: Database, query: Query, limit: number): Row[] {
    const place = query.fields ? `, ${this.#list.placeOf(query)} AS _place` : '';
    const { sql, values } = this.#list.query(
      `id, ${this.#list.jsonOf(query)} AS _json${place}`,
      query,
      limit,
    );
    const most = { rows: limit, characters: CHUNK_CHARACTERS };
    return db.take<Row>(sql, most, charactersOf, ...values);
  }

  /** The cursor after the first `count` matching records; undefined if no more follow. */
  #cursorBehind(query: Query, count: number): string | undefined {
    const behind = { ...query, offset: (query.offset ?? 0) + count - 1 };
    const { sql, values } = this.#list.query(this.#list.placeOf(query), behind, 2);
    const [last = '', next] = this.db.column<string>(sql, ...values);
    return next === undefined ? undefined : cursorAfter(last, query.sort, this.#sql.fields);
  }

  /** The cells of a record in the order of the columns; NULL for an id that is still to be assigned. */
  #cells(record: object): Cell[] {
    const values = record as Record<string, unknown>;
    return this.#sql.columns.map((column) => toCell(this.#sql.fields[column], values[column]));
  }

  #recordOf(row: object): RecordOfKind<K> {
    const cells = row as Record<string, unknown>;
    return fromCells(this.#sql.fields, (name) => cells[name]) as unknown as RecordOfKind<K>;
  }

  /** Decodes cells in the order of the columns. Equals a read after a write, because checked values are stored unchanged. */
  #record(cells: readonly Cell[]): RecordOfKind<K> {
    let at = 0;
    return fromCells(this.#sql.fields, () => cells[at++]) as unknown as RecordOfKind<K>;
  }
}
