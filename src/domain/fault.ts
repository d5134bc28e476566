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
export type FaultCode = (typeof faultCodes)[number];

/** What is wrong with a value, with the bounds that it breaks. */
export interface Fault {
  readonly code: FaultCode;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly values?: readonly string[];
}
