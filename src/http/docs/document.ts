/** The parts of an OpenAPI 3.1 document that the page shows. */

export interface OpenApi {
  info: { title: string; version: string; summary?: string; description?: string };
  tags: { name: string; description?: string }[];
  paths: Record<string, PathItem>;
  components: {
    schemas: Record<string, Schema>;
    securitySchemes: Record<string, SecurityScheme>;
    responses: Record<string, Response>;
  };
}

interface Ref {
  $ref: string;
}

/** Without HEAD: the page says once that it answers as GET, without the body. */
const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

const isMethod = (name: string): name is (typeof methods)[number] =>
  (methods as readonly string[]).includes(name);

type PathItem = { parameters?: (Parameter | Ref)[] } & { [M in (typeof methods)[number]]?: Operation };

export interface SecurityScheme {
  type: string;
  scheme?: string;
  description?: string;
}

export interface Operation {
  tags: string[];
  operationId: string;
  summary: string;
  description?: string;
  /** Empty for an operation without authentication. */
  security?: unknown[];
  parameters?: (Parameter | Ref)[];
  requestBody?: RequestBody;
  responses: Record<string, Response | Ref>;
}

export interface Parameter {
  name: string;
  in: string;
  description?: string;
  required?: boolean;
  schema: Schema;
  example?: unknown;
}

export interface RequestBody {
  description?: string;
  required?: boolean;
  content: Content;
}

export interface Response {
  description: string;
  headers?: Record<string, Header>;
  content?: Content;
}

export interface Header {
  description?: string;
}

/** The schema of a body, with an example of it, by media type. */
export type Content = Record<string, { schema?: Schema; example?: unknown }>;

export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  examples?: unknown[];
  enum?: unknown[];
  const?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  maxProperties?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
}

/** An operation with its method and path, and with the parameters of the path. */
export interface Endpoint extends Omit<Operation, 'parameters'> {
  method: string;
  path: string;
  parameters: Parameter[];
}

/** Every operation, in the order of the document. */
export function endpointsOf(document: OpenApi): Endpoint[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item).flatMap((method) => {
      const operation = isMethod(method) ? item[method] : undefined;
      if (!operation) return [];
      const given = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((parameter) =>
        resolve<Parameter>(document, parameter),
      );
      // A parameter of the operation overrides one of the path.
      const parameters = new Map(given.map((parameter) => [`${parameter.in} ${parameter.name}`, parameter]));
      return [{ ...operation, method: method.toUpperCase(), path, parameters: [...parameters.values()] }];
    }),
  );
}

/** A node of the document, or the one that its `$ref` points to. */
export function resolve<T extends object>(document: OpenApi, node: T | Ref): T {
  if (!('$ref' in node) || typeof node.$ref !== 'string') return node as T;
  let found: unknown = document;
  for (const key of node.$ref.split('/').slice(1)) found = (found as Record<string, unknown>)[key];
  return found as T;
}

/** The last part of a reference: `User` of `#/components/schemas/User`. */
export const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1);

/** The schemas under anyOf and oneOf. */
export const alternativesOf = ({ anyOf = [], oneOf = [] }: Schema): Schema[] => [...anyOf, ...oneOf];
