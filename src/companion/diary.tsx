import { useMemo, useState } from 'preact/hooks';
import { effectiveAfter } from '../domain/effective.ts';
import { callsForRedFlags, isSevere } from '../domain/red-flags.ts';
import { Details, focus, focusHeading, RedFlags, Scale } from './details.tsx';
import { isAbout, nowOf } from './notebook.ts';
import type { Shown } from './phone.ts';
import { type Entry, groupsOf, isPain, kindOf, logsOf, painsOf, savedWords, spoken } from './words.ts';

/** How many entries are shown before somebody asks for more. */
const BLOCK = 60;

/** The open entry, with the id and the day that it had when it was opened. */
interface Open {
  kind: string;
  id: number;
  day: string;
}

export function Diary(shown: Shown) {
  const { kept, phone, say } = shown;
  const [open, setOpen] = useState<Open>();
  const openId = open && nowOf(kept, open.id);
  const openOf = (one: Entry) => (one.id === openId && kindOf(one)[0] === open?.kind ? open : undefined);
  // An open entry keeps its place while somebody types, even if its day or its id changes.
  const dayIn = (one: Entry) => openOf(one)?.day ?? one.date;
  // Sorted once, not at each letter that is typed.
  const all = useMemo(
    () =>
      [...logsOf(kept), ...painsOf(kept)].sort(
        (a, b) => dayIn(b).localeCompare(dayIn(a)) || order(b) - order(a),
      ),
    [kept, open],
  );
  const [search, setSearch] = useState('');
  const [most, setMost] = useState(BLOCK);
  const isSame = (one: Entry, other: Entry) =>
    kindOf(one)[0] === kindOf(other)[0] && nowOf(kept, one.id) === nowOf(kept, other.id);
  const offered = phone.deleted.filter((one) => !all.some((other) => isSame(one, other)));
  const wanted = search.trim().toLowerCase();
  const found = all.filter(
    (one) =>
      openOf(one) ||
      `${nameOf(one)}\n${one.medication ?? ''}\n${one.notes ?? ''}`.toLowerCase().includes(wanted),
  );
  const days = groupsOf(found.slice(0, most), dayIn);
  const remove = async (one: Entry) => {
    // The second of two taps finds it deleted.
    if (!(await phone.remove(one))) return;
    setOpen(undefined);
    say(`Deleted: ${nameOf(one)}.`);
  };
  const bringBack = async (one: Entry) => {
    const { deleted } = phone;
    if (!deleted.includes(one)) return;
    phone.deleted = deleted.filter((other) => other !== one);
    focusHeading();
    // The service cannot restore an entry that was never sent: it is recorded again.
    const { id, etag: _, ...body } = one;
    await phone.note<unknown>((offline) =>
      id < 0 ? offline.create(...kindOf(one), one.userId, body) : offline.restore(...kindOf(one), one),
    );
    if (phone.fault === undefined) say(`${nameOf(one)} is back.`);
    else phone.deleted = deleted;
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
      {offered.map((one) => (
        <p key={`${kindOf(one)[0]} ${one.id}`} ref={focus} tabIndex={-1} class="note">
          Deleted: {nameOf(one)}, {spoken(one.date)}.{' '}
          <button type="button" onClick={() => void bringBack(one)}>
            Bring back
          </button>
        </p>
      ))}
      {days.map(([day, those]) => (
        <section key={day} aria-label={spoken(day)}>
          <h2>{spoken(day)}</h2>
          {those.map((one) => {
            const [kind] = kindOf(one);
            const isOpen = openOf(one) !== undefined;
            return (
              <div key={`${kind} ${openOf(one)?.id ?? one.id}`} class="card">
                <button
                  type="button"
                  class="exercise"
                  aria-expanded={isOpen}
                  onClick={() => setOpen(isOpen ? undefined : { kind, id: one.id, day: one.date })}
                >
                  {nameOf(one)}{' '}
                  <span class="figures">
                    {isPain(one) ? one.pain : `${one.painBefore} → ${one.painAfter}`}
                    {kept.waiting.some((write) => isAbout(kept, write, kind, one.id)) && ', not sent yet'}
                  </span>
                  {!isOpen && one.notes && <span class="notes">{one.notes}</span>}
                </button>
                {isOpen && (
                  <>
                    <Change {...shown} entry={one} />
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

const nameOf = (one: Entry): string => (isPain(one) ? 'Pain' : one.exerciseName);
/** The inputs for changing an entry. */
function Change({ entry, ...shown }: Shown & { entry: Entry }) {
  const [isChanged, setChanged] = useState(false);
  const scales = isPain(entry)
    ? [{ label: 'Pain', field: 'pain', value: entry.pain }]
    : [
        { label: 'Pain before', field: 'painBefore', value: entry.painBefore },
        { label: 'Pain after', field: 'painAfter', value: entry.painAfter },
      ];
  const isRed = isPain(entry) ? isSevere(entry.pain) : callsForRedFlags(entry);
  return (
    <>
      {scales.map(({ label, field, value }) => (
        <Scale
          key={field}
          label={label}
          chosen={value}
          choose={async (next) => {
            setChanged(true);
            const given = { [field]: next };
            const effective = isPain(entry) ? undefined : effectiveAfter(entry, given);
            const body = { ...given, ...(effective !== undefined && { effective }) };
            const was = await shown.phone.note((offline) => offline.change(...kindOf(entry), entry.id, body));
            if (was) shown.say(savedWords({ ...(was as Entry), ...body }));
          }}
        />
      ))}
      {isChanged && isRed && <RedFlags />}
      <Details {...shown} entry={entry} />
    </>
  );
}

/** The order within a day: entries that were not sent yet have negative ids, and are the latest. */
const order = ({ id }: Entry): number => (id < 0 ? 2 ** 52 - id : id);
