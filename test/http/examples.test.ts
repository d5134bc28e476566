import { expect, onTestFinished, test } from 'vitest';
import { endpointsOf, type OpenApi, type RequestBody } from '../../src/http/docs/document.ts';
import { openStore } from '../../src/store/store.ts';
import { practiceDb } from '../helpers.ts';
import { conformance } from './conformance.ts';
import { served } from './helpers.ts';

/** As `npm run test:postman` does with Postman's own importer and runner, which are too large to install for each run. */
test('every example of the document works on a fresh demo, as it says, in the order in which an importer sorts them', async () => {
  const store = openStore(await practiceDb());
  onTestFinished(() => store.close());
  const { url } = await served(store);
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApi & {
    servers: { url: string }[];
  };
  const faultsOf = conformance(document);
  const faults: string[] = [];
  const endpoints = endpointsOf(document);
  const sorted = document.tags.flatMap(({ name }) => endpoints.filter(({ tags }) => tags.includes(name)));
  expect(sorted).toHaveLength(endpoints.length);
  const answers: [string, boolean][] = [];
  for (const { method, path, parameters, requestBody } of sorted) {
    // They need a code that is open, and a token.
    if (path === '/pair' || path === '/me/token') continue;
    const id = parameters.find((parameter) => parameter.in === 'path');
    const target = path.replace('{id}', String(id?.example ?? id?.schema.examples?.[0]));
    const content = (requestBody as RequestBody | undefined)?.content['application/json'];
    const required = parameters.filter((parameter) => parameter.in === 'header' && parameter.required);
    const headers = required.map(({ name, schema }) => [name, String(schema.examples?.[0])]);
    const response = await fetch(document.servers[0]?.url + target, {
      method,
      redirect: 'manual',
      headers: { ...Object.fromEntries(headers), ...(content && { 'content-type': 'application/json' }) },
      ...(content && { body: JSON.stringify(content.example) }),
    });
    const answer = { status: response.status, headers: Object.fromEntries(response.headers) };
    faults.push(...faultsOf(method, path, { ...answer, text: await response.text() }));
    answers.push([`${method} ${target} ${response.status}`, response.status < 400]);
  }
  expect(answers.filter(([, isOk]) => !isOk)).toEqual([]);
  expect(faults).toEqual([]);
});
