import { readFileSync } from 'node:fs';

import type { DeclaredSource } from '#contracts';
import { readEnvironmentParts } from '#contracts';
import type { JudgeFormat, OpenFormat } from '#events';
import { formatProblem, openNamed, registrySettings, SchemaRegistry } from '#events/formats';
import { SystemClock } from '#platform';

/** Opens the formats of sources, with the registry of the daemon's own `SCHEMA_REGISTRY_*` variables. */
export class SampleFormats {
  private readonly registry: SchemaRegistry | null;

  constructor(env: NodeJS.ProcessEnv) {
    const options = { roles: [], readFile: (path: string) => readFileSync(path, 'utf8') };
    const { schemaRegistry } = readEnvironmentParts(env, options).value;
    this.registry =
      schemaRegistry === null ? null : new SchemaRegistry(() => registrySettings(schemaRegistry), new SystemClock());
  }

  /** Why a format cannot be read here. */
  readonly judge: JudgeFormat = (format) => formatProblem(format, this.registry !== null);

  readonly open: OpenFormat = ({ format, updates = false }: DeclaredSource) =>
    openNamed(format, this.registry, { updates });
}
