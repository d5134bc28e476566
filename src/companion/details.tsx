import { useEffect, useRef, useState } from 'preact/hooks';
import { redFlags } from '../domain/red-flags.ts';
import type { Shown } from './phone.ts';
import { dayOf, type Entry, isPain, kindOf, spoken } from './words.ts';

/** What is said of an entry, and how. */

/** For the ref of what comes where the buttons were that had the focus: reading, and the keyboard, go on there. */
export const focus = (arrived: HTMLElement | null): void => arrived?.focus();

/** Where the button that had the focus goes, and nothing comes in its place. A field that the person is in by now keeps it. */
export function focusHeading(): void {
  if (!document.activeElement?.matches('input, select, textarea')) document.querySelector('h1')?.focus();
}

/** Ten numbers, none of them chosen beforehand: a value that is offered is a value that is recorded. */
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

/** What can be said of an entry once it is saved. */
export function Details({ phone, entry, say }: Shown & { entry: Entry }) {
  const change = (body: Record<string, unknown>) =>
    phone.note((offline) => offline.change(...kindOf(entry), entry.id, body));
  /** As it was ticked, until that is stored: what is drawn meanwhile does not take it back. */
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
          // What arrives from elsewhere does not take away a day that is half typed.
          value={isTyping ? undefined : entry.date}
          onInput={() => setTyping(true)}
          // A year that is typed begins as the year 2.
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

/** How long nothing is typed before a text is saved, in milliseconds: a page that is closed saves nothing any more. */
const PAUSE_MS = 500;
/** And how long it waits at most while somebody types on: each save is a change of the record. */
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
  /** As it is typed: what arrives from elsewhere meanwhile does not take it away. */
  const [draft, setDraft] = useState<string>();
  /** What no save was asked for yet, up to the last letter: the draft is drawn a moment later. */
  const unsaved = useRef<string | undefined>(undefined);
  /** When the first letter of it was typed. */
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
    // Another view takes the text with it.
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

/** When to get help at once, in full. */
export function RedFlags() {
  const note = useRef<HTMLDivElement>(null);
  // Nothing at the foot may cover it.
  useEffect(() => note.current?.scrollIntoView({ block: 'nearest' }), []);
  return (
    <div ref={note} class="alert note" role="alert">
      <p>{redFlags.now}</p>
      <p>{redFlags.today}</p>
    </div>
  );
}
