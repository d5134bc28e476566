import { render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Problem } from './client.ts';
import { focusHeading } from './details.tsx';
import { Diary } from './diary.tsx';
import { WhatHelps } from './helps.tsx';
import { Door, Ended, More } from './more.tsx';
import { isOwn, type Notebook } from './notebook.ts';
import { Patients } from './patients.tsx';
import { Phone, type Shown } from './phone.ts';
import { openShelf, trace } from './shelf.ts';
import { Today } from './today.tsx';
import { dayOf, isPersonGone, personOf, spoken } from './words.ts';

/** The page: four views of one notebook. */

const views = { today: 'Today', diary: 'Diary', helps: 'What helps', more: 'More' } as const;
type ViewName = keyof typeof views | 'pair';

const viewOf = (hash: string): ViewName =>
  [...(Object.keys(views) as ViewName[]), 'pair' as const].find((name) => hash === `#${name}`) ?? 'today';

/** Moves the focus, of keyboard and screen reader, to where the shortcut `#pain` of the home screen leads. */
function askForPain(): void {
  if (location.hash === '#pain') document.getElementById('pain')?.focus();
}

/** How long a message about what was done is shown, in milliseconds. */
const SAID_MS = 8_000;

/** Interval of checking whether another hour has begun, in milliseconds. */
const MINUTE_MS = 60_000;

function App({ phone, first }: { phone: Phone; first: Notebook }) {
  const [kept, setKept] = useState(first);
  const [view, setView] = useState<ViewName>(phone.code === undefined ? viewOf(location.hash) : 'pair');
  const [said, setSaid] = useState('');
  const [, look] = useState(0);
  const [update, setUpdate] = useState<() => void>();
  const isFirst = useRef(true);
  useEffect(() => {
    phone.shelf.watch(setKept);
    phone.told = () => look((n) => n + 1);
    addEventListener('hashchange', () => {
      setView(viewOf(location.hash));
      askForPain();
    });
    for (const event of ['online', 'pageshow']) addEventListener(event, () => void phone.sync());
    document.addEventListener('visibilitychange', () => {
      // The page may never be shown again on a phone that is put away.
      void phone.saveDrafts();
      if (document.visibilityState === 'visible') void phone.sync();
    });
    // Renders a page that is left open overnight: its day changes at midnight, and that of a trial at four.
    let hour = new Date().getHours();
    setInterval(() => {
      const now = new Date().getHours();
      if (now !== hour) void phone.sync();
      hour = now;
    }, MINUTE_MS);
    void phone.sync();
    void registerWorker((use) => setUpdate(() => use));
  }, []);
  const isIn = isKnown(kept);
  const whose = `${kept.database} ${personOf(kept)}`;
  useEffect(() => {
    // What one person deleted is not offered to another.
    phone.deleted = [];
  }, [whose]);
  useEffect(() => {
    if (isIn) trace.write(kept.waiting.length);
  }, [isIn, kept.waiting.length]);
  const shows = !isIn || view === 'pair' ? 'pair' : isOwn(kept) ? view : 'patients';
  useEffect(() => {
    document.title = `${document.querySelector('h1')?.textContent} · sciatica`;
    // After a change of view, screen readers go on at its heading.
    if (!isFirst.current) focusHeading();
    isFirst.current = false;
    askForPain();
  }, [shows]);
  const say = (text: string) => {
    setSaid(text);
    setTimeout(() => setSaid((now) => (now === text ? '' : now)), SAID_MS);
  };
  const shown: Shown = { kept, phone, say };
  return (
    <>
      {/* Screen readers announce what appears here, wherever they are reading. */}
      <header aria-live="polite">
        {update && (
          <p class="note">
            A new version of this page is there.{' '}
            <button type="button" onClick={update}>
              Use it
            </button>
          </p>
        )}
        {!phone.shelf.isLasting && (
          <p class="note alert">
            This browser lets the page store nothing (a private window?). What is not sent when you close it
            is lost.
          </p>
        )}
        {phone.isClockOff && (
          <p class="note alert">
            The clocks of this phone and of the computer differ. What you record gets the day of this phone:{' '}
            {spoken(dayOf(new Date()))}.
          </p>
        )}
        {phone.fault && (
          <p class="note alert" role="alert">
            {phone.fault}
          </p>
        )}
        {shows !== 'pair' && kept.ended !== undefined && (
          <p class="note alert">
            <Ended ended={kept.ended} />{' '}
            {isOwn(kept) && 'What you record stays on this phone until it is paired again. '}
            <a href="#pair">Pair again</a>
          </p>
        )}
        {shows !== 'pair' && kept.ended === undefined && isOwn(kept) && isPersonGone(kept) && (
          <p class="note alert">
            This diary was deleted at the computer, or merged into another, which this phone does not see.{' '}
            <a href="#pair">Pair again</a>
          </p>
        )}
        <Refusals {...shown} />
      </header>
      <main>
        {shows === 'pair' && <Door {...shown} />}
        {shows === 'patients' && <Patients {...shown} />}
        {shows === 'today' && <Today {...shown} />}
        {shows === 'diary' && <Diary {...shown} />}
        {shows === 'helps' && <WhatHelps {...shown} />}
        {shows === 'more' && <More {...shown} />}
      </main>
      {/* At the bottom, where a message that appears moves nothing under a finger. */}
      <footer>
        <p class="said" role="status">
          {said}
        </p>
        <Waiting {...shown} />
        {isOwn(kept) && (
          <nav aria-label="Views">
            {Object.entries(views).map(([name, title]) => (
              <a key={name} href={`#${name}`} aria-current={name === shows ? 'page' : undefined}>
                {title}
              </a>
            ))}
          </nav>
        )}
      </footer>
    </>
  );
}

/** Whether it is known whose diary it is. */
const isKnown = ({ token, person }: Notebook) => token !== undefined || person !== undefined;

/** The line about the connection: how many writes are not sent yet, and why. */
function Waiting({ kept, phone }: Shown) {
  const count = kept.waiting.length;
  const { connection } = phone;
  // Until the records are read, an empty diary would look as if there were none.
  const isRead = !isOwn(kept) || kept.since !== undefined || kept.ended !== undefined;
  const why =
    typeof connection === 'object'
      ? connection.refused
      : connection === 'unreachable' && 'The computer is not reached; it is tried again.';
  const what = count > 0 && `${count} not sent yet.`;
  return (
    <div role="status">
      {(what || why) && (
        <p class="note">
          {[what, why].filter(Boolean).join(' ')}{' '}
          {why && (
            <button type="button" onClick={() => void phone.sync()}>
              Try now
            </button>
          )}
        </p>
      )}
      {(connection === 'trying' || !(isRead || why)) && <p class="note late">Asking the computer…</p>}
    </div>
  );
}

/** The labels of the fields of an entry that can be changed. */
const FIELDS: Readonly<Record<string, string>> = {
  painBefore: 'pain before',
  painAfter: 'pain after',
  effective: 'it helped',
  date: 'day',
  pain: 'pain',
  medication: 'medication',
  notes: 'notes',
};

/** Why the service refused something: each fault after the name of its field. */
const whyOf = ({ errors, detail }: Problem): string =>
  errors
    ?.map(({ field, message }) =>
      field === 'userId'
        ? 'the person was deleted at the computer.'
        : `${FIELDS[field] ?? field} ${message}.`,
    )
    .join(' ') ?? detail;

/** The writes that the service refused: the person decides what becomes of each. */
function Refusals({ kept, phone }: Shown) {
  return (
    <>
      {kept.refused.map((write) => {
        const { what, kind, path, id, body, before, problem } = write;
        const name = body?.['exerciseName'] ?? before?.['exerciseName'] ?? 'Pain';
        const current = problem?.current as Record<string, unknown> | undefined;
        const isDeletion = what === 'delete';
        const isGone = what === 'change' && problem?.status === 404;
        const isShown = (field: string) =>
          isDeletion
            ? current !== undefined && inWords(before?.[field]) !== inWords(current[field])
            : field in (body ?? {});
        const settle = (isMine: boolean) =>
          phone.note(async (offline) => {
            if (isMine && isGone && before) await offline.restore(kind, path, before);
            if (isMine) await offline.change(kind, path, id, body);
            await offline.dismiss(write.key);
            focusHeading();
          });
        return (
          <section key={write.key} class="note alert" aria-label="Not saved">
            <p>
              Not {isDeletion ? 'deleted' : 'saved'}, {String(name)}:{' '}
              {isGone
                ? 'it was deleted elsewhere.'
                : problem?.status === 412
                  ? `it was changed elsewhere${isDeletion ? '' : ', too'}.`
                  : problem && whyOf(problem)}
            </p>
            <ul>
              {Object.keys(FIELDS)
                .filter(isShown)
                .map((field) => (
                  <li key={field}>
                    {FIELDS[field]}: {inWords((body ?? before)?.[field])} here
                    {current && `, ${inWords(current[field])} there`}
                  </li>
                ))}
            </ul>
            {(current || isGone) && (
              <button type="button" onClick={() => void settle(true)}>
                {isDeletion ? 'Delete it' : 'Save what is here'}
              </button>
            )}{' '}
            <button type="button" onClick={() => void settle(false)}>
              {isGone ? 'Leave it deleted' : current ? 'Keep what is there' : 'Understood'}
            </button>
          </section>
        );
      })}
    </>
  );
}

const inWords = (value: unknown): string =>
  typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value || '–');

/** Registers the service worker. @param found called with a function that activates a new version of the page in this tab */
async function registerWorker(found: (use: () => void) => void): Promise<void> {
  const { serviceWorker } = navigator;
  if (!serviceWorker) return;
  const policy = (
    globalThis as {
      trustedTypes?: { createPolicy(name: string, rules: object): { createScriptURL(url: string): string } };
    }
  ).trustedTypes?.createPolicy('companion', { createScriptURL: () => '/app/worker.js' });
  const url = policy?.createScriptURL('') ?? '/app/worker.js';
  const hadOne = serviceWorker.controller !== null;
  let isAsked = false;
  // If another tab has activated a new version, this one keeps the old one until its user agrees.
  serviceWorker.addEventListener('controllerchange', () => {
    if (isAsked) location.reload();
    else if (hadOne) found(() => location.reload());
  });
  const registered = await serviceWorker.register(url, { scope: '/app/' }).catch(() => undefined);
  if (!registered) return;
  const look = () => {
    const { waiting } = registered;
    if (waiting && hadOne)
      found(() => {
        isAsked = true;
        waiting.postMessage('use-update');
      });
  };
  const follow = () => registered.installing?.addEventListener('statechange', look);
  look();
  // A version that was found while this page opened is already being installed.
  follow();
  registered.addEventListener('updatefound', follow);
}

/** The code of a pairing link, which is removed from the address at once. */
function codeInAddress(): string | undefined {
  const code = new URLSearchParams(location.hash.slice(1)).get('code') ?? undefined;
  if (code !== undefined) history.replaceState(null, '', location.pathname);
  return code;
}

export async function openPage(): Promise<void> {
  const code = codeInAddress();
  const shelf = await openShelf();
  const phone = new Phone(shelf, () => {});
  phone.code = code;
  const first = await shelf.read();
  // Of an erased person nothing should be left: an empty store is no loss.
  if (!isKnown(first) && first.ended !== 'person-erased') phone.lost = trace.read();
  render(<App phone={phone} first={first} />, document.getElementById('app') as HTMLElement);
}
