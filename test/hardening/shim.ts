import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Builds the library of faults.c in a folder. @returns its path; empty where there is no cc */
export function buildShim(folder: string): string {
  const out = join(folder, 'faults.so');
  try {
    const source = fileURLToPath(new URL('faults.c', import.meta.url));
    execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', out, source, '-ldl'], { stdio: 'ignore' });
    return out;
  } catch {
    console.warn('There is no cc: no faults are injected.');
    return '';
  }
}
