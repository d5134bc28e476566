import { useEffect, useRef, useState } from 'preact/hooks';
import type { kinds } from '../domain/kinds.ts';
import { redFlags } from '../domain/red-flags.ts';
import { Refused, Service } from './client.ts';
import { focus } from './details.tsx';
import type { Kept } from './notebook.ts';
import type { Shown } from './phone.ts';
import { personOf, spoken } from './words.ts';

/** Why a phone has to be paired again, in plain words. */
const ENDED: Readonly<Record<string, string>> = {
  'token-revoked': 'This phone was unpaired at the computer.',
  'token-expired': 'The pairing of this phone has expired.',
  'token-unknown': 'The computer does not know this phone any more.',
  'no-token': 'This phone is not paired.',
  'person-erased': 'The diary was erased at the computer. Everything on this phone was deleted, too.',
};

export const Ended = ({ ended }: { ended: string }) => <>{ENDED[ended] ?? ended}</>;

/** The view that pairs the phone, or, if the service needs no tokens, asks whose diary it is. */
export function Door({ kept, phone, say }: Shown) {
  const [typed, setTyped] = useState('');
  const [fault, setFault] = useState('');
  const [isPairing, setPairing] = useState(false);
  const [people, setPeople] = useState<Kept[]>();
  const isOpen = phone.me?.authentication === false && kept.ended === undefined;
  useEffect(() => {
    const read = async () => {
      setPeople(await (await phone.client()).json<Kept[]>('/users?limit=200'));
      setFault('');
    };
    if (isOpen) void read().catch(() => setFault('The computer is not reached.'));
    // Read again when `phone.me` is, as the page is shown again: somebody may have been added.
  }, [isOpen, phone.me]);
  const pair = async (text: string) => {
    const [token] = /^sciatica_[\w-]+$/.exec(text.trim()) ?? [];
    const code = /(?:code=)?([\w-]{22})(?:&|$)/.exec(text.trim())?.[1];
    const before = location.hash;
    setFault('');
    setPairing(true);
    try {
      if (token !== undefined) {
        // Tried first: the token that this phone has is not replaced by an invalid one.
        await new Service(location.origin, token).send('/me');
        await phone.use(token);
      } else if (code !== undefined) await phone.pair(code);
      else return setFault('This is neither the link or code that sciatica pair shows, nor a token.');
      // Not if the user has gone to another view meanwhile.
      if (location.hash === before) location.hash = '#today';
      say('Paired.');
    } catch (error) {
      setFault(
        error instanceof Refused
          ? error.problem.status === 404
            ? 'No code is open: it was used or has expired. Run sciatica pair again.'
            : error.message
          : 'The computer is not reached. Is this phone on the same network?',
      );
    } finally {
      setPairing(false);
    }
  };
  useEffect(() => {
    const { code } = phone;
    phone.code = undefined;
    if (code === undefined) return;
    // If pairing fails, the code need not be scanned again.
    setTyped(code);
    void pair(code);
  }, []);
  const emptied = phone.lost !== undefined && (
    <p class="note alert">
      This browser has emptied what the page had stored. What was sent is at the computer
      {phone.lost > 0 ? `; what was not sent yet (${phone.lost}) is lost.` : ', and nothing is lost.'}
    </p>
  );
  if (isOpen)
    return (
      <>
        <h1 tabIndex={-1}>Whose diary is it?</h1>
        {emptied}
        {fault && (
          <p role="alert">
            {fault}{' '}
            <button type="button" onClick={() => void phone.sync()}>
              Try now
            </button>
          </p>
        )}
        {people?.length === 0 && <p>There is nobody yet. In the terminal: sciatica user add</p>}
        {people?.map(({ id, firstName, lastName }) => (
          <button
            key={id}
            type="button"
            class="exercise card"
            onClick={() => void phone.note(() => phone.choose(id))}
          >
            {String(firstName)} {String(lastName)}
          </button>
        ))}
      </>
    );
  return (
    <>
      <h1 tabIndex={-1}>Pair this phone</h1>
      {emptied}
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
      {isPairing && <p class="late">Asking the computer…</p>}
      {fault && <p role="alert">{fault}</p>}
      <Help />
    </>
  );
}

/** How long a copy waits for what only the service has, in milliseconds. */
const REST_MS = 5_000;

type Path = (typeof kinds)[keyof typeof kinds]['path'];
/** The lists of a diary by their keys in a JSON document. */
type Lists = { [P in Path as P extends `/${infer Key}` ? Key : never]: readonly Kept[] };
type KeptHere = 'users' | 'userExerciseLogs' | 'routines' | 'painEntries';

/** The lists of a diary that the phone does not keep; the compiler asks for every kind of record. @throws as every request */
async function restOf({
  phone,
  person,
}: Pick<Shown, 'phone'> & { person: number | undefined }): Promise<Omit<Lists, KeptHere>> {
  const client = await phone.client();
  const signal = AbortSignal.timeout(REST_MS);
  const read = <T,>(what: string) => client.json<T>(`/users/${person}/${what}`, { signal });
  const [trials, trialDays, goal] = await Promise.all([
    read<Kept[]>('trials'),
    read<Kept[]>('trialDays'),
    read<Kept>('goal').catch((error: unknown) => {
      // 404: there is no goal.
      if (!(error instanceof Refused) || error.problem.status !== 404) throw error;
    }),
  ]);
  return { goals: goal ? [goal] : [], trials, trialDays };
}

export function More({ kept, phone, say }: Shown) {
  const { me } = phone;
  const person = personOf(kept);
  const user = person === undefined ? undefined : kept.records['user']?.[person];
  const download = async () => {
    const { records } = kept;
    const rest = await restOf({ phone, person }).catch(() => undefined);
    const lists = {
      users: Object.values(records['user'] ?? {}),
      userExerciseLogs: Object.values(records['log'] ?? {}),
      routines: Object.values(records['routine'] ?? {}),
      painEntries: Object.values(records['painEntry'] ?? {}),
      ...rest,
    } satisfies Partial<Lists>;
    const text = JSON.stringify(lists, (name, value: unknown) => (name === 'etag' ? undefined : value), 2);
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
    link.download = 'sciatica.json';
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    const unsent = kept.waiting.length > 0 ? `, without ${kept.waiting.length} not sent yet` : '';
    const lacking = rest ? '' : ' Goal and trials are not in it: only the computer has them.';
    say(`Saved as sciatica.json${unsent}.${lacking}`);
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
        <button type="button" onClick={() => void download()}>
          Save a copy as a file
        </button>{' '}
        <Forget {...{ phone, say }} count={kept.waiting.length} />
      </section>
      <Help />
      <p>
        <a class="target" href="/app/licences.txt">
          Licences
        </a>
      </p>
    </>
  );
}

/** Asks first, then deletes everything on this phone. @param count of writes that are not sent yet */
export function Forget({ phone, say, count }: Pick<Shown, 'phone' | 'say'> & { count: number }) {
  const [isAsking, setAsking] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
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
      <button ref={button} type="button" onClick={() => setAsking(true)}>
        Forget this phone
      </button>
    );
  return (
    <section ref={focus} tabIndex={-1} class="note alert" aria-label="Forget this phone">
      <p role="alert">
        {count > 0
          ? `${count} not sent yet will be lost. `
          : 'Everything is at the computer, and stays there. '}
        Forget everything on this phone?
      </p>
      <button type="button" class="danger" onClick={() => void forget()}>
        Forget
      </button>{' '}
      <button
        type="button"
        onClick={() => {
          setAsking(false);
          setTimeout(() => button.current?.focus());
        }}
      >
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
