import type { PlacesSummary } from '../../cases/summary.ts';
import { RED_FLAGS } from '../../domain/red-flags.ts';
import { FEWEST_TO_SAY, figuresNote, type PlaceSummary, words } from '../../insights/index.ts';
import { counted } from '../terminal/io.ts';
import { type Canvas, wrap } from '../terminal/layout.ts';
import { changesTable, tooFew } from './changes.ts';

/** Which exercises help whom, place by place, as the lines of a screen. */
export function placesScreen(
  { since, until, rule, places, leftOut }: PlacesSummary,
  canvas: Canvas,
): string[] {
  const period = `${since ? ` since ${since}` : ''}${until ? ` until ${until}` : ''}`;
  return [
    ...wrap(`Response by pain location${period}. Each patient counts once.`, canvas),
    ...wrap(words.leftOutSentence(leftOut) ?? '', canvas).filter(Boolean),
    '',
    ...places.flatMap((place) => [...placeLines(place, canvas), '']),
    ...wrap(figuresNote(rule), canvas),
    ...wrap(RED_FLAGS, canvas),
  ];
}

function placeLines({ painLocation, patients, sessions, exercises }: PlaceSummary, canvas: Canvas): string[] {
  const few = tooFew(
    exercises,
    `Too few patients to say, under ${FEWEST_TO_SAY}: mean change (sessions)`,
    canvas,
  );
  return [
    ...wrap(`${painLocation}: ${counted(patients, 'patient')}, ${counted(sessions, 'session')}`, canvas),
    ...changesTable(
      exercises.filter(({ verdict }) => verdict !== 'too-few'),
      [
        {
          title: canvas.width < 70 ? 'n' : 'Patients',
          from: 0,
          cell: (exercise) => String(exercise.patients),
        },
        {
          title: 'Lower in',
          from: 70,
          cell: ({ patientsLower, patients: all }) => `${patientsLower} of ${all}`,
        },
      ],
      canvas,
    ),
    ...(few ? wrap(few, canvas) : []),
  ];
}
