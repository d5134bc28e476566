import { tryJson } from '../lib/strict-json.ts';
import type { SyncResponse } from './transport.ts';

/** A request that the service does not take, with its reason (RFC 9457). */
export class Refused extends Error {
  readonly status: number;
  /** The faults of single records of an array, by their places. */
  readonly faults = new Map<number, string>();

  constructor({ status, text }: Pick<SyncResponse, 'status' | 'text'>) {
    const json = tryJson(text);
    const { detail, errors } = ('value' in json ? json.value : {}) as { detail?: unknown; errors?: unknown };
    const lines: string[] = [];
    const places = new Map<number, string>();
    for (const one of Array.isArray(errors) ? errors : []) {
      const { field, message } = one as { field?: unknown; message?: unknown };
      const line = `${field} ${message}`.slice(0, 200);
      lines.push(line);
      const place = /^\[(\d+)\](?:\.(.*))?$/s.exec(line);
      if (place) places.set(Number(place[1]), place[2] ?? line);
    }
    super((lines.length > 0 ? lines.join('; ') : String(detail ?? `status ${status}`)).slice(0, 500));
    this.name = 'Refused';
    this.status = status;
    this.faults = places;
  }
}
