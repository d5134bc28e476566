import { createHash } from 'node:crypto';
import { Html, html } from '../../lib/html.ts';
import { problemTypes } from '../wire/problem.ts';
import { endpointsOf, nameOf, type OpenApi, type Response, type SecurityScheme } from './document.ts';
import { BASE, fieldList, joined, operation, parameterField } from './operation.ts';
import { inline, paragraphs, spaced } from './prose.ts';
import { schemas } from './schemas.ts';
import { filterTable, type Shared, sharedOf } from './shared.ts';

export { BASE };

/** The content security policy of the page: its own style sheet, and nothing else. */
export function docsPolicy(): string {
  const hash = createHash('sha256').update(STYLE).digest('base64');
  return `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}

/** An OpenAPI document as one HTML page that loads nothing and runs nothing. Its examples call `BASE`. */
export function docsHtml(document: OpenApi): string {
  const { title, version } = document.info;
  const endpoints = endpointsOf(document);
  const shared = sharedOf(document, endpoints);
  const groups = groupsOf(document, endpoints);
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
${header(document)}${contents(groups)}<main id="content" tabindex="-1">
${authentication(document)}${lists(shared)}${groups.map((group) => section(group, shared))}${problems(document, shared)}${headers(shared)}${schemas(document)}</main>
</body>
</html>
`.markup;
}

interface Group {
  name: string;
  description?: string;
  id: string;
  endpoints: ReturnType<typeof endpointsOf>;
}

const isCreation = ({ operationId }: { operationId: string }) => operationId.startsWith('create');

function groupsOf(document: OpenApi, endpoints: Group['endpoints']): Group[] {
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
${info.summary && html`<p class="lead">${info.summary}</p>\n`}${paragraphs(info.description)}<p>The examples call <code>${BASE}</code>. Bodies are JSON where nothing else is said. HEAD answers as GET, without the body. For programs, all of this is in the <a href="/openapi.json">OpenAPI document</a>.</p>
</header>
`;
}

function contents(groups: readonly Group[]): Html {
  return html`<nav aria-label="Contents">
<details class="contents">
<summary>Contents</summary>
</details>
<ul>
<li><a href="#authentication">Authentication</a></li>
<li><a href="#lists">Lists</a></li>
${groups.map(entry)}<li><a href="#problems">Problems</a></li>
<li><a href="#headers">Headers</a></li>
<li><a href="#schemas">Schemas</a></li>
</ul>
</nav>
`;
}

function entry({ name, id, endpoints }: Group): Html {
  return html`<li><a href="#${id}">${name}</a>
<ul>
${endpoints.map((endpoint) => html`<li><a href="#${endpoint.operationId}"><code>${endpoint.method} ${endpoint.path}</code></a></li>\n`)}</ul></li>
`;
}

function section({ name, id, description, endpoints }: Group, shared: Shared): Html {
  return html`<section>
<h2 id="${id}">${name}</h2>
${paragraphs(description)}${endpoints.map((endpoint) => operation(endpoint, shared))}</section>
`;
}

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

/** How lists are filtered, and the parameters that many operations share. */
function lists({ parameters }: Shared): Html {
  const fields = [...parameters.values()].map(parameterField);
  return html`<section>
<h2 id="lists">Lists</h2>
<p>A list can be filtered on the fields of its records, sorted, and read page by page. All filters must hold.</p>
<details><summary>Filters</summary>
${filterTable()}</details>
<details id="parameters"><summary>Parameters of many routes</summary>
${fieldList(fields)}</details>
<p>Clients of json-server 0.17 find its parameters too: <code>_sort</code> with <code>_order</code>, <code>_page</code> with <code>_limit</code>, <code>_start</code> with <code>_end</code> or <code>_limit</code>. A request has these or <code>sort</code>, <code>limit</code> and <code>cursor</code>.</p>
</section>
`;
}

/** What the headers of answers mean. */
function headers({ headers }: Shared): Html {
  return html`<section>
<h2 id="headers">Headers</h2>
<p>An answer has these headers where the operation names them.</p>
<dl>
${[...headers].map(([name, meanings]) => html`<dt><code>${name}</code></dt>\n${[...meanings].map((meaning) => html`<dd>${inline(meaning)}.</dd>\n`)}`)}</dl>
</section>
`;
}

/** The types of problems, and the failure responses that operations share. */
function problems(document: OpenApi, shared: Shared): Html {
  return html`<section>
<h2 id="problems">Problems</h2>
<p>Any request that needs authentication can be answered with ${joined([...shared.problems].map(link), ', ')}; an operation names what else it can be answered with.</p>
<p>Each has a body of <code>application/problem+json</code>: <a href="#schema-Problem">Problem</a>. Its <code>type</code> is one of these:</p>
<dl>
${Object.entries(problemTypes).map(kind)}</dl>
<h3>By status</h3>
<dl>
${Object.entries(document.components.responses).map(([name, response]) => sharedResponse(document, name, response))}</dl>
</section>
`;
}

const link = ([status, name]: readonly [status: string, name: string]): Html =>
  html`<a href="#response-${name}">${status === 'default' ? 'any other' : status}</a>`;

function kind([type, { status, means }]: [string, { status: number; means: string }]): Html {
  return html`<dt id="problem-${type}"><code>${type}</code> <small>${status}</small></dt>
<dd>${means}.</dd>
`;
}

function sharedResponse(document: OpenApi, name: string, { description, headers = {} }: Response): Html {
  const title = `${statusesOf(document, name).join(', ')} ${spaced(name)}`;
  const names = Object.keys(headers).join(', ');
  return html`<dt id="response-${name}">${title}</dt>
<dd>${inline(description)}.${names && html` <small>${names}</small>`}</dd>
`;
}

function statusesOf(document: OpenApi, name: string): string[] {
  const statuses = endpointsOf(document).flatMap(({ responses }) =>
    Object.entries(responses)
      .filter(([, given]) => '$ref' in given && nameOf(given.$ref) === name)
      .map(([status]) => (status === 'default' ? 'Any other:' : status)),
  );
  return [...new Set(statuses)];
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
:target { text-decoration: underline; text-decoration-thickness: 3px; text-decoration-color: var(--link); text-underline-offset: .25em; }
main:target { text-decoration: none; }
p { margin: .6rem 0; }
.lead { font-size: 1.15rem; color: var(--soft); }
code { font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }
pre { margin: .6rem 0; padding: .85rem 1rem; white-space: pre-wrap; break-inside: avoid;
  background: var(--panel); border: 1px solid var(--line); border-radius: .4rem; }
.get { color: var(--get); }
.post { color: var(--post); }
.put, .patch { color: var(--put); }
.delete { color: var(--delete); }
.refusals { font-size: .9rem; color: var(--soft); }
nav ul { list-style: none; margin: 0; padding: 0; }
nav { margin-top: 2rem; font-size: .9rem; line-height: 1.4; }
nav a { display: block; padding: .25rem 0; text-decoration: none; }
nav a:hover { text-decoration: underline; }
nav > ul > li { padding-top: .75rem; }
nav > ul > li > a { font-weight: 600; color: var(--text); }
table { border-collapse: collapse; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); }
thead th { font-weight: 400; color: var(--soft); }
summary { cursor: pointer; padding: .25rem 0; }
tr { break-inside: avoid; }
dl { margin: .6rem 0; }
dt { font-weight: 600; margin-top: 1rem; }
dd { margin: 0; }
dt small, dd small { font-weight: 400; color: var(--soft); }
.fields { font-size: .95rem; }
.fields dt { margin-top: .6rem; }
.fields dd { padding-left: 1rem; }
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
}
@media print {
  @page { margin: 15mm; }
  html { font-size: 8.5pt; }
  h3 { margin-top: 2rem; }
  .skip, .contents { display: none; }
  a { color: inherit; }
  details::details-content { content-visibility: visible; block-size: auto; }
}
`;
