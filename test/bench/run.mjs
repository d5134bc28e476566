// npm run bench: ratios taken in one run against yardsticks made here, never absolute times.
//   -- --large   also at 10,000,000 logs: 12 GB of disk, some minutes
//   -- --peers   also against fastify, express and json-server, which npm fetches
import { benchCommands } from './commands.mjs';
import { benchDisk } from './disk.mjs';
import { benchImport } from './import.mjs';
import { benchLarge } from './large.mjs';
import { benchMillion } from './million.mjs';
import { benchPeers } from './peers.mjs';
import { cleanUp } from './servers.mjs';
import { benchService } from './service.mjs';

try {
  await benchService();
  await benchDisk();
  await benchCommands();
  await benchMillion();
  if (process.argv.includes('--large')) {
    await benchImport();
    await benchLarge();
  }
  if (process.argv.includes('--peers')) await benchPeers();
} finally {
  cleanUp();
}
