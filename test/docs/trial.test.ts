import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { armsOf } from '../../src/domain/trial.ts';
import { openStore } from '../../src/store/store.ts';
import { noraWith, run } from '../helpers.ts';
import { root } from './pages.ts';

/** A seed of which the order is known: that of a trial is drawn when it starts. */
const SEED = 11;
/** Pain at the time of the exercise, and what else changes it an hour later. */
const FIRST = [6, 7, 5, 6, 8, 6, 5, 7, 6, 6, 7, 5, 4, 6];
const OTHERS = [0, 1, 0, -2, 1, 0, 2, -1, 0, -1, 1];
/** Days, from 0, on which nothing was recorded, and one on which something else was done. */
const MISSED = [9, 20];
const OTHERWISE = 14;

/** What the screen shows in a month with a trial, each with the command. */
async function month(): Promise<string[]> {
  const db = noraWith({ exerciseName: 'Piriformis Stretch' });
  const screens: string[] = [];
  const on = async (index: number, words: string[], isShown = false, answers: [string, string][] = []) => {
    const now = new Date(2026, 2, 2 + index, 18);
    const { stdout, stderr } = await run(words, { db, now, columns: 80, answers, env: { NO_COLOR: '1' } });
    // The prompt is drawn with codes of the terminal: what is asked is in the text of the page.
    const said = (isShown && answers.length > 0 ? stderr : `${stdout}${stderr}`).replace(
      /^.*(Start it\?|\u001b)[\s\S]*$/m,
      '',
    );
    if (isShown) screens.push(`$ sciatica ${words.join(' ')}\n${said.trimEnd()}\n`);
  };
  await on(0, ['trial', 'start', 'piri', '--against', 'rest'], true, [['Start it?', 'y\r']]);
  const store = openStore(db);
  const trials = store.of('trial');
  store.change(() => trials.restore({ ...trials.delete(1), seed: SEED }));
  store.close();
  const arms = armsOf(SEED, 28);
  expect([arms[4], arms[OTHERWISE]]).toEqual(['b', 'a']);
  for (let index = 0; index < 28; index++) {
    if (MISSED.includes(index)) continue;
    const first = FIRST[index % FIRST.length] ?? 6;
    const isDone = arms[index] === 'a' && index !== OTHERWISE;
    const second = Math.max(1, first - (isDone ? 2 : 1) + (OTHERS[index % OTHERS.length] ?? 0));
    if (index === 4) await on(index, ['trial'], true);
    const flags = index === OTHERWISE ? ['--no-done', 'was', 'away'] : [];
    const isShown = index === 4 || index === OTHERWISE || index === 27;
    await on(
      index,
      ['trial', ...(flags.length > 0 ? ['add'] : []), String(first), String(second), ...flags],
      isShown,
    );
  }
  return screens;
}

test('docs/trial.md, which shows what a month with a trial shows, is generated', async () => {
  const page = readFileSync(join(root, 'docs/trial.md'), 'utf8');
  const shown = [...page.matchAll(/```text\n(\$[\s\S]*?)```/g)].map(([, text]) => text);
  const real = await month();
  if (process.env['DRAW'] === '1')
    writeFileSync(
      join(root, 'docs/trial.md'),
      real.reduce((text, screen, i) => text.replace(shown[i] ?? '', () => screen), page),
    );
  else expect(shown).toEqual(real);
});
