import { openPage } from './app.tsx';
import { startWorker } from './worker.ts';

/** One script for the page and its service worker, which need much of the same: a phone loads it once. */
if (typeof document === 'undefined') startWorker();
else void openPage();
