import { useMemo, useState } from 'preact/hooks';
import type { Shown } from './phone.ts';
import { Details, logsOf, Scale } from './today.tsx';
import { LOGS, type Log, spoken } from './words.ts';

/** How many sessions are shown before somebody asks for more. */
const BLOCK = 60;

export function Diary(shown: Shown) {
  const { kept, phone, say } = shown;
  // Sorted once, not at each letter that is typed.
  const all = useMemo(
    () => logsOf(kept).sort((a, b) => b.date.localeCompare(a.date) || order(b) - order(a)),
    [kept],
  );
  const [search, setSearch] = useState('');
  const [most, setMost] = useState(BLOCK);
  const [open, setOpen] = useState<number>();
  const [deleted, setDeleted] = useState<Log[]>([]);
  const wanted = search.trim().toLowerCase();
  const found = all.filter(({ exerciseName, notes }) =>
    `${exerciseName}\n${notes}`.toLowerCase().includes(wanted),
  );
  const days = Map.groupBy(found.slice(0, most), ({ date }) => date);
  const remove = async (log: Log) => {
    await phone.note((offline) => offline.change('log', LOGS, log.id));
    setDeleted([log, ...deleted]);
    say(`Deleted: ${log.exerciseName}.`);
  };
  const bringBack = async (log: Log) => {
    // What was never sent has left no trace to bring back: it is recorded anew.
    const { id, etag: _, ...body } = log;
    await phone.note<unknown>((offline) =>
      id < 0 ? offline.create('log', LOGS, log.userId, body) : offline.restore('log', LOGS, log),
    );
    setDeleted(deleted.filter((one) => one !== log));
    say(`${log.exerciseName} is back.`);
  };
  return (
    <>
      <h1 tabIndex={-1}>Diary</h1>
      <label>
        Search
        <input type="search" value={search} onInput={(event) => setSearch(event.currentTarget.value)} />
      </label>
      <p role="status">
        {found.length === 1 ? '1 session' : `${found.length} sessions`}
        {found.length < all.length && ` of ${all.length}`}
      </p>
      {deleted.map((log) => (
        <p key={log.id} class="note">
          Deleted: {log.exerciseName}, {spoken(log.date)}.{' '}
          <button type="button" onClick={() => void bringBack(log)}>
            Bring back
          </button>
        </p>
      ))}
      {[...days].map(([day, logs]) => (
        <section key={day} aria-label={spoken(day)}>
          <h2>{spoken(day)}</h2>
          {logs.map((log) => (
            <div key={log.id} class="card">
              <button
                type="button"
                class="exercise"
                aria-expanded={open === log.id}
                onClick={() => setOpen(open === log.id ? undefined : log.id)}
              >
                {log.exerciseName}{' '}
                <span class="figures">
                  {log.painBefore} → {log.painAfter}
                  {kept.waiting.some(({ id }) => id === log.id) && ', not sent yet'}
                </span>
                {log.notes !== '' && <span class="notes">{log.notes}</span>}
              </button>
              {open === log.id && (
                <>
                  {(['painBefore', 'painAfter'] as const).map((field) => (
                    <Scale
                      key={field}
                      label={field === 'painBefore' ? 'Pain before' : 'Pain after'}
                      chosen={log[field]}
                      choose={(value) =>
                        void phone.note((offline) => offline.change('log', LOGS, log.id, { [field]: value }))
                      }
                    />
                  ))}
                  <Details {...shown} log={log} />
                  <button type="button" class="danger" onClick={() => void remove(log)}>
                    Delete
                  </button>
                </>
              )}
            </div>
          ))}
        </section>
      ))}
      {found.length > most && (
        <button type="button" onClick={() => setMost(most + BLOCK)}>
          Show earlier sessions
        </button>
      )}
    </>
  );
}

/** What was not sent yet is the latest. */
const order = ({ id }: Log): number => (id < 0 ? Number.MAX_SAFE_INTEGER + id : id);
