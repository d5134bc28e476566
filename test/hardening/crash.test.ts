import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bundle, root } from '../store/helpers.ts';

const hasStrace = spawnSync('strace', ['-V']).status === 0;

test.skipIf(!hasStrace)(
  'a power cut at any moment loses nothing acknowledged (needs strace; all: npm run crash)',
  async () => {
    const script = await bundle("import './test/hardening/crash/run.ts'");
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, '250'], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], NODE_PATH: join(root, 'node_modules') },
    });
    expect({ status, stdout, stderr }).toMatchObject({ status: 0, stderr: '' });
    expect(stdout).toMatch(
      /\| as it is \| \d+ \| 54 \| 250 \| 0 \|\n\| control, without fsync \| \d+ \| 54 \| 25 \| [1-9]/,
    );
  },
);
