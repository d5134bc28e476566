import { type Html, html } from '../../lib/html.ts';
import {
  type Content,
  type Endpoint,
  type Header,
  nameOf,
  type OpenApi,
  type RequestBody,
  type Response,
  resolve,
  type Schema,
} from './document.ts';
import { curl } from './example.ts';
import { inline, paragraphs, spaced } from './prose.ts';
import { fieldsOf, fieldTable, typeOf } from './schema.ts';

/** An operation: description, parameters, body, example, responses. */
export function operation(document: OpenApi, endpoint: Endpoint): Html {
  const { operationId, summary, description, security } = endpoint;
  return html`<section>
<h3 id="${operationId}"><a href="#${operationId}">${summary}</a></h3>
<p class="endpoint">${methodAndPath(endpoint)}</p>
${paragraphs(description)}${security?.length === 0 && html`<p>Needs no authentication.</p>\n`}${parameters(endpoint)}${body(document, endpoint)}<h4>Example</h4>
<pre><code>${curl(document, endpoint)}</code></pre>
<h4>Answers</h4>
${answers(document, endpoint)}</section>
`;
}

/** `GET /users/{id}` */
export function methodAndPath({ method, path }: Endpoint): Html {
  return html`<code><b class="method ${method.toLowerCase()}">${method}</b> ${path}</code>`;
}

function parameters({ parameters, summary }: Endpoint): Html | false {
  const fields = parameters.map(({ name, in: place, required = false, description, schema }) => ({
    name,
    place,
    required,
    schema,
    description: description ?? schema.description,
    example: schema.examples && String(schema.examples[0]),
  }));
  return (
    fields.length > 0 &&
    html`<h4>Parameters</h4>\n${fieldTable(`Parameters of: ${summary}`, 'Parameter', fields)}`
  );
}

function body(document: OpenApi, { requestBody, summary }: Endpoint): Html | false {
  if (!requestBody) return false;
  const { description, required, content } = resolve<RequestBody>(document, requestBody);
  return html`<h4>Body</h4>
${paragraphs(description)}<p>${carried(content)}${!required && ' (optional)'}</p>
${inlineFields(`Body of: ${summary}`, content)}`;
}

function answers(document: OpenApi, { responses, summary }: Endpoint): Html {
  const own = Object.entries(responses).filter(([, given]) => !('$ref' in given));
  const shared = Object.entries(responses).filter(([, given]) => '$ref' in given);
  return html`${own.map(([status, given]) => responseRow(document, status, given as Response, summary))}<p class="refusals">Or one of the <a href="#problems">problems</a>: ${shared.map(([status, given], i) => [i > 0 && ', ', refusal(status, given)])}.</p>
`;
}

function responseRow(document: OpenApi, status: string, given: Response, summary: string): Html {
  const { description, headers = {}, content = {} } = given;
  return html`<p><b class="status">${status}</b> ${inline(description)}. ${carried(content)}</p>
${inlineFields(`Body of ${status} of: ${summary}`, content)}${headerTable(document, `Headers of ${status} of: ${summary}`, headers)}`;
}

function refusal(status: string, given: object): Html {
  const name = '$ref' in given ? nameOf(String(given.$ref)) : '';
  const label = status === 'default' ? 'any other' : `${status} ${spaced(name)}`;
  return html`<a href="#response-${name}">${label}</a>`;
}

/** The media types of a body with their schemas. */
export function carried(content: Content): Html {
  return html`${Object.entries(content).map(([type, { schema }], i) => [
    i > 0 && ', or ',
    html`<code>${type}</code>${schema && html`: ${typeOf(schema)}`}`,
  ])}`;
}

/** The fields of bodies with an inline schema, which has no name to link to. */
function inlineFields(label: string, content: Content): (Html | false)[] {
  const schemas = Object.values(content).flatMap(({ schema }): Schema[] => (schema ? [schema] : []));
  return schemas.map((schema) => fieldTable(label, 'Field', fieldsOf(schema)));
}

/** A table of response headers; false without any. */
export function headerTable(
  document: OpenApi,
  label: string,
  headers: NonNullable<Response['headers']>,
): Html | false {
  const fields = Object.entries(headers).map(([name, given]) => {
    const { description, schema } = resolve<Header>(document, given);
    return { name, schema, description };
  });
  return fieldTable(label, 'Header', fields);
}
