import type { Field } from './fields.ts';

/** The kinds of fault that a value can have, for programs. */
export const faultCodes = [
  'missing',
  'unknown',
  'repeated',
  'wrong-type',
  'out-of-range',
  'too-long',
  'blank',
  'not-unicode',
  'not-a-date',
  'not-an-email',
  'not-a-choice',
  'no-such-user',
  'in-conflict',
  'invalid',
] as const;
type FaultCode = (typeof faultCodes)[number];

/** What is wrong with a value, with the bounds that it breaks. */
export interface Fault {
  readonly code: FaultCode;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly values?: readonly string[];
}

/** The fault of a value that its field refused. */
export function faultOf(field: Field, value: unknown): Fault {
  if (value === undefined) return { code: 'missing' };
  switch (field.kind) {
    case 'integer':
      return Number.isInteger(value)
        ? { code: 'out-of-range', minimum: field.min, maximum: field.max }
        : { code: 'wrong-type' };
    case 'boolean':
      return { code: 'wrong-type' };
    case 'date':
      return { code: typeof value === 'string' ? 'not-a-date' : 'wrong-type' };
    case 'choice':
      return { code: 'not-a-choice', values: field.choices };
    case 'list':
      return Array.isArray(value)
        ? { code: 'out-of-range', minimum: field.min, maximum: field.max }
        : { code: 'wrong-type' };
    case 'email':
    case 'text':
      if (typeof value !== 'string') return { code: 'wrong-type' };
      if (!value.isWellFormed() || value.includes('\0')) return { code: 'not-unicode' };
      if ([...value].length > field.max) return { code: 'too-long', maxLength: field.max };
      return field.kind === 'email' ? { code: 'not-an-email' } : { code: 'blank', minLength: 1 };
  }
}
