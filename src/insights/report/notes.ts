import { rankOf, UNTIMED } from '../../domain/day-pain.ts';
import type { Log } from '../../domain/log.ts';
import type { TrialDay } from '../../domain/trial.ts';
import { exerciseKey } from '../exercises.ts';
import { quoted, shortName, toldApart } from '../names.ts';
import { compareText, groupBy } from '../numbers.ts';
import type { Entry } from '../pain-days.ts';
import { count, listed } from '../wording.ts';
import type { Block, Note, Section } from './document.ts';
import { MANY, type Report } from './report.ts';

/** Most notes that are shown unless all are asked for. */
const MOST_NOTES = 20;

/** The latest notes, or all with `full`; without it, from `MANY` sessions on, of sessions only those with a rise in pain. */
export function notesSection({ logs, entries, trialDays, rises, full }: Report): Section {
  const risesOnly = !full && logs.length >= MANY;
  const written = [
    ...entries.map((entry) => ({ ...entry, rank: rankOf(entry), note: noteOfEntry(entry) })),
    ...trialDays.map((day) => ({ ...day, rank: UNTIMED, note: noteOfTrialDay(day) })),
    ...toldApart(risesOnly ? rises : logs).map((log) => ({ ...log, rank: UNTIMED, note: noteOf(log) })),
  ]
    .filter(({ note }) => note.text.trim() !== '')
    .sort((a, b) => compareText(a.date, b.date) || a.rank - b.rank);
  const shown = full ? written : written.slice(-MOST_NOTES);
  const whose = [
    'sessions with a rise',
    ...(entries.length > 0 ? ['pain entries'] : []),
    ...(trialDays.length > 0 ? ['trial days'] : []),
  ];
  const which = `${written.length === 0 ? 'No notes' : count(written.length, 'note')}${risesOnly ? ` of ${listed(whose)}` : ''}`;
  const left = written.length > shown.length;
  const blocks: Block[] = [
    {
      kind: 'paragraph',
      text: left
        ? `The latest ${shown.length} of ${which}. With --full, or full=true over HTTP, all notes.`
        : `${which}${written.length > 1 ? ', the latest first' : ''}.${risesOnly ? ' With --full, or full=true over HTTP, all notes.' : ''}`,
    },
  ];
  if (shown.length > 0) blocks.push({ kind: 'notes', notes: shown.toReversed().map(({ note }) => note) });
  return { title: 'Notes', blocks };
}

/** The note of a session. @param name the exercise as it is to be shown, by default in full */
export function noteOf(
  { date, exerciseName, painBefore, painAfter, notes }: Log,
  name = quoted(exerciseName),
): Note {
  return { heading: `${date} · ${name} · ${painBefore} → ${painAfter}`, text: notes };
}

/** The note of a pain without exercise. */
export function noteOfEntry({ date, timeOfDay, pain, notes = '' }: Entry): Note {
  const time = timeOfDay === undefined ? '' : `, ${timeOfDay}`;
  return { heading: `${date}${time} · pain ${pain}/10`, text: notes };
}

/** The note of a day of a trial. */
export function noteOfTrialDay({ date, first, second, done, notes = '' }: TrialDay): Note {
  const pains = second === undefined ? `pain ${first}/10` : `${first} → ${second}`;
  return { heading: `${date} · trial${done ? '' : ', not as drawn'} · ${pains}`, text: notes };
}

/** A note in one line of at most `longest` characters. */
export function shortened({ heading, text: notes }: Note, longest: number): Note {
  const text = [...notes.trim().replace(/\s+/g, ' ')];
  return {
    heading,
    text: text.length <= longest ? text.join('') : `${text.slice(0, longest - 1).join('')}…`,
  };
}

const MOST_NAMED = 2;

/** Number of rises after each exercise, most rises first: `Hamstring Stretch (4) and Bird Dog (1)`. */
export function riseCounts(rises: readonly Log[]): string {
  const groups = [...groupBy(toldApart(rises), exerciseKey).values()].sort((a, b) => b.length - a.length);
  return listed(
    groups.map((those) => `${shortName(those[0] as Log)} (${those.length})`),
    MOST_NAMED,
  );
}
