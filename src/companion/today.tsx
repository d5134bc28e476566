import { useEffect, useRef, useState } from 'preact/hooks';
import { suggestEffective } from '../domain/effective.ts';
import { exerciseTypes } from '../domain/exercise-types.ts';
import { callsForRedFlags, isSevere } from '../domain/red-flags.ts';
import { DAY_BEGINS } from '../domain/words/day.ts';
import { foldedName } from '../domain/words/match.ts';
import { Details, focus, RedFlags, Scale } from './details.tsx';
import { type Kept, type Notebook, nowOf, recordsOf } from './notebook.ts';
import type { Shown } from './phone.ts';
import {
  dayOf,
  daysAgo,
  groupsOf,
  LOGS,
  logsOf,
  PAINS,
  type Pain,
  painsOf,
  personOf,
  savedWords,
} from './words.ts';

interface Exercise {
  exerciseName: string;
  exerciseType: string;
}

/** Days in which an exercise counts as done recently, and how often. */
const OFTEN_DAYS = 14;

/** How long a saved entry can be taken back on its card, in milliseconds. */
const TAKE_BACK_MS = 10_000;

/** How long new controls in the place of others ignore taps, in milliseconds. */
const SETTLE_MS = 600;

/** Whether something has just appeared or gone: the second of two quick taps was not meant for what is there now. */
function useSettling(isThere: boolean): boolean {
  const [settled, setSettled] = useState(isThere);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(isThere), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [isThere]);
  return settled !== isThere;
}

interface Group {
  title: string;
  isRoutine?: boolean;
  exercises: Exercise[];
}

/** The exercises to offer: those of routines, then those of the last days, the most frequent first; and the rest by name. */
function exercisesOf(kept: Notebook): { groups: Group[]; rest: Exercise[] } {
  const known = new Map<string, Exercise & { recent: number }>();
  const since = daysAgo(OFTEN_DAYS);
  for (const { exerciseName, exerciseType, date } of logsOf(kept)) {
    const recent = (known.get(exerciseName)?.recent ?? 0) + (date >= since ? 1 : 0);
    known.set(exerciseName, { exerciseName, exerciseType, recent });
  }
  const routines = routinesOf(kept);
  const inRoutine = new Set(routines.flatMap(({ exercises }) => exercises.map((one) => one.exerciseName)));
  // The stored names are for the time before the records are read; later they may be of what is gone.
  for (const one of kept.since === undefined ? (kept.names ?? []) : [])
    if (!known.has(one.exerciseName)) known.set(one.exerciseName, { ...one, recent: 0 });
  const others = [...known.values()]
    .filter(({ exerciseName }) => !inRoutine.has(exerciseName))
    .sort((a, b) => b.recent - a.recent || a.exerciseName.localeCompare(b.exerciseName));
  const recent = others.filter((one) => one.recent > 0);
  const groups = [...routines, { title: `The last ${OFTEN_DAYS} days`, exercises: recent }];
  const shown = groups.filter(({ exercises }) => exercises.length > 0);
  const rest = others.filter((one) => one.recent === 0);
  // The rest is not collapsed if there is nothing else.
  return shown.length > 0
    ? { groups: shown, rest }
    : { groups: rest.length > 0 ? [{ title: 'Exercises', exercises: rest }] : [], rest: [] };
}

/** The routines: those of the records or, before these are read, those of the stored names. */
function routinesOf(kept: Notebook): Group[] {
  const named = (kept.names ?? []).filter(({ routine }) => routine !== undefined);
  const all: (readonly [title: string, exercises: Exercise[]])[] =
    kept.since === undefined
      ? groupsOf(named, ({ routine = '' }) => routine)
      : recordsOf(kept, 'routine')
          .filter(({ userId }) => userId === personOf(kept))
          .map(({ name, exercises }) => [String(name), exercises as Exercise[]]);
  return all.map(([title, exercises]) => ({ title, isRoutine: true, exercises }));
}

export function Today(shown: Shown) {
  const { kept, phone } = shown;
  const [open, setOpen] = useState<string>();
  // The order is frozen while a card is open: its exercise would move under another heading.
  const held = useRef(exercisesOf(kept));
  if (open === undefined) held.current = exercisesOf(kept);
  const { groups, rest } = held.current;
  const names = JSON.stringify(
    [...groups, { title: '', isRoutine: false, exercises: rest }].flatMap(({ title, isRoutine, exercises }) =>
      exercises.map(({ exerciseName, exerciseType }) => ({
        exerciseName,
        exerciseType,
        ...(isRoutine && { routine: title }),
      })),
    ),
  );
  // Stored apart from the records, to be there without a network before the records are read.
  useEffect(() => {
    if ((names !== '[]' || kept.since !== undefined) && JSON.stringify(kept.names) !== names)
      // With a full storage, the former names stay.
      void phone.shelf.update((now) => ({ ...now, names: JSON.parse(names) })).catch(() => {});
  }, [names]);
  const cards = (title: string, exercises: Exercise[]) =>
    exercises.map((exercise) => (
      <Card
        key={exercise.exerciseName}
        {...shown}
        exercise={exercise}
        isOpen={open === `${title} ${exercise.exerciseName}`}
        toggle={(isOpen) => setOpen(isOpen ? `${title} ${exercise.exerciseName}` : undefined)}
      />
    ));
  return (
    <>
      <h1 tabIndex={-1}>Today</h1>
      <TrialToday {...shown} />
      <HowIsIt {...shown} />
      {groups.map(({ title, exercises }) => (
        <section key={title} aria-label={title}>
          <h2>{title}</h2>
          {cards(title, exercises)}
        </section>
      ))}
      {rest.length > 0 && (
        <details>
          <summary>Other exercises ({rest.length})</summary>
          {cards('', rest)}
        </details>
      )}
      <Another
        {...shown}
        known={[...groups.flatMap(({ exercises }) => exercises), ...rest]}
        hold={(isOpen) => setOpen(isOpen ? '' : undefined)}
      />
    </>
  );
}

/** As much of `GET /trials/{id}/status` as the page shows. */
interface TrialStatus {
  trial: { days: number };
  today: { date: string; number: number; what: string } | null;
}

/** What a trial has drawn for today; without a network, as it was last read today. */
function TrialToday({ kept, phone }: Shown) {
  const person = personOf(kept);
  const today = dayOf(new Date());
  const isReached = phone.connection === 'ok';
  useEffect(() => {
    let isLatest = true;
    const read = async () => {
      const client = await phone.client();
      const [running] = await client.json<Kept[]>(`/trials?userId=${person}&state=running`);
      // The day is that of the phone; after midnight, a trial may still be at the day before.
      const query = `today=${today}&hour=${new Date().getHours()}`;
      const status = running && (await client.json<TrialStatus>(`/trials/${running.id}/status?${query}`));
      const of = status?.today;
      const words = `day ${of?.number} of ${status?.trial.days}: ${of?.what}`;
      const trial = of && { date: today, isLate: of.date < today, words };
      await phone.shelf.update((now) => {
        const { trial: _, ...others } = now;
        return isLatest && personOf(now) === person ? { ...others, ...(trial && { trial }) } : now;
      });
    };
    if (isReached && person !== undefined && kept.ended === undefined) void read().catch(() => {});
    return () => {
      isLatest = false;
    };
    // Read again with `phone.me`, as the page is shown again: otherwise a failed attempt could be the last.
  }, [isReached, phone.me, person, today, kept.since]);
  const { trial } = kept;
  const isNow = trial?.date === today && (!trial.isLate || new Date().getHours() < DAY_BEGINS);
  return isNow ? <p class="note">Trial, {trial.words}.</p> : null;
}

/** Pain without an exercise: ten numbers, and a tap on one saves it. */
function HowIsIt({ kept, phone, say }: Shown) {
  const [id, setId] = useState<number>();
  /** Whether to show the red flags. They stay when the numbers are back, since they take longer to read. */
  const [isRed, setRed] = useState(false);
  const isSaving = useRef(false);
  const userId = personOf(kept);
  const save = async (pain: number) => {
    if (userId === undefined || isSaving.current) return;
    isSaving.current = true;
    const entry = { userId, date: dayOf(new Date()), pain };
    const made = await phone.note((offline) => offline.create('painEntry', PAINS, userId, entry));
    isSaving.current = false;
    if (made === undefined) return;
    setId(made);
    setRed(isSevere(pain));
    say(savedWords({ ...entry, id: made }));
  };
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    const showNumbers = () => {
      if (section.current?.contains(document.activeElement)) section.current.focus();
      setId(undefined);
    };
    const timer = id === undefined ? undefined : setTimeout(showNumbers, TAKE_BACK_MS);
    return () => clearTimeout(timer);
  }, [id]);
  const takeBack = async (entry: Pain) => {
    section.current?.focus();
    await phone.remove(entry);
    if (phone.fault !== undefined) return;
    setId(undefined);
    setRed(false);
    say('Taken back.');
  };
  const all = painsOf(kept);
  const entry = id === undefined ? undefined : all.find((one) => one.id === nowOf(kept, id));
  const today = all.filter(({ date }) => date === dayOf(new Date()));
  const isSettling = useSettling(entry !== undefined);
  return (
    <section
      ref={section}
      id="pain"
      class={isSettling ? 'settling' : undefined}
      tabIndex={-1}
      aria-label="How is it today?"
    >
      {entry ? (
        <p ref={focus} tabIndex={-1}>
          Saved: {entry.pain}{' '}
          <button type="button" onClick={() => void takeBack(entry)}>
            Take back
          </button>
        </p>
      ) : (
        <Scale label="How is it today?" chosen={undefined} choose={(value) => void save(value)} />
      )}
      {isRed && <RedFlags />}
      {today.length > 0 && !entry && (
        <p class="notes">Today so far: {today.map(({ pain }) => pain).join(', ')}</p>
      )}
    </section>
  );
}

/** The card of an exercise: one tap opens it, one sets the pain before, and one the pain after, which saves. */
function Card({
  exercise,
  isOpen,
  toggle,
  ...shown
}: Shown & { exercise: Exercise; isOpen: boolean; toggle: (isOpen: boolean) => void }) {
  const { kept, phone, say } = shown;
  const [before, setBefore] = useState<number>();
  const [after, setAfter] = useState<number>();
  const [id, setId] = useState<number>();
  const [mayUndo, setMayUndo] = useState(false);
  const isSaving = useRef(false);
  const userId = personOf(kept);
  const save = async (painBefore: number, painAfter: number) => {
    if (userId === undefined || isSaving.current) return;
    isSaving.current = true;
    const log = {
      userId,
      exerciseName: exercise.exerciseName,
      exerciseType: exercise.exerciseType,
      date: dayOf(new Date()),
      painBefore,
      painAfter,
      effective: suggestEffective(painBefore, painAfter),
      notes: '',
    };
    const made = await phone.note((offline) => offline.create('log', LOGS, userId, log));
    if (made === undefined) {
      isSaving.current = false;
      return;
    }
    setId(made);
    // Set with the entry: a button that appeared later would push what is below it out of sight.
    setMayUndo(true);
    say(savedWords({ ...log, id: made }));
  };
  const choose = (which: 'before' | 'after', value: number) => {
    const [painBefore, painAfter] = which === 'before' ? [value, after] : [before, value];
    if (which === 'before') setBefore(value);
    else setAfter(value);
    if (painBefore !== undefined && painAfter !== undefined) void save(painBefore, painAfter);
  };
  useEffect(() => {
    const timer = id === undefined ? undefined : setTimeout(() => setMayUndo(false), TAKE_BACK_MS);
    return () => clearTimeout(timer);
  }, [id]);
  const button = useRef<HTMLButtonElement>(null);
  const close = () => {
    button.current?.focus();
    toggle(false);
  };
  useEffect(() => {
    if (isOpen) return;
    for (const set of [setBefore, setAfter, setId]) set(undefined);
    isSaving.current = false;
  }, [isOpen]);
  const log = id === undefined ? undefined : logsOf(kept).find((one) => one.id === nowOf(kept, id));
  const isSettling = useSettling(log !== undefined);
  return (
    <div class={log && isSettling ? 'card settling' : 'card'}>
      <button
        ref={button}
        type="button"
        class="exercise"
        aria-expanded={isOpen}
        onClick={() => (isOpen ? close() : toggle(true))}
      >
        {exercise.exerciseName}
      </button>
      {isOpen && id === undefined && (
        <>
          <Scale label="Pain before" chosen={before} choose={(value) => choose('before', value)} />
          <Scale label="Pain after" chosen={after} choose={(value) => choose('after', value)} />
        </>
      )}
      {isOpen && log && (
        <>
          <p ref={focus} tabIndex={-1}>
            Saved: {log.painBefore} → {log.painAfter}
            {mayUndo && (
              <>
                {' '}
                <button
                  type="button"
                  onClick={async () => {
                    await phone.remove(log);
                    if (phone.fault !== undefined) return;
                    say('Taken back.');
                    close();
                  }}
                >
                  Take back
                </button>
              </>
            )}
          </p>
          {callsForRedFlags(log) && <RedFlags />}
          <Details {...shown} entry={log} />
          <button type="button" onClick={close}>
            Done
          </button>
        </>
      )}
    </div>
  );
}

/** A name for comparison: the same for all ways to write the name of an exercise. */
const bareName = (name: string): string => foldedName(name).replace(/[\s\p{Pd}]/gu, '');

/** The form for an exercise that was never recorded. */
function Another({
  known,
  hold,
  ...shown
}: Shown & { known: readonly Exercise[]; hold: (isOpen: boolean) => void }) {
  const [name, setName] = useState('');
  const [type, setType] = useState('stretch');
  const [exercise, setExercise] = useState<Exercise>();
  const section = useRef<HTMLElement>(null);
  const open = (next?: Exercise) => {
    setExercise(next);
    hold(next !== undefined);
    setName('');
    section.current?.focus();
  };
  const typed = { exerciseName: name.trim(), exerciseType: type };
  const alike = known.filter(({ exerciseName }) => bareName(exerciseName) === bareName(name));
  const same = alike.find(({ exerciseName }) => exerciseName === typed.exerciseName);
  // Offers the known one: another spelling, or another type, would be another exercise in every figure.
  const there = same ?? alike[0];
  return (
    <section ref={section} tabIndex={-1} aria-label="Another exercise">
      {exercise ? (
        <Card {...shown} exercise={exercise} isOpen toggle={() => open()} />
      ) : (
        <form
          class="card"
          onSubmit={(event) => {
            event.preventDefault();
            if (typed.exerciseName !== '') open(there ?? typed);
          }}
        >
          <label>
            Another exercise
            <input
              value={name}
              maxLength={100}
              required
              onInput={(event) => setName(event.currentTarget.value)}
            />
          </label>
          <label>
            Type{' '}
            <select value={type} onChange={(event) => setType(event.currentTarget.value)}>
              {exerciseTypes.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </label>
          <p role="status">{there && `${there.exerciseName} is there already.`}</p>
          <button type="submit">Record {there?.exerciseName ?? 'it'}</button>{' '}
          {there && !same && (
            <button type="button" onClick={() => open(typed)}>
              Record {typed.exerciseName} as another
            </button>
          )}
        </form>
      )}
    </section>
  );
}
