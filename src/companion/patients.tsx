import { useEffect, useState } from 'preact/hooks';
import { signed } from '../domain/words/points.ts';
import { Refused, type Schemas } from './client.ts';
import { focusHeading } from './details.tsx';
import { Forget } from './more.tsx';
import type { Shown } from './phone.ts';
import { Report } from './report.tsx';
import { sessionsOf, spoken } from './words.ts';

type Patient = Schemas['Overview'];

/** For a token that reads the records of several people: how each is, and the report on each. Nothing is kept or written. */
export function Patients({ kept, phone, say }: Shown) {
  const [found, setPatients] = useState<readonly Patient[]>();
  const [report, setReport] = useState<{ name: string; text: string }>();
  // Without a valid token, nobody is shown any more.
  const patients = kept.ended === undefined ? found : undefined;
  useEffect(() => {
    const read = async () => setPatients(await (await phone.client()).json<Patient[]>('/overviews'));
    if (phone.me) void read().catch(() => {});
    // `phone.me` was read again: the page was opened, or is shown again.
  }, [phone.me]);
  const show = (next: typeof report) => {
    setReport(next);
    // The button that had the focus is gone.
    setTimeout(focusHeading);
  };
  useEffect(() => {
    window.onpopstate = () => show(undefined);
    return () => {
      window.onpopstate = null;
    };
  }, []);
  const open = async (patient: Patient) => {
    say('Reading…');
    const client = await phone.client();
    const read = client.send(`/users/${patient.id}/report?format=md`).then((response) => response.text());
    const text = await read.catch((error: unknown) => {
      say(whyNot(error, patient));
      // Checks whether the token is still valid, and reads the list again.
      void phone.sync();
    });
    if (text === undefined) return;
    say('');
    // Back, also that of the browser, leads from the report to the patients.
    history.pushState(null, '');
    show({ name: nameOf(patient), text });
  };
  return (
    <>
      <h1 tabIndex={-1}>{report?.name ?? 'Patients'}</h1>
      {report ? (
        <>
          <button type="button" onClick={() => history.back()}>
            All patients
          </button>
          <Report text={report.text} />
        </>
      ) : (
        <>
          {patients?.length === 0 && <p>There is no patient yet.</p>}
          {patients?.map((patient) => (
            <button key={patient.id} type="button" class="exercise card" onClick={() => void open(patient)}>
              {nameOf(patient)}{' '}
              <span class="notes">
                {patient.redEntries > 0 && <b>Red: {patient.redEntries}. </b>}
                {lineOf(patient)}
                {patient.leftOut > 0 &&
                  ` Left out: ${patient.leftOut}, after today or before the birth that the age implies.`}
              </span>
            </button>
          ))}
          {patients && patients.length > 0 && (
            <p class="notes">
              The most urgent are at the top. Sessions and mean pain of a day in the last 14 days; in brackets
              against the 28 days before. Red: a rise of 3 or more, or pain of 9 or 10.
            </p>
          )}
          <Forget {...{ phone, say }} count={0} />
        </>
      )}
    </>
  );
}

function whyNot(error: unknown, patient: Patient): string {
  if (!(error instanceof Refused)) return 'The computer is not reached. Try again.';
  const isGone = error.problem.status === 404;
  return isGone ? `${nameOf(patient)} is not among your patients any more.` : error.message;
}

const nameOf = ({ firstName, lastName }: Patient): string => `${firstName} ${lastName}`;

function lineOf({ sessions, lastSession, pain, painEarlier, painChange }: Patient): string {
  const change = painChange === undefined ? '' : ` (${signed(painChange)})`;
  const level =
    pain !== undefined
      ? `Pain ${pain.toFixed(1)}${change}. `
      : painEarlier !== undefined
        ? `Pain earlier ${painEarlier.toFixed(1)}. `
        : '';
  return (
    level + (lastSession ? `${sessionsOf(sessions)}, the last on ${spoken(lastSession)}.` : 'No session yet.')
  );
}
