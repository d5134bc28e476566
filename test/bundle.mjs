// node test/bundle.mjs INPUT OUTPUT: a script of the tests as one file that every Node runs.
import { build } from 'rolldown';

const [input, file] = process.argv.slice(2);
await build({
  input,
  platform: 'node',
  transform: { target: 'node20' },
  external: [/^better-sqlite3/],
  logLevel: 'warn',
  output: { file, format: 'cjs', codeSplitting: false },
});
