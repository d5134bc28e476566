import { type Html, html } from '../../lib/html.ts';
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
import { carried, headerTable } from './operation.ts';
import { inline, paragraphs, spaced } from './prose.ts';
import { fieldsOf, fieldTable, typeOf } from './schema.ts';

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
${Object.entries(document.components.responses).map(([name, response]) => problem(document, name, response))}</section>
`;
}

function kind([type, { status, means }]: [string, { status: number; means: string }]): Html {
  return html`<dt id="problem-${type}"><code>${type}</code> <small>${status}</small></dt>
<dd>${means}.</dd>
`;
}

function problem(
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
