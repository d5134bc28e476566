import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Diary } from './diary.tsx';
import { WhatHelps } from './helps.tsx';
import { Door, More } from './more.tsx';
import { EMPTY, type Notebook } from './notebook.ts';
import { Patients } from './patients.tsx';
import { Phone, type Shown } from './phone.ts';
import { openShelf } from './shelf.ts';
import { Today } from './today.tsx';

/** The page: four views of one notebook. */

const views = { today: 'Today', diary: 'Diary', helps: 'What helps', more: 'More' } as const;
type ViewName = keyof typeof views;

const viewOf = (hash: string): ViewName =>
  (Object.keys(views) as ViewName[]).find((name) => hash === `#${name}`) ?? 'today';

/** How long what was done is said, in milliseconds. */
const SAID_MS = 8_000;

function App({ phone, first }: { phone: Phone; first: Notebook }) {
  const [kept, setKept] = useState(first);
  const [view, setView] = useState<ViewName>(viewOf(location.hash));
  const [said, setSaid] = useState('');
  const [, look] = useState(0);
  const [update, setUpdate] = useState<ServiceWorker>();
  useEffect(() => {
    phone.shelf.watch(setKept);
    phone.told = () => look((n) => n + 1);
    addEventListener('hashchange', () => setView(viewOf(location.hash)));
    for (const event of ['online', 'pageshow']) addEventListener(event, () => void phone.sync());
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') void phone.sync();
    });
    void phone.sync();
    void registerWorker(setUpdate);
  }, []);
  const say = (text: string) => {
    setSaid(text);
    setTimeout(() => setSaid((now) => (now === text ? '' : now)), SAID_MS);
  };
  const shown: Shown = { kept, phone, say };
  const isIn = kept.token !== undefined || kept.person !== undefined;
  const isPatients = isIn && phone.me?.role !== undefined && !['patient', null].includes(phone.me.role);
  return (
    <>
      <header>
        <Waiting {...shown} />
        {update && (
          <p class="note">
            A new version of this page is there.{' '}
            <button type="button" onClick={() => update.postMessage('use-update')}>
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
        <Refusals {...shown} />
      </header>
      {!isIn || kept.ended !== undefined ? (
        <Door {...shown} />
      ) : isPatients ? (
        <Patients {...shown} />
      ) : (
        <>
          <main id="main">
            {view === 'today' && <Today {...shown} />}
            {view === 'diary' && <Diary {...shown} />}
            {view === 'helps' && <WhatHelps {...shown} />}
            {view === 'more' && <More {...shown} />}
          </main>
          <nav aria-label="Views">
            {Object.entries(views).map(([name, title]) => (
              <a key={name} href={`#${name}`} aria-current={name === view ? 'page' : undefined}>
                {title}
              </a>
            ))}
          </nav>
        </>
      )}
      <p class="said" role="status" aria-live="polite">
        {said}
      </p>
    </>
  );
}

/** What is not sent yet, and why. */
function Waiting({ kept, phone }: Shown) {
  const count = kept.waiting.length;
  const { connection } = phone;
  if (connection === 'ok' && count === 0) return null;
  const what = count > 0 ? `${count} not sent yet` : undefined;
  const why =
    typeof connection === 'object'
      ? connection.refused
      : { trying: undefined, ok: undefined, unreachable: 'The computer is not reached; it is tried again.' }[
          connection
        ];
  if (what === undefined && why === undefined) return null;
  return (
    <p class="note" role="status">
      {[what, why].filter(Boolean).join('. ')}{' '}
      {why && (
        <button type="button" onClick={() => void phone.sync()}>
          Try now
        </button>
      )}
    </p>
  );
}

/** What the service refused: the person says what becomes of it. */
function Refusals({ kept, phone }: Shown) {
  return (
    <>
      {kept.refused.map((write) => {
        const name = write.body?.['exerciseName'] ?? write.before?.['exerciseName'] ?? write.kind;
        const current = write.problem?.current;
        const mine = Object.entries(write.body ?? {}).map(([field, value]) => (
          <li key={field}>
            {field}: yours {String(value)}
            {current && <>, there {String((current as Record<string, unknown>)[field])}</>}
          </li>
        ));
        return (
          <section key={write.key} class="note alert" aria-label="Not saved">
            <p>
              Not saved, {String(name)}:{' '}
              {write.problem?.status === 412 ? 'both changed it.' : write.problem?.detail}
            </p>
            <ul>{mine}</ul>
            {current !== undefined && (
              <button
                type="button"
                onClick={async () => {
                  await phone.offline.dismiss(write.key);
                  await phone.offline.change(write.kind, write.path, write.id, write.body);
                  void phone.sync();
                }}
              >
                Save mine
              </button>
            )}{' '}
            <button type="button" onClick={() => void phone.offline.dismiss(write.key)}>
              {current === undefined ? 'Understood' : 'Leave it as it is there'}
            </button>
          </section>
        );
      })}
    </>
  );
}

/** @param found is called with a version of the page that waits */
async function registerWorker(found: (worker: ServiceWorker) => void): Promise<void> {
  const { serviceWorker } = navigator;
  if (!serviceWorker) return;
  const policy = (
    globalThis as {
      trustedTypes?: { createPolicy(name: string, rules: object): { createScriptURL(url: string): string } };
    }
  ).trustedTypes?.createPolicy('companion', { createScriptURL: () => '/app/worker.js' });
  const url = policy?.createScriptURL('') ?? '/app/worker.js';
  const hadOne = serviceWorker.controller !== null;
  const registered = await serviceWorker
    .register(url, { scope: '/app/', updateViaCache: 'none' })
    .catch(() => undefined);
  if (!registered) return;
  const look = () => {
    if (registered.waiting && hadOne) found(registered.waiting);
  };
  look();
  registered.addEventListener('updatefound', () =>
    registered.installing?.addEventListener('statechange', () => look()),
  );
  serviceWorker.addEventListener('controllerchange', () => {
    if (hadOne) location.reload();
  });
  // Background Sync, where the browser has it: what waits is sent although the page is closed.
  const { sync } = registered as { sync?: { register(tag: string): Promise<void> } };
  await sync?.register('send').catch(() => {});
}

/** The code of a pairing link, which is removed from the address at once. */
function codeInAddress(): string | undefined {
  const code = new URLSearchParams(location.hash.slice(1)).get('code') ?? undefined;
  if (code !== undefined) history.replaceState(null, '', location.pathname);
  return code;
}

const code = codeInAddress();
const shelf = await openShelf();
const phone = new Phone(shelf, () => {});
phone.code = code;
render(
  <App phone={phone} first={(await shelf.read()) ?? EMPTY} />,
  document.getElementById('app') as HTMLElement,
);
