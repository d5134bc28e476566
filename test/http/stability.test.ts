import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../store/helpers.ts';
import { freshApp } from './helpers.ts';

/** What docs/http.md promises: whatever a client may have built on is still true. `RELEASE=1` takes the document of a release. */

type Node = { [key: string]: unknown };

const node = (value: unknown): Node => (typeof value === 'object' && value !== null ? (value as Node) : {});
const list = (value: unknown): Node[] => (Array.isArray(value) ? value.map(node) : []);
const names = (value: unknown): string[] => Object.keys(node(value));

/** What a client may build on, as sentences: none may be missing from a later document. */
function factsOf(document: Node): Set<string> {
  const facts = new Set<string>();
  const components = node(document['components']);
  const resolved = (one: Node): Node => {
    const [, , kind = '', name = ''] = String(one['$ref'] ?? '').split('/');
    return one['$ref'] === undefined ? one : node(node(components[kind])[name]);
  };
  for (const [path, item] of Object.entries(node(document['paths'])))
    for (const [method, of] of Object.entries(node(item))) {
      if (method === 'parameters') continue;
      const operation = node(of);
      const at = `${method.toUpperCase()} ${path}`;
      facts.add(at).add(`${at} is called ${operation['operationId']}`);
      for (const status of names(operation['responses'])) facts.add(`${at} answers ${status}`);
      const parameters = list(operation['parameters']).map(resolved);
      for (const { name, required, schema } of parameters) {
        facts.add(`${at} takes ${name}`);
        for (const value of list(node(schema)['enum']).length ? (node(schema)['enum'] as unknown[]) : [])
          facts.add(`${at} takes ${name}=${value}`);
        if (required !== true) facts.add(`${at} does without ${name}`);
      }
      if (!parameters.some(({ required, in: place }) => required && place !== 'path'))
        facts.add(`${at} needs no parameter`);
      if (node(operation['requestBody'])['required'] !== true) facts.add(`${at} needs no body`);
    }
  for (const [name, of] of Object.entries(node(components['schemas']))) {
    const schema = node(of);
    const required = (schema['required'] as string[] | undefined) ?? [];
    const isSent = /(Input|Patch|Request)$/.test(name);
    if (isSent) facts.add(`${name} needs no more than ${required.join(', ')}`);
    for (const [field, of] of Object.entries(node(schema['properties']))) {
      const { type, enum: values, $ref } = node(of);
      // What is sent may be of further types by now.
      for (const one of isSent ? [type ?? $ref ?? 'described'].flat() : [type ?? $ref ?? 'described'])
        facts.add(`${name}.${field} is ${JSON.stringify(one)}`);
      if (!isSent && required.includes(field)) facts.add(`${name}.${field} is always there`);
      for (const value of Array.isArray(values) ? values : []) facts.add(`${name}.${field} may be ${value}`);
    }
  }
  return facts;
}

const missing = (before: Node, after: Node) => {
  const facts = factsOf(after);
  return [...factsOf(before)].filter((fact) => !facts.has(fact));
};

const file = join(root, 'test/fixtures/openapi-released.json');
const current = async () => (await freshApp().call('GET', '/openapi.json')).body as Node;

test('nothing is gone that the last release promised', async () => {
  if (process.env['RELEASE']) writeFileSync(file, `${JSON.stringify(await current())}\n`);
  expect(missing(JSON.parse(readFileSync(file, 'utf8')), await current())).toEqual([]);
});

test.each<[string, (document: Node) => unknown, string]>([
  ['a route', (d) => delete node(node(d['paths'])['/users'])['get'], 'GET /users'],
  [
    'a status',
    (d) => delete node(node(node(node(d['paths'])['/changes'])['get'])['responses'])['410'],
    'GET /changes answers 410',
  ],
  ['a field', (d) => delete node(node(schemaOf(d, 'User'))['properties'])['age'], 'User.age is "integer"'],
  [
    'a promise that a field is there',
    (d) => Object.assign(schemaOf(d, 'User'), { required: [] }),
    'User.age is always there',
  ],
  [
    'a body that needs no more',
    (d) => Object.assign(schemaOf(d, 'UserInput'), { required: ['x'] }),
    'UserInput needs no more',
  ],
  [
    'a value',
    (d) => (node(node(schemaOf(d, 'UserExerciseLog')['properties'])['exerciseType'])['enum'] = ['stretch']),
    'may be strengthening',
  ],
])('it would tell of %s that is gone', async (_, change, named) => {
  const [before, after] = [await current(), structuredClone(await current())];
  change(after);
  expect(missing(before, after).join('\n')).toContain(named);
});

function schemaOf(document: Node, name: string): Node {
  return node(node(node(document['components'])['schemas'])[name]);
}
