import { createHash } from 'node:crypto';
import { Html, html } from '../../lib/html.ts';
import { problemTypes } from '../wire/problem.ts';
import {
  endpointsOf,
  nameOf,
  type OpenApi,
  type Response,
  type Schema,
  type SecurityScheme,
} from './document.ts';
import { BASE } from './example.ts';
import { carried, headerTable, methodAndPath, operation } from './operation.ts';
import { inline, paragraphs, spaced } from './prose.ts';
import { fieldsOf, fieldTable, typeOf } from './schema.ts';
import { STYLE } from './style.ts';

/** The content security policy of the page: its own style sheet, and nothing else. */
export function docsPolicy(): string {
  const hash = createHash('sha256').update(STYLE).digest('base64');
  return `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}

/**
 * An OpenAPI document as one HTML page that loads nothing and runs nothing.
 * @param base the address of the service, for the examples
 */
export function docsHtml(document: OpenApi, base = BASE): string {
  const { title, version } = document.info;
  const groups = groupsOf(document);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} ${version}: HTTP reference</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
${header(document)}${contents(document, groups)}<main id="content" tabindex="-1">
${authentication(document)}${groups.map((group) => section(document, group))}${problems(document)}${schemas(document)}</main>
</body>
</html>
`.markup.replaceAll(BASE, base);
}

/** A tag with its operations. */
interface Group {
  name: string;
  description?: string;
  id: string;
  endpoints: ReturnType<typeof endpointsOf>;
}

function groupsOf(document: OpenApi): Group[] {
  const endpoints = endpointsOf(document);
  return document.tags.map((tag) => ({
    ...tag,
    id: `tag-${tag.name.toLowerCase().replaceAll(' ', '-')}`,
    endpoints: endpoints.filter(({ tags }) => tags.includes(tag.name)),
  }));
}

function header({ info }: OpenApi): Html {
  return html`<header>
<h1>${info.title} <small>${info.version}</small></h1>
${info.summary && html`<p class="lead">${info.summary}</p>\n`}${paragraphs(info.description)}<p>The examples call <code>${BASE}</code>. HEAD answers as GET, without the body. For programs, all of this is in the <a href="/openapi.json">OpenAPI document</a>.</p>
</header>
`;
}

function contents({ components }: OpenApi, groups: readonly Group[]): Html {
  const names = Object.keys(components.schemas);
  return html`<nav aria-label="Contents">
<details class="contents">
<summary>Contents</summary>
</details>
<ul>
<li><a href="#authentication">Authentication</a></li>
${groups.map(entry)}<li><a href="#problems">Problems</a></li>
<li><a href="#schemas">Schemas</a>
<ul class="names">
${names.map((name) => html`<li><a href="#schema-${name}">${name}</a></li>\n`)}</ul></li>
</ul>
</nav>
`;
}

function entry({ name, id, endpoints }: Group): Html {
  return html`<li><a href="#${id}">${name}</a>
<ul>
${endpoints.map((endpoint) => html`<li><a href="#${endpoint.operationId}">${methodAndPath(endpoint)} <span>${endpoint.summary}</span></a></li>\n`)}</ul></li>
`;
}

function section(document: OpenApi, { name, id, description, endpoints }: Group): Html {
  return html`<section>
<h2 id="${id}">${name}</h2>
${paragraphs(description)}${endpoints.map((endpoint) => operation(document, endpoint))}</section>
`;
}

/** What operations share: authentication, problems, schemas. */

/** The security schemes. */
export function authentication({ components }: OpenApi): Html {
  return html`<section>
<h2 id="authentication">Authentication</h2>
<dl>
${Object.values(components.securitySchemes).map(scheme)}</dl>
</section>
`;
}

/** How curl sends the credentials of a scheme. */
const SENT: Readonly<Record<string, string>> = {
  bearer: `curl -H 'Authorization: Bearer TOKEN' ${BASE}/…`,
  basic: `curl -u NAME:TOKEN ${BASE}/…`,
};

function scheme({ type, scheme = '', description }: SecurityScheme): Html {
  const sent = SENT[scheme];
  return html`<dt>${type.toUpperCase()} ${scheme}</dt>
<dd>${paragraphs(description)}${sent && html`<pre><code>${sent}</code></pre>`}</dd>
`;
}

/** The responses that operations share. */
export function problems(document: OpenApi): Html {
  return html`<section>
<h2 id="problems">Problems</h2>
<dl>
${Object.entries(problemTypes).map(kind)}</dl>
${Object.entries(document.components.responses).map(([name, response]) => sharedResponse(document, name, response))}</section>
`;
}

function kind([type, { status, means }]: [string, { status: number; means: string }]): Html {
  return html`<dt id="problem-${type}"><code>${type}</code> <small>${status}</small></dt>
<dd>${means}.</dd>
`;
}

function sharedResponse(
  document: OpenApi,
  name: string,
  { description, content = {}, headers = {} }: Response,
): Html {
  const title = `${statusesOf(document, name).join(', ')} ${spaced(name)}`;
  return html`<section>
<h3 id="response-${name}"><a href="#response-${name}">${title}</a></h3>
<p>${inline(description)}. ${carried(content)}</p>
${headerTable(document, `Headers of ${title}`, headers)}</section>
`;
}

/** The statuses of a shared response. */
function statusesOf(document: OpenApi, name: string): string[] {
  const statuses = endpointsOf(document).flatMap(({ responses }) =>
    Object.entries(responses)
      .filter(([, given]) => '$ref' in given && nameOf(given.$ref) === name)
      .map(([status]) => (status === 'default' ? 'Any other:' : status)),
  );
  return [...new Set(statuses)];
}

/** The named schemas. */
export function schemas({ components }: OpenApi): Html {
  return html`<section>
<h2 id="schemas">Schemas</h2>
${Object.entries(components.schemas).map(([name, schema]) => named(name, schema))}</section>
`;
}

function named(name: string, schema: Schema): Html {
  const fields = fieldsOf(schema);
  return html`<section>
<h3 id="schema-${name}"><a href="#schema-${name}">${name}</a></h3>
${paragraphs(schema.description)}${fields.length > 0 ? fieldTable(`Fields of ${name}`, 'Field', fields) : html`<p>${typeOf(schema)}</p>\n`}</section>
`;
}
