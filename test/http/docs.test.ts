import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Fields } from '../../src/domain/fields.ts';
import { operatorNames, operators } from '../../src/domain/filter.ts';
import { kindNames, kindOf, ownedKindNames } from '../../src/domain/kinds.ts';
import { logKind } from '../../src/domain/log.ts';
import { endpointsOf, type OpenApi, type Schema } from '../../src/http/docs/document.ts';
import { docsHtml } from '../../src/http/docs/page.ts';
import { openApi } from '../../src/http/openapi/document.ts';
import { routes } from '../../src/http/routes/index.ts';
import { exampleOf } from '../samples.ts';
import { deleteForRestore, freshApp, nora, stretch } from './helpers.ts';

const document = JSON.parse(openApi(routes)) as OpenApi;
const endpoints = endpointsOf(document).map((endpoint) => ({ ...endpoint, name: endpoint.operationId }));
const page = docsHtml(document);

/** The text between the heading with this id and the end of its section, or the next heading as high. */
function sectionOf(id: string, html = page): string {
  const [, level, rest = ''] = new RegExp(`<h(\\d) id="${id}">([\\s\\S]*)`).exec(html) ?? [];
  return rest.split(new RegExp(`</section>|<h${level} `))[0] ?? '';
}

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
const unescaped = (html: string) =>
  html.replace(/&(lt|gt|quot|#39|amp);/g, (_, name) => ENTITIES[name] ?? '');
const textOf = (html: string) => unescaped(html.replace(/<[^>]*>/g, ''));
/** Without its marks around code. */
const plain = (text = '') => text.replaceAll('`', '');

describe('everything is on it', () => {
  test.each(endpoints)('$method $path', ({ operationId, method, path, summary, ...endpoint }) => {
    const section = sectionOf(operationId);
    // What is as with another operation stands there.
    const like = /Otherwise as <a href="#(\w+)">/.exec(section)?.[1];
    const all = section + (like ? sectionOf(like) : '');
    expect(textOf(section)).toContain(`${method} ${path}`);
    expect(page).toMatch(new RegExp(`<nav[\\s\\S]*href="#${operationId}"[\\s\\S]*</nav>`));
    expect(textOf(section)).toContain(plain(summary));
    if (endpoint.description) expect(textOf(all)).toContain(plain(endpoint.description));
    for (const { name, in: place, description } of endpoint.parameters) {
      const filter = operatorNames.find((one) => name.endsWith(operators[one].suffix) && one !== 'eq');
      const field = filter ? name.slice(0, -operators[filter].suffix.length) : name;
      const known = new RegExp(`<p>(?:.*, )?${name}\\b.*: <a href="#parameters">`).test(all);
      const isFilter = new RegExp(`<p>(?:.*, )?${field}\\b.*: <a href="#lists">`).test(section);
      if (isFilter) continue;
      const where = known ? sectionOf('lists') : all;
      expect(where).toMatch(new RegExp(`<code>${name}</code> <small>${place}, `));
      expect(textOf(where)).toContain(plain(description));
    }
    const problems = textOf(/<p class="refusals">.*<\/p>/.exec(all)?.[0] ?? '');
    for (const [status, given] of Object.entries(endpoint.responses)) {
      if ('$ref' in given) {
        const [name, label] = [given.$ref.split('/').at(-1), status === 'default' ? 'any other' : status];
        const ofAny = problems.includes('any request') ? textOf(sectionOf('problems')).split('type')[0] : '';
        expect(problems + ofAny).toMatch(new RegExp(`\\b${label}\\b`));
        expect(page).toMatch(new RegExp(`<dt id="response-${name}">`));
        continue;
      }
      if (!like) expect(textOf(section)).toContain(`${status} ${plain(given.description)}. `);
      else expect(all).toContain(`<b>${status}</b> `);
      for (const type of Object.keys(given.content ?? {}))
        if (type !== 'application/json') expect(all).toContain(`<code>${type}</code>`);
      for (const name of Object.keys(given.headers ?? {})) {
        expect(textOf(all)).toContain(name);
        expect(sectionOf('headers')).toContain(`<dt><code>${name}</code></dt>`);
      }
    }
  });

  test('and is not more than a phone takes', () => {
    expect(Buffer.byteLength(page) / kindNames.length).toBeLessThanOrEqual(17_500);
  });

  test.each(operatorNames)('filter %s', (name) => {
    const { suffix, words } = operators[name];
    expect(textOf(sectionOf('lists'))).toMatch(new RegExp(`field${suffix}[^_]*?${words}`));
  });

  test.each(Object.entries(document.components.schemas))('schema %s', (name, { properties = {} }) => {
    const own = sectionOf(`schema-${name}`);
    const like = /<p>As <a href="#schema-(\w+)">.*?<\/a>(?:, without (.+?))?(?:, all optional)?\.<\/p>/.exec(
      own,
    );
    const without = like?.[2]?.split(', ') ?? [];
    for (const [field, { description, enum: values = [], examples = [] }] of Object.entries(properties)) {
      const isOwn = own.includes(`<code>${field}</code>`);
      if (!isOwn) expect(without).not.toContain(field);
      const section = isOwn ? own : sectionOf(`schema-${like?.[1]}`);
      expect(section).toContain(`<code>${field}</code>`);
      const few =
        values.length > 12 ? [`one of ${values.length} values`] : values.filter((one) => one !== null);
      for (const text of [plain(description), ...few, ...examples])
        expect(textOf(section)).toContain(typeof text === 'object' ? JSON.stringify(text) : String(text));
    }
  });

  test.each(Object.entries(document.components.responses))('problem %s', (name, { description }) => {
    const shown = new RegExp(`<dt id="response-${name}">.*</dt>\\n<dd>(.*)</dd>`).exec(page)?.[1] ?? '';
    expect(textOf(shown)).toContain(plain(description));
  });

  test.each(Object.entries(document.components.securitySchemes))(
    'scheme %s',
    (_, { scheme, description }) => {
      expect(textOf(sectionOf('authentication'))).toContain(`HTTP ${scheme}`);
      expect(textOf(sectionOf('authentication'))).toContain(plain(description));
    },
  );

  test('and no keyword of a schema is passed over', () => {
    const shown =
      /^(type|format|description|examples|enum|const|(min|max)(imum|Length|Items)|maxProperties)$/;
    const structure = /^(\$ref|pattern|properties|required|items|anyOf|oneOf|discriminator)$/;
    const { paths, components } = document;
    const { schemas, responses } = components;
    const keywords = schemasOf({ paths, schemas, responses }).flatMap((schema) => Object.keys(schema));
    expect(keywords.length).toBeGreaterThan(100);
    const foreign = keywords.filter((keyword) => !shown.test(keyword) && !structure.test(keyword));
    // That what is not named is refused goes without saying.
    expect([...new Set(foreign)]).toEqual(['additionalProperties']);
  });
});

/** Every schema of the document, those inside others included. */
function schemasOf(node: unknown): Schema[] {
  if (typeof node !== 'object' || node === null) return [];
  const inside = Object.entries(node).flatMap(([key, value]) => {
    if (['example', 'examples', 'enum', 'mapping'].includes(key)) return [];
    return key === 'properties' || key === 'schemas'
      ? Object.values(value).flatMap(schemasOf)
      : schemasOf(value);
  });
  return 'type' in node || 'anyOf' in node || 'oneOf' in node ? [node as Schema, ...inside] : inside;
}

describe('it is good HTML', () => {
  const all = (pattern: RegExp, html = page) => [...html.matchAll(pattern)].map(([, found = '']) => found);

  test('every link leads somewhere', () => {
    const ids = all(/ id="([^"]*)"/g);
    expect(new Set(ids).size).toBe(ids.length);
    const links = all(/ href="([^"]*)"/g);
    expect(links.length).toBeGreaterThan(100);
    const known = [...ids.map((id) => `#${id}`), ...Object.keys(document.paths)];
    expect(links.filter((link) => !known.includes(link))).toEqual([]);
  });

  test('no heading skips a level, and every table says what its headings head', () => {
    const levels = all(/<h(\d)/g).map(Number);
    expect(levels.filter((level) => level === 1)).toHaveLength(1);
    expect(levels.filter((level, i) => level > (levels[i - 1] ?? 0) + 1)).toEqual([]);
    expect(all(/<th( |>)/g)).toHaveLength(all(/<th scope="(?:col|row)(")/g).length);
    expect(page).toMatch(/^<!doctype html>\n<html lang="en">/);
    for (const landmark of ['<header>', '<nav aria-label="Contents">', '<main id="content"'])
      expect(page.split(landmark)).toHaveLength(2);
  });

  test('what is opened is closed, in order', () => {
    const open: string[] = [];
    for (const [, slash, name = ''] of page
      .replace(/<style>[\s\S]*?<\/style>/, '')
      .matchAll(/<(\/?)(\w+)/g)) {
      if (name === 'meta') continue;
      if (slash) expect(open.pop()).toBe(name);
      else open.push(name);
    }
    expect(open).toEqual([]);
  });

  test('nothing is shown that has no words', () => {
    expect(page).not.toMatch(/undefined|\[object|NaN|>null<(?!\/td>)/);
  });
});

describe('it runs and loads nothing', () => {
  test('its policy allows its own style and no more', async () => {
    const answer = await freshApp().call('GET', '/docs');
    expect(answer.text).toBe(page);
    const style = /<style>([\s\S]*?)<\/style>/.exec(page)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    expect(answer.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'referrer-policy': 'no-referrer',
    });
  });

  test('there is no script, and no address of anything to load', () => {
    expect(page).not.toMatch(/<script|<[^>]*\s(?:on\w+|src|srcset|style|action)=|@import|url\(/i);
    expect(page).not.toMatch(/<(?:link|img|iframe|object|embed|form|base|svg|video|audio)\b/i);
    expect(page).not.toMatch(/href="(?:\w+:|\/\/)/);
  });

  test('markup in a text of the document is text', () => {
    const words = ['title', 'version', 'summary', 'description', 'pattern', 'type', 'scheme'];
    const marked = JSON.parse(openApi(routes), (key, value: unknown) =>
      typeof value === 'string' && words.includes(key) ? `${value}<i a="b">'&` : value,
    ) as OpenApi;
    const html = docsHtml(marked);
    expect(html).toContain('List users&lt;i a=&quot;b&quot;&gt;&#39;&amp;');
    expect(html).not.toContain('<i a=');
  });

  test('nor does it take a query', async () => {
    expect((await freshApp().call('GET', '/docs?x=1')).status).toBe(400);
  });
});

describe('its examples work as they stand', () => {
  test.each(endpoints)('$method $path', async ({ operationId, method }) => {
    const example = unescaped(/<pre[^>]*><code>([\s\S]*?)<\/code>/.exec(sectionOf(operationId))?.[1] ?? '');
    const sent = sentBy(example);
    expect(sent.method).toBe(method);
    expect(sent.url.origin).toBe('http://localhost:3000');
    const { call, errors, store } = freshApp();
    store.users.create(nora);
    store.logs.createAll(Array(logKind.examples.deleted).fill(stretch));
    store.goals.create({ userId: 1, sessionsPerWeek: 3 });
    store.routines.create({
      userId: 1,
      name: method === 'POST' ? 'evening' : 'morning',
      exercises: [{ exerciseName: 'Bird Dog', exerciseType: 'strengthening' }],
    });
    for (const kind of ownedKindNames.filter((name) => !['log', 'goal', 'routine'].includes(name))) {
      if (sent.url.pathname === kindOf(kind).path) continue;
      const { id: _, ...input } = exampleOf<Fields>(kindOf(kind).fields);
      store.of(kind).create({ ...input, userId: 1 } as never);
    }
    deleteForRestore(store, sent.url.pathname);
    const { status, text } = await call(method, `${sent.url.pathname}${sent.url.search}`, sent);
    // No code is open, and nobody has a token: test/http/pairing.test.ts.
    const refused = { '/pair': 404, '/me/token': 409 }[sent.url.pathname];
    expect(refused ? [refused] : [200, 201, 302], text).toContain(status);
    expect(errors).toEqual([]);
  });

  test('whatever they hold', () => {
    const quote = `it's "$HOME" \`date\` & \\`;
    const item = { type: 'string', examples: [`a/${quote}`] };
    const body = { schema: { type: 'array' }, example: [{ notes: quote }] };
    const parameter = (name: string, place: string) => ({ name, in: place, required: true, schema: item });
    const html = docsHtml(
      documentOf({
        parameters: [parameter('id', 'path'), parameter('q', 'query'), parameter('X-Note', 'header')],
        requestBody: { required: true, content: { 'application/json': body } },
      }),
    );
    const example = unescaped(/<pre[^>]*><code>(curl -X[\s\S]*?)<\/code>/.exec(html)?.[1] ?? '');
    const { method, url, headers, body: sent = '' } = sentBy(example);
    expect([method, decodeURIComponent(url.pathname)]).toEqual(['PUT', `/things/a/${quote}`]);
    expect(url.pathname.split('/')).toHaveLength(3);
    expect(url.searchParams.get('q')).toBe(`a/${quote}`);
    expect(headers).toEqual({ 'x-note': `a/${quote}`, 'content-type': 'application/json' });
    expect(JSON.parse(sent)).toEqual([{ notes: quote }]);
  });
});

test('a body may be one of several schemas, and of several types', () => {
  const record = { $ref: '#/components/schemas/User' };
  const list = { type: 'array', items: record, maxItems: 100 };
  const html = docsHtml(
    documentOf({
      requestBody: {
        content: { 'application/json': { schema: { oneOf: [record, list] }, example: { a: 1 } } },
      },
      responses: {
        '200': {
          description: 'Done',
          content: {
            'application/json': { schema: { type: 'object', properties: { at: { type: 'integer' } } } },
            'text/event-stream': { schema: { type: 'string' } },
          },
        },
      },
    }),
  );
  const text = textOf(sectionOf('putThing', html));
  expect(text).toContain('User or array of User at most 100 items (optional)');
  expect(text).toContain('Done. object, or text/event-stream: string');
  expect(sectionOf('putThing', html)).toMatch(/<code>at<\/code>.*integer/);
  expect(text).toContain('"a": 1');
});

/** The document with one operation only. */
function documentOf(operation: object): OpenApi {
  const put = { tags: ['Users'], operationId: 'putThing', summary: 'Put', responses: {}, ...operation };
  return { ...document, paths: { '/things/{id}': { put } } };
}

/** What curl would send: the shell itself takes the command apart. */
function sentBy(command: string) {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`;
  const given = execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
  const after = (flag: string) => given.flatMap((word, i) => (given[i - 1] === flag ? [word] : []));
  const [body] = after('-d');
  const [target = ''] = given.filter((word) => word.startsWith('http://'));
  return {
    method: after('-X')[0] ?? (body === undefined ? 'GET' : 'POST'),
    url: new URL(target),
    headers: Object.fromEntries(
      after('-H').map((line) => {
        const [name = '', ...value] = line.split(': ');
        return [name.toLowerCase(), value.join(': ')];
      }),
    ),
    ...(body !== undefined && { body }),
  };
}

test('is made once for an address, however its letters are written', async () => {
  const { call } = freshApp();
  const { text } = await call('GET', '/docs');
  expect((await call('GET', '/docs', { hosts: ['LocalHost:3000'] })).text).toBe(text);
});
