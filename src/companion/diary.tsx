import { useMemo, useState } from 'preact/hooks';
import { PainDetails } from './pain.tsx';
import type { Shown } from './phone.ts';
import { Details, Scale } from './today.tsx';
import { LOGS, type Log, logsOf, PAINS, type Pain, painsOf, spoken } from './words.ts';

/** How many entries are shown before somebody asks for more. */
const BLOCK = 60;

export function Diary(shown: Shown) {
  const { kept, phone, say } = shown;
  // Sorted once, not at each letter that is typed.
  const all = useMemo(
    () =>
      [...logsOf(kept), ...painsOf(kept)].sort((a, b) => b.date.localeCompare(a.date) || order(b) - order(a)),
    [kept],
  );
  const [search, setSearch] = useState('');
  const [most, setMost] = useState(BLOCK);
  const [open, setOpen] = useState<string>();
  const [deleted, setDeleted] = useState<(Log | Pain)[]>([]);
  const wanted = search.trim().toLowerCase();
  const found = all.filter((one) => `${nameOf(one)}\n${one.notes ?? ''}`.toLowerCase().includes(wanted));
  const days = Map.groupBy(found.slice(0, most), ({ date }) => date);
  const remove = async (one: Log | Pain) => {
    await phone.note((offline) => offline.change(...kindOf(one), one.id));
    setDeleted([one, ...deleted]);
    say(`Deleted: ${nameOf(one)}.`);
  };
  const bringBack = async (one: Log | Pain) => {
    // What was never sent has left no trace to bring back: it is recorded anew.
    const { id, etag: _, ...body } = one;
    await phone.note<unknown>((offline) =>
      id < 0 ? offline.create(...kindOf(one), one.userId, body) : offline.restore(...kindOf(one), one),
    );
    setDeleted(deleted.filter((other) => other !== one));
    say(`${nameOf(one)} is back.`);
  };
  return (
    <>
      <h1 tabIndex={-1}>Diary</h1>
      <label>
        Search
        <input type="search" value={search} onInput={(event) => setSearch(event.currentTarget.value)} />
      </label>
      <p role="status">
        {found.length === 1 ? '1 entry' : `${found.length} entries`}
        {found.length < all.length && ` of ${all.length}`}
      </p>
      {deleted.map((one) => (
        <p key={`${kindOf(one)[0]} ${one.id}`} class="note">
          Deleted: {nameOf(one)}, {spoken(one.date)}.{' '}
          <button type="button" onClick={() => void bringBack(one)}>
            Bring back
          </button>
        </p>
      ))}
      {[...days].map(([day, those]) => (
        <section key={day} aria-label={spoken(day)}>
          <h2>{spoken(day)}</h2>
          {those.map((one) => {
            const key = `${kindOf(one)[0]} ${one.id}`;
            return (
              <div key={key} class="card">
                <button
                  type="button"
                  class="exercise"
                  aria-expanded={open === key}
                  onClick={() => setOpen(open === key ? undefined : key)}
                >
                  {nameOf(one)}{' '}
                  <span class="figures">
                    {isPain(one) ? one.pain : `${one.painBefore} → ${one.painAfter}`}
                    {kept.waiting.some(({ id }) => id === one.id) && ', not sent yet'}
                  </span>
                  {one.notes && <span class="notes">{one.notes}</span>}
                </button>
                {open === key && (
                  <>
                    {isPain(one) ? <PainDetails {...shown} entry={one} /> : <Session {...shown} log={one} />}
                    <button type="button" class="danger" onClick={() => void remove(one)}>
                      Delete
                    </button>
                  </>
                )}
              </div>
            );
          })}
        </section>
      ))}
      {found.length > most && (
        <button type="button" onClick={() => setMost(most + BLOCK)}>
          Show earlier entries
        </button>
      )}
    </>
  );
}

const isPain = (one: Log | Pain): one is Pain => 'pain' in one;
const nameOf = (one: Log | Pain): string => (isPain(one) ? 'Pain' : one.exerciseName);
const kindOf = (one: Log | Pain): readonly ['log' | 'painEntry', path: string] =>
  isPain(one) ? ['painEntry', PAINS] : ['log', LOGS];

/** A session that is changed. */
function Session({ log, ...shown }: Shown & { log: Log }) {
  return (
    <>
      {(['painBefore', 'painAfter'] as const).map((field) => (
        <Scale
          key={field}
          label={field === 'painBefore' ? 'Pain before' : 'Pain after'}
          chosen={log[field]}
          choose={(value) =>
            void shown.phone.note((offline) => offline.change('log', LOGS, log.id, { [field]: value }))
          }
        />
      ))}
      <Details {...shown} log={log} />
    </>
  );
}

/** What was not sent yet is the latest. */
const order = ({ id }: Log | Pain): number => (id < 0 ? Number.MAX_SAFE_INTEGER + id : id);
