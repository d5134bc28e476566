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
import {
  BASE,
  carried,
  fieldsOf,
  fieldTable,
  headerTable,
  methodAndPath,
  operation,
  typeOf,
} from './operation.ts';
import { inline, paragraphs, spaced } from './prose.ts';

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

const isCreation = ({ operationId }: { operationId: string }) => operationId.startsWith('create');

function groupsOf(document: OpenApi): Group[] {
  const endpoints = endpointsOf(document);
  return document.tags.map((tag) => ({
    ...tag,
    id: `tag-${tag.name.toLowerCase().replaceAll(' ', '-')}`,
    // What creates a record comes first: without one there is nothing to read.
    endpoints: endpoints
      .filter(({ tags }) => tags.includes(tag.name))
      .sort((a, b) => Number(isCreation(b)) - Number(isCreation(a))),
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
function authentication({ components }: OpenApi): Html {
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
function problems(document: OpenApi): Html {
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
function schemas({ components }: OpenApi): Html {
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

/** The style sheet, for small and large screens, print, light and dark mode. No colour carries meaning. */
const STYLE = `
:root { color-scheme: light dark; --text: #1d2329; --soft: #57616b; --back: #fff; --panel: #f4f6f7; --line: #dce1e5;
  --link: #0a5a78; --get: #0a5a78; --post: #1c6b34; --put: #8a4b00; --delete: #a5222c; }
@media screen and (prefers-color-scheme: dark) {
  :root { --text: #dfe4e8; --soft: #9ba6b0; --back: #14181b; --panel: #1d2327; --line: #323a41;
    --link: #7cc7e2; --get: #7cc7e2; --post: #83d09a; --put: #eab676; --delete: #f39a9f; }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; color: var(--text); background: var(--back); overflow-wrap: anywhere;
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
header, nav, main { padding: 0 1rem; }
header { padding-top: 1.5rem; }
a { color: var(--link); text-underline-offset: .15em; text-decoration-thickness: 1px; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
main:focus { outline: none; }
.skip { position: absolute; left: -999rem; padding: .5rem 1rem; background: var(--back); }
.skip:focus { left: 0; top: 0; z-index: 1; }
h1, h2, h3, h4 { line-height: 1.25; margin: 0; text-wrap: balance; break-after: avoid; }
h1 { font-size: 2rem; }
h1 small { font-size: 1rem; font-weight: 400; color: var(--soft); }
h2 { font-size: 1.5rem; margin-top: 3.5rem; padding-bottom: .4rem; border-bottom: 1px solid var(--line); }
main > section:first-child h2 { margin-top: 2rem; }
h3 { font-size: 1.2rem; margin-top: 2.75rem; }
h4 { font-size: .95rem; margin-top: 1.5rem; }
h3 a { color: inherit; text-decoration: none; }
h3 a:hover { text-decoration: underline; }
:target { text-decoration: underline; text-decoration-thickness: 3px; text-decoration-color: var(--link); text-underline-offset: .25em; }
:target a { text-decoration: inherit; }
main:target { text-decoration: none; }
p { margin: .6rem 0; }
.lead { font-size: 1.15rem; color: var(--soft); }
code { font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }
pre { margin: .6rem 0; padding: .85rem 1rem; white-space: pre-wrap; break-inside: avoid;
  background: var(--panel); border: 1px solid var(--line); border-radius: .4rem; }
.endpoint code { font-size: 1rem; }
.method { color: var(--get); }
.method.post { color: var(--post); }
.method.put, .method.patch { color: var(--put); }
.method.delete { color: var(--delete); }
.status { font-variant-numeric: tabular-nums; }
.refusals { font-size: .9rem; color: var(--soft); }
.refusals a { white-space: nowrap; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav { margin-top: 2rem; font-size: .9rem; line-height: 1.4; }
nav a { display: block; padding: .25rem 0; text-decoration: none; }
nav a:hover { text-decoration: underline; }
nav > ul > li { padding-top: .75rem; }
nav > ul > li > a { font-weight: 600; color: var(--text); }
nav span { display: block; color: var(--soft); }
nav .names { display: flex; flex-wrap: wrap; gap: 0 1rem; }
table code { font-size: .9em; }
th code { font-size: 1em; font-weight: 600; }
table { width: 100%; margin: .6rem 0; border-collapse: collapse; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .55rem .75rem .55rem 0; border-bottom: 1px solid var(--line); }
thead th { padding: .25rem .75rem .25rem 0; font-weight: 400; font-size: .85rem; color: var(--soft); }
tbody th { font-weight: 600; width: 26%; }
td:nth-child(2) { width: 34%; }
th small { display: block; font-weight: 400; color: var(--soft); }
th strong { color: var(--text); }
td p { margin: 0; }
.limits, .example { color: var(--soft); }
details { display: inline; color: var(--soft); }
summary { cursor: pointer; }
.contents, .folded { display: block; color: inherit; }
.folded > summary { padding: .25rem 0; }
tr { break-inside: avoid; }
dl { margin: .6rem 0; }
dt { font-weight: 600; margin-top: 1rem; }
dd { margin: 0; }
@media (max-width: 38rem) {
  thead { position: absolute; clip-path: inset(50%); }
  tr { display: block; padding: .55rem 0; border-bottom: 1px solid var(--line); }
  tbody th, td, td:nth-child(2) { display: block; width: auto; padding: 0; border: 0; }
  th small { display: inline; margin-left: .35rem; }
}
/* The list is beside its switch, not in it: where there is room it always shows. */
@media screen and (max-width: 63.99rem) {
  .contents:not([open]) + ul { display: none; }
  .contents > summary { padding: .75rem 0; font-size: 1rem; font-weight: 600; }
}
@media print, (min-width: 38rem) and (max-width: 63.99rem) {
  nav > ul { columns: 2; }
  nav li { break-inside: avoid; }
}
@media screen and (min-width: 64rem) {
  body { display: grid; grid-template: "nav header" auto "nav main" 1fr / 20rem minmax(0, 52rem); gap: 0 3rem; }
  header { grid-area: header; padding: 2.5rem 0 0; }
  main { grid-area: main; padding: 0 0 6rem; }
  .contents { display: none; }
  nav { grid-area: nav; position: sticky; top: 0; height: 100vh; overflow-y: auto; margin: 0; padding: 1.5rem 1.25rem 3rem;
    background: var(--panel); border-right: 1px solid var(--line); }
  nav .names { display: block; }
}
@media print {
  @page { margin: 15mm; }
  html { font-size: 8.5pt; }
  h3 { margin-top: 2rem; }
  .skip, td details, .contents { display: none; }
  a { color: inherit; }
  .folded::details-content { content-visibility: visible; block-size: auto; }
}
`;
