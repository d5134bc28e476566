import { useEffect, useRef, useState } from 'preact/hooks';
import { redFlags } from '../domain/red-flags.ts';
import type { Shown } from './phone.ts';
import { dayOf, type Entry, isPain, kindOf, spoken } from './words.ts';

/** The inputs for an entry, and where the focus goes. */

/** A ref for what replaces focused buttons: keyboard and screen reader go on there. */
export const focus = (arrived: HTMLElement | null): void => arrived?.focus();

/** Focuses the heading, when a focused button goes and nothing replaces it. A field that has the focus by now keeps it. */
export function focusHeading(): void {
  if (!document.activeElement?.matches('input, select, textarea')) document.querySelector('h1')?.focus();
}

/** Ten numbers, none of them preselected: people tend to record a value that is suggested. */
export function Scale({
  label,
  chosen,
  choose,
}: {
  label: string;
  chosen: number | undefined;
  choose: (value: number) => void;
}) {
  return (
    <fieldset class="scale">
      <legend>{label}</legend>
      {Array.from({ length: 10 }, (_, i) => i + 1).map((value) => (
        <button
          key={value}
          type="button"
          aria-pressed={chosen === value}
          aria-label={`${label} ${value}`}
          onClick={() => choose(value)}
        >
          {value}
        </button>
      ))}
    </fieldset>
  );
}

/** The inputs for what can be added to an entry once it is saved. */
export function Details({ phone, entry, say }: Shown & { entry: Entry }) {
  const change = (body: Record<string, unknown>) =>
    phone.note((offline) => offline.change(...kindOf(entry), entry.id, body));
  /** The state of the checkbox until it is stored, so that a render meanwhile does not revert it. */
  const [ticked, setTicked] = useState<boolean>();
  const tick = async (effective: boolean) => {
    setTicked(effective);
    await change({ effective });
    setTicked((now) => (now === effective ? undefined : now));
  };
  const [isTyping, setTyping] = useState(false);
  const isDay = ({ value, validity }: HTMLInputElement) => value !== '' && validity.valid;
  const setBack = (field: HTMLInputElement) => {
    field.value = entry.date;
    say(`The day stays ${spoken(entry.date)}: it has to be one up to today.`);
  };
  return (
    <div class="details">
      {!isPain(entry) && (
        <label class="check">
          <input
            type="checkbox"
            checked={ticked ?? entry.effective}
            onChange={(event) => void tick(event.currentTarget.checked)}
          />{' '}
          It helped
        </label>
      )}
      <label>
        Day{' '}
        <input
          type="date"
          // A synced change must not replace a day that is being typed.
          value={isTyping ? undefined : entry.date}
          onInput={() => setTyping(true)}
          // While a year is typed, it is first the year 2.
          min="1900-01-01"
          max={dayOf(new Date())}
          onChange={({ currentTarget: field }) => {
            if (isDay(field)) void change({ date: field.value });
            else if (field.validity.rangeOverflow) setBack(field);
          }}
          onBlur={({ currentTarget: field }) => {
            setTyping(false);
            if (!isDay(field)) setBack(field);
          }}
        />
      </label>
      <Typed
        label={isPain(entry) ? 'Medication' : 'Medication before'}
        value={entry.medication}
        most={200}
        save={(medication) => change({ medication: medication || null })}
        phone={phone}
      />
      <Typed
        label="Notes"
        value={entry.notes}
        most={10_000}
        save={(notes) => change({ notes: notes || (isPain(entry) ? null : '') })}
        phone={phone}
      />
    </div>
  );
}

/** Debounce of saving a text, in milliseconds. Short, since a page that is closed saves nothing any more. */
const PAUSE_MS = 500;
/** Longest delay while typing goes on, in milliseconds. Not shorter, since each save is a change of the record. */
const LONGEST_MS = 3_000;

/** A text that is saved when its field is left, and while it is typed. */
function Typed({
  label,
  value,
  most,
  save,
  phone,
}: Pick<Shown, 'phone'> & {
  label: string;
  value: string | null | undefined;
  most: number;
  save: (text: string) => Promise<unknown>;
}) {
  /** The text as it is typed, which a synced change does not replace. */
  const [draft, setDraft] = useState<string>();
  /** The text that was not passed to `save` yet. Not the draft: that is updated by the next render only. */
  const unsaved = useRef<string | undefined>(undefined);
  /** When the first letter of the unsaved text was typed, in milliseconds since 1970. */
  const since = useRef<number | undefined>(undefined);
  const put = async () => {
    const text = unsaved.current;
    if (text === undefined) return;
    unsaved.current = since.current = undefined;
    await save(text.trim() === '' ? '' : text);
    if (phone.fault === undefined) setDraft((now) => (now === text ? undefined : now));
    else unsaved.current ??= text;
  };
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => {
    phone.drafts.add(put);
    // Saved when another view takes the place of this one.
    return () => {
      phone.drafts.delete(put);
      void put();
    };
  }, []);
  return (
    <label>
      {label}
      <textarea
        value={draft ?? value ?? ''}
        maxLength={most}
        rows={most > 1_000 ? 2 : 1}
        onInput={(event) => {
          unsaved.current = event.currentTarget.value;
          setDraft(event.currentTarget.value);
          since.current ??= Date.now();
          clearTimeout(timer.current);
          const left = since.current + LONGEST_MS - Date.now();
          timer.current = setTimeout(() => void put(), Math.max(0, Math.min(PAUSE_MS, left)));
        }}
        onChange={() => void put()}
      />
    </label>
  );
}

/** The full advice on when to get help at once. */
export function RedFlags() {
  const note = useRef<HTMLDivElement>(null);
  // The footer must not cover it.
  useEffect(() => note.current?.scrollIntoView({ block: 'nearest' }), []);
  return (
    <div ref={note} class="alert note" role="alert">
      <p>{redFlags.now}</p>
      <p>{redFlags.today}</p>
    </div>
  );
}
