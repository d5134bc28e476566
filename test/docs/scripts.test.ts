import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freshFolder, userFlags } from '../helpers.ts';
import { pages, root } from './pages.ts';

/** Scripts that the pages give to be copied, run as they stand by a real shell. */

/** The first block of a page's shell commands that has a text in it. */
function script(page: string, text: string): string {
  const blocks = pages.find(({ path }) => path === page)?.fenced ?? [];
  const found = blocks.find((block) => block.language === 'sh' && block.text.includes(text))?.text;
  if (!found) throw new Error(`${page} has no script with ${text}`);
  return found;
}

/** Runs a script with `sciatica` on its path. @returns what it prints, stderr included */
function shell(text: string, home: string, cwd = home): string {
  mkdirSync(join(home, 'bin'), { recursive: true });
  rmSync(join(home, 'bin/sciatica'), { force: true });
  symlinkSync(join(root, 'bin/sciatica.js'), join(home, 'bin/sciatica'));
  const env = { HOME: home, PATH: `${join(home, 'bin')}:${process.env['PATH']}` };
  return execFileSync('sh', ['-c', `exec 2>&1\n${text}`], { cwd, env, encoding: 'utf8' });
}

test('README.md: the command to try it shows what helps somebody', () => {
  const folder = freshFolder();
  const line = script('README.md', 'demo --db').replace('npm ci && ', '');
  const shown = shell(line.replaceAll('practice.db', `'${join(folder, 'practice.db')}'`), folder, root);
  expect(shown).toContain('Made a practice database of 6 users and 400 logs: ');
  expect(shown).toContain('LESS PAIN AFTER');
});

test('docs/physiotherapist.md: the weekly script writes two files of each patient, and says nothing', () => {
  const folder = freshFolder();
  shell(
    'sciatica demo --db practice.db && mkdir -p .local/share/sciatica && mv practice.db .local/share/sciatica/sciatica.db',
    folder,
  );
  const weekly = join(folder, 'weekly.sh');
  writeFileSync(weekly, script('docs/physiotherapist.md', '#!/bin/sh'));
  expect(shell(`sh '${weekly}'`, folder)).toBe('');
  const [day = ''] = readdirSync(join(folder, 'patients'));
  const written = [1, 2, 3, 4, 5, 6].flatMap((id) => [`patient-${id}.csv`, `patient-${id}.html`]);
  expect(readdirSync(join(folder, 'patients', day)).sort()).toEqual(['everything.json', ...written]);
});

test('docs/physiotherapist.md: the weekly script writes nothing where there are no patients', () => {
  const folder = freshFolder();
  writeFileSync(join(folder, 'weekly.sh'), script('docs/physiotherapist.md', '#!/bin/sh'));
  expect(shell('HOME="$PWD" sh weekly.sh; echo "exit $?"', folder)).toBe(
    'No patients: nothing was written.\nexit 1\n',
  );
  expect(readdirSync(folder)).not.toContain('patients');
});

test('docs/physiotherapist.md: the inbox script takes in what is whole, once, and says what it left', () => {
  const folder = freshFolder();
  const inbox = join(folder, 'inbox.sh');
  writeFileSync(inbox, script('docs/physiotherapist.md', 'mkdir -p inbox'));
  mkdirSync(join(folder, 'practice/inbox'), { recursive: true });
  const put = (name: string, content: string) => writeFileSync(join(folder, 'practice/inbox', name), content);
  const left = (of: string) => readdirSync(join(folder, 'practice', of)).sort();
  shell('sciatica demo --db patient.db && sciatica export --db patient.db -o first.json', folder);
  const first = readFileSync(join(folder, 'first.json'), 'utf8');
  put('first month.json', first);
  put('half.json', first.slice(0, 5000));
  put('wrong.json', '{"invoices":[1,2]}');
  put('notes.txt', 'call Nora');
  const said = shell(`sh '${inbox}'`, folder);
  expect(said).toContain('inbox/half.json was left where it is:');
  expect(said).toContain('inbox/wrong.json was left where it is:');
  expect(said).toContain('inbox/notes.txt was passed over: only .json files are taken in.');
  expect(said).not.toContain('first month');
  expect(left('inbox')).toEqual(['half.json', 'notes.txt', 'wrong.json']);
  const [, told = ''] = left('done');
  expect(told).toMatch(/-first month\.json\.txt$/);
  expect(readFileSync(join(folder, 'practice/done', told), 'utf8')).toContain('400 logs: 400 new');
  const six = [1, 2, 3, 4, 5, 6].flatMap((id) => [`${id}.csv`, `${id}.html`]);
  expect(left('patients')).toEqual(six);
  // Whole now, and so the same file twice; then a later one; then the first one again.
  for (const name of left('inbox')) rmSync(join(folder, 'practice/inbox', name));
  put('half.json', first);
  expect(shell(`sh '${inbox}'`, folder)).toBe('');
  shell('sciatica log edit 7 --notes later --db patient.db', folder);
  shell('sciatica export --db patient.db -o second.json', folder);
  put('second.json', readFileSync(join(folder, 'second.json'), 'utf8'));
  expect(shell(`sh '${inbox}'`, folder)).toBe('');
  expect(shell('sciatica log show 7', folder)).toContain('later');
  expect(JSON.parse(shell('sciatica logs --json id', folder))).toHaveLength(400);
  put('again.json', first);
  expect(shell(`sh '${inbox}'`, folder)).toBe('');
  expect(shell('sciatica log show 7', folder)).toContain('later');
  expect(left('inbox')).toEqual([]);
  // Erased at home: the file stays for one more run.
  shell(
    'sciatica user erase 3 --yes --db patient.db; sciatica export --db patient.db -o erased.json',
    folder,
  );
  put('erased.json', readFileSync(join(folder, 'erased.json'), 'utf8'));
  const erased = shell(`sh '${inbox}'`, folder);
  expect(erased).toContain('inbox/erased.json was left where it is:\n');
  expect(erased).toContain('User 3 was erased elsewhere, for good. To erase here too: sciatica user erase 3');
  expect([shell(`sh '${inbox}'`, folder), left('inbox')]).toEqual(['', []]);
});

test('docs/reminders.md: the line for cron reminds only while nothing is recorded that day', () => {
  const folder = freshFolder();
  const line = script('docs/reminders.md', '0 19 * * *').trim();
  const command = line.replace('0 19 * * * ', '').replace('/usr/local/bin/', '');
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin/notify-send'), '#!/bin/sh\necho "$@"\n', { mode: 0o755 });
  const remind = () => shell(command, folder);
  // cron reads % as the end of the command.
  expect(line).not.toContain('%');
  const user = userFlags({ lastName: 'L' }).join(' ');
  shell(`sciatica user add ${user}; sciatica log add BridgeA 6 4 --type stretch --date yesterday`, folder);
  expect(remind()).toBe('Time for the diary\n');
  shell('sciatica log add BridgeA 6 4', folder);
  expect(remind()).toBe('');
});

test.skipIf(spawnSync('systemd-analyze', ['--version']).status !== 0)(
  'docs/reminders.md: systemd accepts the units',
  () => {
    const folder = freshFolder();
    const units = pages
      .find(({ path }) => path === 'docs/reminders.md')
      ?.fenced.filter(({ language }) => language === 'ini');
    expect(units).toHaveLength(2);
    for (const { text } of units ?? [])
      writeFileSync(
        join(folder, text.slice(2, text.indexOf('\n'))),
        // Whether there is a notify-send here does not matter.
        text.replace('/usr/bin/notify-send', '/bin/echo'),
      );
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', join(folder, 'diary.timer')], {
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  },
);

test('docs/copies.md: a diary goes to a new computer, and back to an older version', () => {
  const [old, next, stick] = [freshFolder(), freshFolder(), freshFolder()];
  const user = userFlags({ lastName: 'L' }).join(' ');
  shell(`sciatica user add ${user}; sciatica log add BridgeA 6 4 --type stretch --date yesterday`, old);
  const [there = '', here = ''] = script('docs/copies.md', '# on the old computer')
    .replaceAll('/media/stick', `'${stick}'`)
    .split('# on the new one');
  shell(there, old);
  expect(shell(here, next)).toContain('Restored 1 user and 1 log.');
  const copy = `'${join(next, 'copy.db')}'`;
  shell(`sciatica backup ${copy}; sciatica log add BridgeA 6 3`, next);
  const back = script('docs/copies.md', '# with the new version')
    .replace('2026-11-02', 'today')
    .replace(/~\S+/, `${copy} --yes`);
  shell(back, next);
  expect(shell('sciatica logs --csv', next).trim().split('\n')).toHaveLength(3);
});
