import { comparedFields, operatorNames, operators } from '../../domain/filter.ts';
import { type Html, html } from '../../lib/html.ts';
import type { Content, Endpoint, OpenApi, Parameter, Response } from './document.ts';
import { nameOf, resolve } from './document.ts';

/** What many operations have in common. The page explains it once; an operation names it. */
export interface Shared {
  /** Parameters that have the same meaning in several operations, by name. */
  readonly parameters: ReadonlyMap<string, Parameter>;
  /** The meanings of each header of an answer, by name. */
  readonly headers: ReadonlyMap<string, ReadonlySet<string>>;
  /** The names of the problems that every operation with authentication can answer, by status. */
  readonly problems: ReadonlyMap<string, string>;
  /** Operations that differ from an earlier one only in the schemas of their bodies, by operationId. */
  readonly alike: ReadonlyMap<string, Endpoint>;
}

/** Fewest operations with a parameter for it to be explained once, for all of them. */
const SEVERAL = 3;

export function sharedOf(document: OpenApi, endpoints: readonly Endpoint[]): Shared {
  const uses = new Map<string, Parameter[]>();
  const headers = new Map<string, Set<string>>();
  for (const { parameters, responses } of endpoints) {
    for (const parameter of withoutFilters(parameters)) {
      const key = `${parameter.name} ${parameter.description}`;
      uses.set(key, [...(uses.get(key) ?? []), parameter]);
    }
    for (const given of Object.values(responses))
      for (const [name, header] of Object.entries(resolve<Response>(document, given).headers ?? {})) {
        headers.set(name, (headers.get(name) ?? new Set()).add(header.description ?? ''));
      }
  }
  const parameters = new Map<string, Parameter>();
  for (const [first, ...others] of uses.values())
    if (first && others.length + 1 >= SEVERAL && !parameters.has(first.name))
      parameters.set(first.name, first);
  return { parameters, headers, problems: commonProblems(endpoints), alike: alikeOf(endpoints) };
}

function alikeOf(endpoints: readonly Endpoint[]): Map<string, Endpoint> {
  const first = new Map<string, Endpoint>();
  const alike = new Map<string, Endpoint>();
  for (const endpoint of endpoints) {
    const shape = JSON.stringify(shapeOf(endpoint));
    const earlier = first.get(shape);
    if (earlier) alike.set(endpoint.operationId, earlier);
    else first.set(shape, endpoint);
  }
  return alike;
}

/** What the page shows of an operation apart from filters and the names of schemas, to be compared. */
function shapeOf(endpoint: Endpoint): unknown {
  const { method, parameters, requestBody: body, responses, security } = endpoint;
  return [
    method,
    withoutFilters(parameters).map(({ name, description }) => [name, description]),
    body && [body.description, body.required, nameless(body.content)],
    Object.entries(responses).map(([status, given]) =>
      '$ref' in given
        ? [status, given.$ref]
        : [status, Object.keys(given.headers ?? {}), nameless(given.content ?? {})],
    ),
    security,
  ];
}

const nameless = (content: Content) =>
  Object.entries(content).map(([type, { schema }]) => [
    type,
    JSON.stringify(schema)?.replace(/"#\/components\/schemas\/\w+"/g, '""'),
  ]);

function commonProblems(endpoints: readonly Endpoint[]): Map<string, string> {
  const [first, ...others] = endpoints.filter(({ security }) => security?.length !== 0).map(problemsOf);
  return new Map([...(first ?? [])].filter(([status]) => others.every((problems) => problems.has(status))));
}

/** The names of the shared responses of an operation, by status. */
export function problemsOf({ responses }: Endpoint): Map<string, string> {
  return new Map(
    Object.entries(responses).flatMap(([status, given]) =>
      '$ref' in given ? [[status, nameOf(given.$ref)] as const] : [],
    ),
  );
}

/** The fields with filters: for each there is a parameter of its name, and others with the suffix of an operator. */
export function filteredFields(parameters: readonly Parameter[]): string[] {
  const names = new Set(parameters.map(({ name }) => name));
  return [...names].filter((name) => names.has(`${name}${operators.ne.suffix}`));
}

export function withoutFilters(parameters: readonly Parameter[]): Parameter[] {
  const filters = new Set(
    filteredFields(parameters).flatMap((field) =>
      Object.values(operators).map(({ suffix }) => `${field}${suffix}`),
    ),
  );
  return parameters.filter(({ name }) => !filters.has(name));
}

/** How an operator combines several values, in words. */
export const againWords = { any: 'any of the values', all: 'all of them', once: '' } as const;

/** The table of the filters that every list has. */
export function filterTable(): Html {
  const rows = operatorNames.map((name) => {
    const { suffix, words, several } = operators[name];
    const fields = comparedFields(name).join(', ');
    const again = againWords[several];
    return html`<tr><th scope="row"><code>field${suffix}</code></th><td>${fields}</td><td>${words}${again && `; given again: ${again}`}</td></tr>\n`;
  });
  return html`<table aria-label="Filters">
<thead><tr><th scope="col">Filter</th><th scope="col">Fields</th><th scope="col">The field</th></tr></thead>
<tbody>
${rows}</tbody>
</table>
`;
}
