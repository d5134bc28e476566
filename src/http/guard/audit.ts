import { type Caller, kindOfRight, type Right } from '../../domain/access.ts';
import type { AuditRecord, Disclosure } from '../../domain/audit.ts';
import type { Store } from '../../store/store.ts';
import { bareName } from '../protocol/list-query.ts';
import { parametersOf } from '../protocol/query.ts';
import type { Chunk, Chunks, HttpRequest, HttpResponse } from '../wire/message.ts';

/** Records are written together: after this time (ms), or when there are this many. No response waits for them. */
const FLUSH_MS = 500;
const FLUSH_AT = 5_000;

/** Most records that may wait to be written; beyond that no caller is admitted. */
const MOST_WAITING = 10_000;

const NO_RECORDS = { first: null, last: null, count: 0 };

/** A request for records, as the audit sees it with its response. */
interface AuditContext {
  readonly request: HttpRequest;
  /** Path pattern of the route. */
  readonly path: string;
  readonly right: Right;
  /** The id in the path; 0 for a path without one. */
  readonly id: number;
  /** Id of the user in the path, of a route to what belongs to that user. */
  readonly owner?: number | undefined;
  readonly search: string;
  readonly caller: Caller | undefined;
}

/** Records who asked for which records, granted or refused. */
export class AuditTrail {
  #waiting: AuditRecord[] = [];
  /** How many records are being written. */
  #writing = 0;
  #flushed: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param now the clock, in milliseconds since 1970
   * @param onError receives the error when records cannot be written; they are kept and tried again
   */
  constructor(
    private readonly store: Store,
    private readonly now: () => number,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Whether so many records wait to be written that no caller may be admitted. */
  get isFull(): boolean {
    return this.#waiting.length + this.#writing >= MOST_WAITING;
  }

  /**
   * Records a response. A streamed list is recorded when it ends, with what was read of it; changes are recorded
   * chunk by chunk, because an event stream may stay open for days.
   * @returns the response to send instead
   */
  recorded(context: AuditContext, response: HttpResponse): HttpResponse {
    const { body, status } = response;
    // Callers over their rate limit must not fill the disk, nor the memory once the disk is full.
    if ((status === 429 && !response.isAudited) || (status === 503 && this.isFull)) return response;
    const isGranted = body !== undefined && status < 300;
    const isChanges = context.right === 'read changes';
    if (isGranted && typeof body === 'object' && context.id === 0) {
      const chunks = isChanges
        ? this.#eachChunk(context, status, body)
        : this.#wholeList(context, status, body);
      return { ...response, body: chunks };
    }
    const disclosed = isGranted ? (response.disclosed ?? []) : [];
    if (isGranted && (isChanges || disclosed.length > 1)) this.#addEach(context, status, disclosed);
    else this.#add(this.#recordOf(context, status, disclosed[0]));
    return response;
  }

  /** Writes the waiting records, after those that are being written. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#flushed = this.#flushed.then(() => this.#write());
    return this.#flushed;
  }

  /** @param disclosed the records in the response */
  #recordOf(context: AuditContext, status: number, disclosed?: Disclosure): AuditRecord {
    const { request, path, right, id, owner, search, caller } = context;
    const record = disclosed?.record ?? kindOfRight(right);
    const { first, last, count } = id > 0 ? { first: id, last: id, count: 1 } : (disclosed ?? NO_RECORDS);
    const userId = owner ?? (id === 0 ? userOf(search, caller) : record === 'user' ? id : null);
    return {
      at: this.now(),
      token: caller?.id ?? disclosed?.token ?? null,
      method: request.method,
      route: path,
      record,
      userId: userId ?? disclosed?.userId ?? null,
      first,
      last,
      count,
      status,
      address: request.address(),
    };
  }

  async *#wholeList(context: AuditContext, status: number, chunks: Chunks): AsyncGenerator<Chunk> {
    const record = this.#recordOf(context, status);
    try {
      for await (const chunk of chunks) {
        for (const { first, last, count } of chunk.disclosed ?? []) {
          record.first = Math.min(record.first ?? first, first);
          record.last = Math.max(record.last ?? last, last);
          record.count += count;
        }
        yield chunk;
      }
    } finally {
      this.#add(record);
    }
  }

  async *#eachChunk(context: AuditContext, status: number, chunks: Chunks): AsyncGenerator<Chunk> {
    for await (const chunk of chunks) {
      this.#addEach(context, status, chunk.disclosed ?? []);
      yield chunk;
    }
  }

  #addEach(context: AuditContext, status: number, disclosed: readonly Disclosure[]): void {
    for (const each of disclosed) this.#add(this.#recordOf(context, status, each));
  }

  #add(record: AuditRecord): void {
    this.#waiting.push(record);
    if (this.#waiting.length === FLUSH_AT) void this.flush();
    else this.#schedule();
  }

  async #write(): Promise<void> {
    const records = this.#waiting;
    if (records.length === 0) return;
    this.#waiting = [];
    this.#writing = records.length;
    try {
      await this.store.submitUpkeep(() => this.store.audit.add(records));
    } catch (error) {
      this.onError(error);
      this.#waiting = [...records, ...this.#waiting];
      this.#schedule();
    } finally {
      this.#writing = 0;
    }
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref();
  }
}

/** The user to whom all records of a list belong, if the token or the query names exactly one. */
function userOf(search: string, caller: Caller | undefined): number | null {
  if (caller?.users?.length === 1) return caller.users[0] ?? null;
  const named = parametersOf(search, []).filter(({ name }) => bareName(name) === 'userId');
  const [{ text = '' } = {}] = named;
  return named.length === 1 && /^\d{1,15}$/.test(text) ? Number(text) : null;
}
