import { invalid } from '../domain/errors.ts';
import type { RecordOf } from '../domain/fields.ts';
import { inOrder } from '../domain/log.ts';
import type { reportFields } from '../domain/summary.ts';
import { buildReport, MOST_SESSIONS, type Report } from '../insights/report/report.ts';
import { responseRules } from '../insights/rules.ts';
import type { Store } from '../store/store.ts';
import { countedLogs, entriesOf, narrowed, upToToday } from './counted-logs.ts';
import { targetOf } from './goal.ts';
import { endedTrial, trialPains } from './trial.ts';

export { reportMarkdown } from '../insights/report/markdown.ts';
export { reportHtml, reportPolicy } from '../insights/report/page.ts';

interface AskedOfReport extends Partial<RecordOf<typeof reportFields>> {
  readonly anonymous?: boolean | undefined;
}

/**
 * The report on a user, with the target asked for or else the user's goal. All records are read from one snapshot.
 * @param today records after this day do not count
 * @throws SciaticaError `not-found` if there is no such user; `invalid` for more than `MOST_SESSIONS` sessions, an empty
 *   period, or a `previous` outside the period
 */
export function reportOf(store: Store, userId: number, asked: AskedOfReport, today: string): Report {
  const { since, until, rule = 'default' } = inOrder(asked);
  const upTo = upToToday(asked, today);
  refuseOutside(upTo, today);
  const period = narrowed({}, { since, until });
  const { user, logs, target, leftOut, ...others } = store.read(() => {
    const { counted, leftOut } = countedLogs(store, userId, period, today);
    return {
      user: store.users.get(userId),
      target: targetOf(store, userId, asked.target),
      logs: store.logs.recorded({ ...counted, limit: MOST_SESSIONS + 1 }),
      leftOut,
      entries: entriesOf(store, counted),
      felt: trialPains(store, counted),
      trialDays: store.of('trialDay').list(counted),
      trial: endedTrial(store, userId, period, today),
    };
  });
  return buildReport(user, logs, { ...upTo, today, target, leftOut, rule: responseRules[rule] }, others);
}

/** Refuses a `previous` outside the period: one side of the comparison would then have no records. */
function refuseOutside({ since, until, previous }: AskedOfReport, today: string): void {
  const last = until ?? today;
  if (previous !== undefined && ((since !== undefined && previous < since) || previous > last))
    throw invalid([
      {
        field: 'previous',
        message: `must be a day of the report, ${since ? `from ${since} ` : ''}up to ${last}`,
      },
    ]);
}
