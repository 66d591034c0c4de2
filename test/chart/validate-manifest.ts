import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import type { Manifest } from './helm.js';

interface Schemas {
  readonly kinds: Readonly<Record<string, object>>;
  readonly definitions: object;
}

const read = (name: string): Schemas =>
  JSON.parse(readFileSync(join(import.meta.dirname, 'schemas', name), 'utf8')) as Schemas;

/** Versions of Kubernetes whose schemas are here: the oldest that the chart admits, and the newest. */
export const kubernetesVersions = ['v1.31.14', 'v1.37.2'] as const;

/** Holds manifests against the API's own schemas, strictly: fields that the API does not know are refused, too. */
export class ManifestValidator {
  private readonly validators = new Map<string, ValidateFunction>();

  constructor(version: (typeof kubernetesVersions)[number]) {
    const ajv = new Ajv({ strict: false, allErrors: true });
    for (const { kinds, definitions } of [read(`kubernetes-${version}.json`), read('custom-resources.json')]) {
      for (const [kind, schema] of Object.entries(kinds)) {
        this.validators.set(kind, ajv.compile({ ...schema, definitions }));
      }
    }
  }

  /** What is wrong, by path; empty where nothing is. */
  problems(manifest: Manifest): readonly string[] {
    const { apiVersion, kind, metadata } = manifest;
    const validate = this.validators.get(`${apiVersion}/${kind}`);
    if (validate === undefined) return [`${apiVersion}/${kind}: no such kind in this version`];
    validate(manifest);
    const errors = validate.errors ?? [];
    return errors.map(
      ({ instancePath, message, params }) =>
        `${kind}/${metadata.name}${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  }
}
