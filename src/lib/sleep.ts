import { setTimeout } from 'node:timers/promises';

const cell = new Int32Array(new SharedArrayBuffer(4));

/** Blocks the thread for so many milliseconds. For waits in a synchronous call only, such as a lock. */
export function sleepSync(milliseconds: number): void {
  Atomics.wait(cell, 0, 0, milliseconds);
}

/** Waits so many milliseconds, or until the signal aborts; it does not throw then. */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  await setTimeout(milliseconds, undefined, { signal }).catch(() => {});
}
