import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freshFolder } from '../helpers.ts';
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
  const shown = shell(line.replaceAll('practice.db', join(folder, 'practice.db')), folder, root);
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
  expect(shell(`sh ${weekly}`, folder)).toBe('');
  const [day = ''] = readdirSync(join(folder, 'patients'));
  const written = [1, 2, 3, 4, 5, 6].flatMap((id) => [`patient-${id}.csv`, `patient-${id}.html`]);
  expect(readdirSync(join(folder, 'patients', day)).sort()).toEqual(['everything.json', ...written]);
});
