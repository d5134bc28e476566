import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { freshFolder, NOW, practiceDb, run } from '../helpers.ts';

/**
 * Whole sessions. A transcript is `$ sciatica …`, then what that prints (stderr with `! ` in front), then
 * `= N` if the exit code is not 0. All commands of a transcript share one database, and run on one day: `# today
 * 2026-03-05` changes it for those that follow. `# practice records` fills the database. vitest -u writes what is printed into the transcripts.
 */
const folder = fileURLToPath(new URL('.', import.meta.url));

describe.each(readdirSync(folder).filter((name) => name.endsWith('.txt')))('%s', (name) => {
  test('is what happens', async () => {
    const transcript = readFileSync(`${folder}/${name}`, 'utf8');
    const XDG_DATA_HOME = freshFolder();
    const db = join(XDG_DATA_HOME, 'sciatica/sciatica.db');
    let replay = '';
    let now = NOW;
    for (const line of transcript.split('\n')) {
      const [, day] = /^# today (\S+)/.exec(line) ?? [];
      if (day) now = new Date(`${day}T12:00:00`);
      if (line === '# practice records') await practiceDb(db);
      if (line.startsWith('#')) replay += `${replay && '\n'}${line}\n`;
      if (!line.startsWith('$ sciatica')) continue;
      if (replay && !/(^|\n)#.*\n$/.test(replay)) replay += '\n';
      const { code, stdout, stderr } = await run(words(line.slice('$ sciatica'.length)), {
        env: { XDG_DATA_HOME },
        now,
      });
      const said = stderr.replaceAll(db, 'DATABASE').replace(/^(?=.)/gm, '! ');
      replay += `${line}\n${stdout.replaceAll('\r\n', '\n')}${said}${code === 0 ? '' : `= ${code}\n`}`;
    }
    await expect(replay).toMatchFileSnapshot(`${folder}/${name}`);
  });
});

/** Words as a shell splits them; quotes are all it knows. */
function words(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, bare]) => single ?? double ?? bare ?? '',
  );
}
