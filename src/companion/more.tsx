import { useEffect, useState } from 'preact/hooks';
import { redFlags } from '../domain/red-flags.ts';
import { Refused } from './client.ts';
import type { Kept } from './notebook.ts';
import type { Shown } from './phone.ts';
import { LOGS, type Log, personOf, spoken } from './words.ts';

/** Why a phone has to be paired again, in plain words. */
const ENDED: Readonly<Record<string, string>> = {
  'token-revoked': 'This phone was unpaired at the computer.',
  'token-expired': 'The pairing of this phone has expired.',
  'token-unknown': 'The computer does not know this phone any more.',
  'person-erased': 'The diary was erased at the computer. Everything on this phone was deleted, too.',
};

export const Ended = ({ ended }: { ended: string }) => <>{ENDED[ended] ?? ended}</>;

/** What is shown before it is known whose diary it is. */
export function Door({ kept, phone, say }: Shown) {
  const [typed, setTyped] = useState('');
  const [fault, setFault] = useState('');
  const [people, setPeople] = useState<Kept[]>();
  const isOpen = phone.me?.authentication === false;
  useEffect(() => {
    const read = async () => setPeople(await (await phone.client()).json<Kept[]>('/users?limit=200'));
    if (isOpen) void read().catch(() => {});
  }, [isOpen]);
  const pair = async (text: string) => {
    const [token] = /^sciatica_[\w-]+$/.exec(text.trim()) ?? [];
    const code = /(?:code=)?([\w-]{22})(?:&|$)/.exec(text.trim())?.[1];
    setFault('');
    try {
      if (token !== undefined) await phone.use(token);
      else if (code !== undefined) await phone.pair(code);
      else return setFault('This is neither the link or code that sciatica pair shows, nor a token.');
      location.hash = '#today';
      say('Paired.');
    } catch (error) {
      setFault(
        error instanceof Refused
          ? error.problem.status === 404
            ? 'No code is open: it was used or has expired. Run sciatica pair again.'
            : error.message
          : 'The computer is not reached. Is this phone on the same network?',
      );
    }
  };
  useEffect(() => {
    const { code } = phone;
    phone.code = undefined;
    if (code !== undefined) void pair(code);
  }, []);
  if (isOpen)
    return (
      <>
        <h1 tabIndex={-1}>Whose diary is it?</h1>
        {people?.length === 0 && <p>There is nobody yet. In the terminal: sciatica user add</p>}
        {people?.map(({ id, firstName, lastName }) => (
          <button key={id} type="button" class="exercise card" onClick={() => void phone.choose(id)}>
            {String(firstName)} {String(lastName)}
          </button>
        ))}
      </>
    );
  return (
    <>
      <h1 tabIndex={-1}>Pair this phone</h1>
      {kept.ended !== undefined && kept.ended !== 'no-token' && (
        <p class="note alert">
          <Ended ended={kept.ended} />
        </p>
      )}
      {kept.waiting.length > 0 && (
        <p>What is not sent yet stays here, and is sent once this phone is paired again.</p>
      )}
      <p>
        On the computer, run <code>sciatica pair</code> and scan its code with the camera of this phone. Or
        type here what it shows:
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void pair(typed);
        }}
      >
        <label>
          Link, code or token
          <input
            value={typed}
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        </label>
        <button type="submit">Pair</button>
      </form>
      {fault && <p role="alert">{fault}</p>}
      <Help />
    </>
  );
}

export function More({ kept, phone, say }: Shown) {
  const { me } = phone;
  const person = personOf(kept);
  const user = person === undefined ? undefined : kept.records['user']?.[person];
  const download = () => {
    const { records } = kept;
    const lists = {
      users: Object.values(records['user'] ?? {}),
      userExerciseLogs: Object.values(records['log'] ?? {}),
      routines: Object.values(records['routine'] ?? {}),
    };
    const text = JSON.stringify(lists, (name, value: unknown) => (name === 'etag' ? undefined : value), 2);
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
    link.download = 'sciatica.json';
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    const unsent = kept.waiting.length > 0 ? `, without ${kept.waiting.length} not sent yet` : '';
    say(`Saved as sciatica.json${unsent}.`);
  };
  return (
    <>
      <h1 tabIndex={-1}>More</h1>
      <section aria-label="Pairing">
        <h2>Whose diary</h2>
        <p>
          {user && `${String(user['firstName'])} ${String(user['lastName'])}. `}
          {me &&
            `The records are on ${me.machine}, in a file that belongs to you; nothing is sent anywhere else.`}
          {me?.expiresAt &&
            ` This phone is paired until ${spoken(me.expiresAt.slice(0, 10))} as ${me.name}, and renews that by itself.`}
        </p>
        <button type="button" onClick={download}>
          Save a copy as a file
        </button>{' '}
        <Forget {...{ phone, say }} count={kept.waiting.length} />
      </section>
      <Help />
      <p>
        <a href="/app/licences.txt">Licences</a>
      </p>
    </>
  );
}

/** A patient in the list of a provider. */
interface Patient {
  id: number;
  name: string;
  /** Of the sessions; undefined until it was read. */
  line?: string;
}

/** For a token that reads the records of several people: who they are, and the report on each. Nothing is kept or written. */
export function Patients({ phone, say }: Shown) {
  const [people, setPeople] = useState<Patient[]>();
  const [report, setReport] = useState<{ name: string; text: string }>();
  const isReached = phone.connection === 'ok';
  useEffect(() => {
    const read = async () => {
      const client = await phone.client();
      const users = await client.json<Kept[]>('/users?limit=1000&sort=lastName,firstName,id');
      let list: Patient[] = users.map(({ id, firstName, lastName }) => ({
        id,
        name: `${firstName} ${lastName}`,
      }));
      setPeople(list);
      for (const { id } of list) {
        const latest = await client.send(`/users/${id}${LOGS}?sort=-date,-id&limit=1`);
        const [log] = (await latest.json()) as Log[];
        const count = Number(latest.headers.get('X-Total-Count'));
        const line = log
          ? `${count} ${count === 1 ? 'session' : 'sessions'}, the last on ${spoken(log.date)}: ${log.painBefore} → ${log.painAfter}`
          : 'no sessions';
        list = list.map((one) => (one.id === id ? { ...one, line } : one));
        setPeople(list);
      }
    };
    if (isReached) void read().catch(() => {});
  }, [isReached]);
  const open = async ({ id, name }: Patient) => {
    say('Reading…');
    const text = await (await phone.client())
      .send(`/users/${id}/report?format=md`)
      .then((response) => response.text())
      .catch(() => undefined);
    say(text === undefined ? 'The computer is not reached. Try again.' : '');
    if (text !== undefined) setReport({ name, text });
  };
  return (
    <>
      <h1 tabIndex={-1}>{report?.name ?? 'Patients'}</h1>
      {report ? (
        <>
          <button type="button" onClick={() => setReport(undefined)}>
            All patients
          </button>
          <pre>{report.text}</pre>
        </>
      ) : (
        people?.map((patient) => (
          <button key={patient.id} type="button" class="exercise card" onClick={() => void open(patient)}>
            {patient.name}
            <span class="notes">{patient.line ?? '…'}</span>
          </button>
        ))
      )}
      {!report && <Forget {...{ phone, say }} count={0} />}
    </>
  );
}

/** Asks, then forgets everything. @param count of what is not sent yet */
function Forget({ phone, say, count }: Pick<Shown, 'phone' | 'say'> & { count: number }) {
  const [isAsking, setAsking] = useState(false);
  const forget = async () => {
    const isTold = await phone.forget();
    say(
      isTold
        ? 'This phone has forgotten everything.'
        : 'This phone has forgotten everything. The computer was not reached: take the pairing back there with sciatica token rm.',
    );
  };
  if (!isAsking)
    return (
      <button type="button" onClick={() => setAsking(true)}>
        Forget this phone
      </button>
    );
  return (
    <section class="note alert" aria-label="Forget this phone">
      <p role="alert">
        {count > 0
          ? `${count} not sent yet will be lost. `
          : 'Everything is at the computer, and stays there. '}
        Forget everything on this phone?
      </p>
      <button type="button" class="danger" onClick={() => void forget()}>
        Forget
      </button>{' '}
      <button type="button" onClick={() => setAsking(false)}>
        Keep
      </button>
    </section>
  );
}

function Help() {
  return (
    <section aria-label="When to get help">
      <h2>When to get help at once</h2>
      <p>{redFlags.now}</p>
      <p>{redFlags.today}</p>
    </section>
  );
}
