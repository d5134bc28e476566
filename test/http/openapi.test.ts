import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect, test } from 'vitest';
import { isOpenToAll } from '../../src/domain/access.ts';
import { kindNames, kindOf } from '../../src/domain/kinds.ts';
import type { Route } from '../../src/http/protocol/route.ts';
import { routes } from '../../src/http/routes/index.ts';
import { freshApp } from './helpers.ts';

async function document(): Promise<string> {
  // Linters take localhost for an address that was forgotten in a document.
  return (await freshApp().call('GET', '/openapi.json', { hosts: ['127.0.0.1:3000'] })).text;
}

test('a public linter finds nothing wrong', async () => {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({ source: await document(), config });
  expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual(
    [],
  );
});

test('its server is the address that it was asked at, in lower case', async () => {
  const { body } = await freshApp().call('GET', '/openapi.json', { hosts: ['LOCALHOST:3000'] });
  expect(body).toMatchObject({ servers: [{ url: 'http://localhost:3000' }] });
});

// A request without a body needs a header that no form of another page can send.
test.each([
  ['/users/{id}/restore', true],
  ['/userExerciseLogs/{id}/restore', undefined],
])('%s requires an Idempotency-Key: %s', async (path, required) => {
  const { paths } = JSON.parse(await document()) as {
    paths: Record<string, { post?: { parameters: { name?: string; required?: boolean }[] } }>;
  };
  const key = paths[path]?.post?.parameters.find(({ name }) => name === 'Idempotency-Key');
  expect(key).toBeDefined();
  expect(key?.required).toBe(required);
});

test('an e-mail address may have letters that the format email of JSON Schema excludes', async () => {
  const { call } = freshApp();
  const email = 'zoë@bücher.example';
  expect((await call('PATCH', '/users/1', { body: { email } })).body).toMatchObject({ email });
  const { components } = JSON.parse(await document()) as {
    components: {
      schemas: Record<string, { properties: Record<string, { format?: string; pattern: string }> }>;
    };
  };
  const described = components.schemas['User']?.properties['email'];
  expect(described?.format).toBeUndefined();
  expect(email).toMatch(new RegExp(described?.pattern ?? 'x'));
});

test('an interval is a list of two numbers, in words that every generator of clients knows', async () => {
  const { components } = JSON.parse(await document()) as {
    components: { schemas: Record<string, { properties: Record<string, object> }> };
  };
  const { interval } = components.schemas['ExerciseSummary']?.properties ?? {};
  expect(interval).toMatchObject({ type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 });
  expect(JSON.stringify(components)).not.toContain('prefixItems');
});

test('every POST that may be repeated says how its first answer is marked when it comes again', async () => {
  type Operation = { parameters?: { name?: string }[]; responses: Record<string, { headers?: object }> };
  const { paths } = JSON.parse(await document()) as { paths: Record<string, { post?: Operation }> };
  // Who pairs or renews a token gets the answer again as it was.
  const repeatable = Object.entries(paths).flatMap(([path, { post }]) =>
    post?.parameters?.some(({ name }) => name === 'Idempotency-Key') && !['/pair', '/me/token'].includes(path)
      ? [{ path, responses: post.responses }]
      : [],
  );
  expect(repeatable.map(({ path }) => path)).toContain('/users/{id}/routines');
  for (const { responses } of repeatable)
    expect((responses['201'] ?? responses['200'])?.headers).toHaveProperty('Idempotency-Replayed');
});

test('every route is in it, and nothing else', async () => {
  const { paths } = JSON.parse(await document()) as { paths: Record<string, Record<string, unknown>> };
  const described = Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations)
      .filter((method) => method !== 'parameters')
      .map((method) => `${method.toUpperCase()} ${path}`),
  );
  const methods = ({ method, path }: Route) =>
    method === 'GET' ? [`GET ${path}`, `HEAD ${path}`] : [`${method} ${path}`];
  expect(described).toEqual(routes.flatMap(methods));
});

test('it names what every request may be refused with, and when the caller has the document already', async () => {
  const { paths } = JSON.parse(await document()) as {
    paths: Record<string, Record<string, { responses?: Record<string, unknown> }>>;
  };
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  for (const { responses } of operations) if (responses) expect(responses).toHaveProperty('default');
  expect(paths['/openapi.json']?.['get']?.responses).toHaveProperty('304');
});

test('the pattern of sort allows what the service takes', async () => {
  const { call } = freshApp();
  const { components } = JSON.parse(await document()) as {
    components: { parameters: Record<string, { schema: { pattern: string } }> };
  };
  for (const [path, name] of [
    ['/users', 'User'],
    ['/userExerciseLogs', 'UserExerciseLog'],
  ] as const) {
    const sort = components.parameters[`${name}.sort`]?.schema.pattern ?? '';
    for (const value of [
      'id',
      '-id',
      'age',
      '-date,id',
      'painLevel,-age',
      'id,id',
      'id,-id',
      'x',
      ',',
      'id,',
      '--id',
    ])
      expect([path, value, new RegExp(sort, 'u').test(value)]).toEqual([
        path,
        value,
        (await call('GET', `${path}?sort=${value}`)).status === 200,
      ]);
  }
});

test('it says which routes need no token', async () => {
  const { paths } = JSON.parse(await document()) as {
    paths: Record<string, Record<string, { security?: unknown[]; responses?: object }>>;
  };
  for (const { method, path, right } of routes) {
    const { security, responses } = paths[path]?.[method.toLowerCase()] ?? {};
    const isOpen = right === null || isOpenToAll(right);
    expect([path, security]).toEqual([path, isOpen ? [] : undefined]);
    expect([path, Object.hasOwn(responses ?? {}, '401')]).toEqual([path, !isOpen]);
  }
});

test('what is sent may be null where that clears a field, and only there', async () => {
  const { components } = JSON.parse(await document()) as {
    components: {
      schemas: Record<string, { properties?: Record<string, { type?: unknown; enum?: unknown[] }> }>;
    };
  };
  for (const name of kindNames) {
    const { fields, schema } = kindOf(name);
    for (const suffix of ['Input', 'Patch'])
      for (const [field, described] of Object.entries(
        components.schemas[`${schema}${suffix}`]?.properties ?? {},
      )) {
        const isCleared = fields[field]?.optional === true;
        expect([schema, field, [described.type].flat().includes('null')]).toEqual([schema, field, isCleared]);
        if (described.enum)
          expect([schema, field, described.enum.includes(null)]).toEqual([schema, field, isCleared]);
      }
  }
});
