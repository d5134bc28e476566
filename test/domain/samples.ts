import { SciaticaError } from '../../src/domain/errors.ts';

export { log, user } from '../samples.ts';

/** What `work` throws, which must be an error meant for a person. */
export function failure(work: () => unknown): SciaticaError {
  try {
    work();
  } catch (error) {
    if (error instanceof SciaticaError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

/** A value as the name of a test. */
export function shown(value: unknown): string {
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value);
  if (value === undefined) return 'undefined';
  const json = JSON.stringify(value).replace(/[^\x20-\x7e]/g, (c) => `\\u${c.charCodeAt(0).toString(16)}`);
  return json.length > 40 ? `${json.slice(0, 20)}… (${json.length})` : json;
}
