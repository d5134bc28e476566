import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { commandsOf, leaves, program } from './blocks.ts';

/** The manual page that `npm run build` writes. */

const file = fileURLToPath(new URL('../../dist/sciatica.1', import.meta.url));
const hasMan = spawnSync('man', ['--version']).status === 0;
if (!hasMan) console.warn('Not here: man. How the manual page looks is not tested.');

/** The page as man shows it, on one line, for a line may break anywhere. */
function shown(): string {
  const env = { ...process.env, MANWIDTH: '80', LC_ALL: 'C.UTF-8', MANROFFOPT: '' };
  const { stdout, stderr, status } = spawnSync('man', ['--warnings', '--nh', '-l', file], {
    encoding: 'utf8',
    env,
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout.replace(/.\u0008/g, '').replace(/\s+/g, ' ');
}

test.skipIf(!hasMan)('every command and flag is in the manual page, and roff warns of nothing', () => {
  const page = shown();
  expect(commandsOf().length).toBeGreaterThan(30);
  const missing = [
    ...leaves().map(([name]) => name),
    ...leaves().flatMap(([, { options }]) => options.flatMap(({ flags, hidden }) => (hidden ? [] : flags))),
    ...program.options.map(({ flags }) => flags),
    ...['EXIT STATUS', '130 Interrupted', 'ENVIRONMENT', 'SCIATICA_DB', "--name 'Piriformis Stretch'"],
  ].filter((text) => !page.includes(text.replace(/\s+/g, ' ')));
  expect(missing).toEqual([]);
});

test('nothing in it is read as a request of roff that was meant as text', () => {
  const requests = readFileSync(file, 'utf8').match(/^[.'].*?(?= |$)/gm) ?? [];
  expect(new Set(requests)).toEqual(new Set(['.TH', '.SH', '.SS', '.PP', '.TP', '.B', '.EX', '.EE']));
});
