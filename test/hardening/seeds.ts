import { openApi } from '../../src/http/openapi/document.ts';
import { routes } from '../../src/http/routes.ts';

interface Schema {
  $ref?: string;
  examples?: unknown[];
  properties?: Record<string, Schema>;
  oneOf?: Schema[];
  anyOf?: Schema[];
  items?: Schema;
}

interface Operation {
  parameters?: { name: string; in: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

/**
 * Good requests, several to each route, made from the service's own document: a new route is among them untold.
 * @param headers those that each has
 */
export function seedRequests(headers: string): string[] {
  const document = JSON.parse(openApi(routes)) as Document;
  return routes.flatMap(({ method, path }) => {
    const { parameters = [], requestBody } = document.paths[path]?.[method.toLowerCase()] ?? {};
    const queries = parameters.filter((parameter) => parameter.in === 'query');
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
    const body =
      requestBody && JSON.stringify(exampleOf(Object.values(requestBody.content)[0]?.schema, document));
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

/** A value that a schema describes, by the examples in it. */
function exampleOf(schema: Schema | undefined, document: Document): unknown {
  if (!schema) return {};
  if (schema.$ref)
    return exampleOf(document.components.schemas[schema.$ref.split('/').at(-1) ?? ''], document);
  if (schema.examples) return schema.examples[0];
  if (schema.items) return [exampleOf(schema.items, document)];
  const one = (schema.oneOf ?? schema.anyOf)?.[0];
  if (one) return exampleOf(one, document);
  const properties = Object.entries(schema.properties ?? {});
  return Object.fromEntries(properties.map(([name, property]) => [name, exampleOf(property, document)]));
}
