import { openApi } from '../../src/http/openapi/document.ts';
import { routes } from '../../src/http/routes/index.ts';

interface Schema {
  examples?: unknown[];
  items?: object;
}

interface Parameter {
  name: string;
  in: string;
  schema: Schema;
}

interface Operation {
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: { content: Record<string, { example: unknown }> };
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { parameters: Record<string, Parameter> };
}

/**
 * Good requests, several to each route, made from the service's own document: a new route is among them untold.
 * @param headers those that each has
 */
export function seedRequests(headers: string): string[] {
  const document = JSON.parse(openApi(routes)) as Document;
  const { parameters: shared } = document.components;
  // A mutation makes a DELETE of any method: with its token gone the caller would be a stranger for the rest of the attack.
  const kept = routes.filter(({ path }) => path !== '/me/token');
  return kept.flatMap(({ method, path }) => {
    const { parameters = [], requestBody } = document.paths[path]?.[method.toLowerCase()] ?? {};
    const queries = parameters
      .flatMap((one) => ('$ref' in one ? (shared[one.$ref.split('/').at(-1) ?? ''] ?? []) : one))
      .filter((parameter) => parameter.in === 'query');
    // Filters go together, some at a time, so that lists do not crowd out the writes; other parameters go alone too.
    const filters = queries.filter(({ schema }) => schema.items);
    const groups = filters.flatMap((_, i) => (i % 8 === 0 ? [filters.slice(i, i + 8)] : []));
    const others = queries.filter(({ schema }) => !schema.items);
    const targets = [
      path,
      ...[...groups, ...others.map((query) => [query]), queries].map(
        (together) => `${path}?${together.map(pair).join('&')}`,
      ),
    ];
    const body = requestBody && JSON.stringify(Object.values(requestBody.content)[0]?.example);
    return targets.flatMap((target) => {
      const line = `${method} ${target.replaceAll('{id}', '7')} HTTP/1.1\r\n${headers}`;
      if (body === undefined) return [`${line}\r\n`, `${line}If-None-Match: "x", *\r\n\r\n`];
      const typed = `${line}Content-Type: application/json\r\n`;
      const chunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
      return [
        `${typed}Content-Length: ${body.length}\r\n\r\n${body}`,
        `${typed}Transfer-Encoding: chunked\r\n\r\n${chunk}`,
        `${typed}Expect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      ];
    });
  });
}

const pair = ({ name, schema }: { name: string; schema: Schema }) =>
  `${name}=${encodeURIComponent(String(schema.examples?.[0] ?? 'x'))}`;
