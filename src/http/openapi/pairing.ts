import { pairFields } from '../../domain/pairing.ts';
import { objectOf } from '../../domain/schema.ts';
import type { Operation } from './operation.ts';
import { exampleOf, ok, schemaJson, taken } from './parts.ts';

export const pairOperation: Operation = {
  tag: 'Service',
  id: 'pair',
  summary: 'Exchange a one-time code for a token',
  description:
    'For a phone that was shown the code by `sciatica pair`. 404 unless the service runs with `--pairing` and a code is open: for ten minutes, for one use, until five wrong codes have come.',
  body: taken(schemaJson(objectOf(pairFields)), exampleOf(pairFields)),
  success: {
    '201': ok('The token; it cannot be had again', {
      type: 'object',
      required: ['token', 'name', 'role', 'users', 'expiresAt'],
      properties: {
        token: { type: 'string', description: 'For `Authorization: Bearer`' },
        name: {
          type: 'string',
          description: 'Name of the token, which the history shows',
          examples: ['phone'],
        },
        role: { type: 'string', const: 'patient' },
        users: { type: 'array', description: 'The id of the user', maxItems: 1, items: { type: 'integer' } },
        expiresAt: { type: ['string', 'null'], format: 'date-time', description: 'null: never' },
      },
    }),
  },
};
