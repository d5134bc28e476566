import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { freshPath, run } from '../helpers.ts';

/**
 * Whole sessions. A transcript is `$ sciatica …`, then what that prints (stderr with `! ` in front), then
 * `= N` if the exit code is not 0. All commands of a transcript share one database.
 */
const folder = fileURLToPath(new URL('.', import.meta.url));

describe.each(readdirSync(folder).filter((name) => name.endsWith('.txt')))('%s', (name) => {
  test('is what happens', async () => {
    const transcript = readFileSync(`${folder}/${name}`, 'utf8');
    const db = freshPath();
    let replay = '';
    for (const line of transcript.split('\n')) {
      if (line.startsWith('#')) replay += `${line}\n`;
      if (!line.startsWith('$ sciatica')) continue;
      const { code, stdout, stderr } = await run(words(line.slice('$ sciatica'.length)), { db });
      const said = stderr.replaceAll(db, 'DATABASE').replace(/^(?=.)/gm, '! ');
      replay += `${line}\n${stdout.replaceAll('\r\n', '\n')}${said}${code === 0 ? '' : `= ${code}\n`}`;
    }
    expect(replay.trimEnd()).toBe(transcript.replace(/\n\n(?=[#$])/g, '\n').trimEnd());
  });
});

/** Words as a shell splits them; quotes are all it knows. */
function words(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, bare]) => single ?? double ?? bare ?? '',
  );
}
