import { useState } from 'preact/hooks';
import type { Shown } from './phone.ts';
import type { Log } from './words.ts';

/** For a token that reads the records of several people: who they are, and the report on each. Nothing is written. */
export function Patients({ kept, phone }: Shown) {
  const [report, setReport] = useState<{ name: string; text: string }>();
  const people = Object.values(kept.records['user'] ?? {});
  const logs = Map.groupBy(Object.values(kept.records['log'] ?? {}) as Log[], ({ userId }) => userId);
  const open = async (id: number, name: string) => {
    const text = await (await phone.client())
      .send(`/users/${id}/report?format=md`)
      .then((response) => response.text())
      .catch(() => 'The computer is not reached. Try again.');
    setReport({ name, text });
  };
  if (report)
    return (
      <main id="main">
        <h1>{report.name}</h1>
        <button type="button" onClick={() => setReport(undefined)}>
          All patients
        </button>
        <pre>{report.text}</pre>
      </main>
    );
  return (
    <main id="main">
      <h1>Patients</h1>
      {people.map(({ id, firstName, lastName, painLevel }) => {
        const sessions = logs.get(id) ?? [];
        const last = sessions.reduce((latest, { date }) => (date > latest ? date : latest), '');
        const name = `${firstName} ${lastName}`;
        return (
          <button key={id} type="button" class="exercise card" onClick={() => void open(id, name)}>
            {name}
            <span class="notes">
              {sessions.length} sessions{last && `, the last on ${last}`}; pain level {String(painLevel)}
            </span>
          </button>
        );
      })}
    </main>
  );
}
