/** In milliseconds, for what hangs: on a loaded machine everything takes many times as long as on an idle one. */
export const DEADLINE_MS = 60_000;
