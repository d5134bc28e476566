// Imports the service's OpenAPI document as Postman does, and runs the collection with newman against a fresh demo.
//   npm run build && node test/postman.mjs
// Both bring 300 packages, so they are installed for this only; test/http/examples.test.ts holds the same in each run.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { withPackages } from './on-demand.mjs';

const PACKAGES = ['newman@6.2.2', 'openapi-to-postmanv2@6.3.3'];

/** As in the dialog of the import: examples for values, and only what is required. */
const OPTIONS = {
  folderStrategy: 'Tags',
  parametersResolution: 'Example',
  enableOptionalParameters: false,
};

process.exitCode = await withPackages(PACKAGES, run);

/** @returns an exit code: 1 if a request fails, or an answer is none of success */
async function run(folder, document) {
  const { paths, ...rest } = JSON.parse(document);
  // It is there while a code is open.
  const { '/pair': _, '/me/token': __, ...callable } = paths;
  const require = createRequire(join(folder, 'x.js'));
  const converter = require('openapi-to-postmanv2');
  const collection = await new Promise((resolve, reject) =>
    converter.convertV2(
      { type: 'string', data: JSON.stringify({ ...rest, paths: callable }) },
      OPTIONS,
      (error, { result, reason, output } = {}) =>
        result ? resolve(output[0].data) : reject(error ?? new Error(reason)),
    ),
  );
  const exec = ["pm.test('is a success', () => pm.expect(pm.response.code).to.be.below(400));"];
  collection.event = [{ listen: 'test', script: { type: 'text/javascript', exec } }];
  const file = join(folder, 'collection.json');
  writeFileSync(file, JSON.stringify(collection));
  const report = join(folder, 'report.json');
  const argv = ['run', file, '--reporters', 'cli,json', '--reporter-json-export', report];
  spawnSync(join(folder, 'node_modules', '.bin', 'newman'), argv, { stdio: 'inherit' });
  const { stats, failures } = JSON.parse(readFileSync(report, 'utf8')).run;
  return stats.requests.total > 0 && failures.length === 0 ? 0 : 1;
}
