import { roles } from '../../domain/access.ts';
import type { Operation } from './operation.ts';
import { ETAG, IF_NONE_MATCH, type Json, NOT_MODIFIED, ok, POLICY } from './parts.ts';

const HEALTH: Json = {
  type: 'object',
  required: ['status'],
  properties: { status: { type: 'string', const: 'ok' } },
};

export const healthOperation: Operation = {
  tag: 'Service',
  id: 'getHealth',
  summary: 'Whether the service can read its records',
  description: 'For a monitor: 503 when they cannot be read now.',
  success: { '200': ok('It can', HEALTH) },
};

const ME: Json = {
  type: 'object',
  required: ['authentication', 'name', 'role', 'users', 'expiresAt', 'database'],
  properties: {
    authentication: {
      type: 'boolean',
      description: 'false when the service runs without --auth: all is open',
    },
    name: { type: ['string', 'null'], description: 'Name of the token' },
    role: { type: ['string', 'null'], description: `${roles.join(', ')}: what the token may do` },
    users: {
      type: ['array', 'null'],
      description: 'Ids of the users whose records the token covers; null for all',
      items: { type: 'integer' },
    },
    expiresAt: { type: ['string', 'null'], format: 'date-time', description: 'null: never' },
    database: {
      type: 'string',
      format: 'uuid',
      description: 'Identity of the database: ids of records are unique together with it',
    },
  },
};

export const meOperation: Operation = {
  tag: 'Service',
  id: 'getMe',
  summary: 'Who the caller is, and whose records it sees',
  description: 'Without authentication all is open, and the rest is null.',
  headers: [IF_NONE_MATCH],
  success: { '200': ok('The token', ME, ETAG), '304': NOT_MODIFIED },
};

export const documentOperation: Operation = {
  tag: 'Service',
  id: 'getOpenApi',
  summary: 'The OpenAPI document of the service',
  description: 'Its server is the address that it was asked at.',
  headers: [IF_NONE_MATCH],
  success: {
    '200': ok('The document', { type: 'object', additionalProperties: true }, ETAG),
    '304': NOT_MODIFIED,
  },
};

export const rootOperation: Operation = {
  tag: 'Service',
  id: 'getRoot',
  summary: 'Leads to the documentation',
  description: 'For people who open the address of the service in a browser.',
  success: {
    '302': {
      description: 'To the documentation',
      headers: { Location: { description: '/docs', schema: { type: 'string' } } },
    },
  },
};

export const docsOperation: Operation = {
  tag: 'Service',
  id: 'getDocs',
  summary: 'The documentation of the service, to be read',
  description: 'The OpenAPI document as one HTML page that loads and runs nothing.',
  headers: [IF_NONE_MATCH],
  success: {
    '200': {
      description: 'The page',
      headers: { ...ETAG, ...POLICY },
      content: { 'text/html': { schema: { type: 'string' } } },
    },
    '304': NOT_MODIFIED,
  },
};
