import { logRecord } from './log.ts';
import { userRecord } from './user.ts';

/** The kinds of record and their fields, `id` first. */
export const recordFields = { user: userRecord, log: logRecord } as const;
export type Noun = keyof typeof recordFields;
