import { readFileSync } from 'node:fs';

import type { DeclaredSource } from '#contracts';
import { readEnvironmentParts } from '#contracts';
import type { JudgeFormat, OpenFormat } from '#events';
import {
  FORMAT_NAMES,
  type FormatName,
  needsRegistry,
  openFormat,
  registrySettings,
  SchemaRegistry,
} from '#events/formats';
import { SystemClock } from '#platform';

const isFormat = (name: string): name is FormatName => FORMAT_NAMES.some((format) => format === name);

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
  readonly judge: JudgeFormat = (format) => {
    if (!isFormat(format)) return `must be one of cloudevents, ${FORMAT_NAMES.join(', ')}`;
    return needsRegistry(format) && this.registry === null ? 'needs SCHEMA_REGISTRY_URL' : null;
  };

  readonly open: OpenFormat = ({ format, updates = false }: DeclaredSource) => {
    if (!isFormat(format)) throw new Error('an unknown format passed the judge');
    return openFormat(format, this.registry, { updates });
  };
}
