import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Why a test with injected faults is skipped. */
export const NO_CC = 'there is no cc: no faults can be injected';

/** Builds the library of faults.c in a folder. @returns its path; empty where there is no cc: skip the test with `NO_CC` */
export function buildShim(folder: string): string {
  const out = join(folder, 'faults.so');
  try {
    const source = fileURLToPath(new URL('faults.c', import.meta.url));
    execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', out, source, '-ldl'], { stdio: 'ignore' });
    return out;
  } catch {
    return '';
  }
}
