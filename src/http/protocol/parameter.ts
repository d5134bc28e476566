import { boolean, integer, text } from '../../domain/fields.ts';

/** Fields that exist only as parameters of HTTP requests: no column, prompt or flag is made from them. */

const OVER_HTTP = { label: '', flag: '' };

export const textParameter = (help: string, { max, example }: { max: number; example: string }) =>
  text({ ...OVER_HTTP, help, max, blank: false, example });

export const numberParameter = (help: string, bounds: { min: number; max: number; example: number }) =>
  integer({ ...OVER_HTTP, help, ...bounds });

export const yesParameter = (help: string) => boolean({ ...OVER_HTTP, help, example: true });
