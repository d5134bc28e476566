import { date, integer, type RecordOf } from './fields.ts';
import { logFields } from './log.ts';

/** An exercise that was recorded at least once. It is not stored, but derived from the logs. */
export const exerciseFields = {
  exerciseName: logFields.exerciseName,
  /** The type in its latest session. */
  exerciseType: logFields.exerciseType,
  sessions: integer({
    label: 'Sessions',
    flag: 'sessions',
    help: 'How many sessions there are',
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
    example: 12,
  }),
  date: date({ label: 'Last day', flag: 'date', help: 'Day of the latest session', example: '2026-03-02' }),
};

export type Exercise = RecordOf<typeof exerciseFields>;
