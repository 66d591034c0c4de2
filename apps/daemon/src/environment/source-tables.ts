import type { Environment } from '#contracts';
import { type JudgeFormat, type OpenFormat, SourceTables } from '#events';
import {
  FORMAT_NAMES,
  type FormatName,
  needsRegistry,
  openFormat,
  registrySettings,
  SchemaRegistry,
} from '#events/formats';
import { SystemClock } from '#platform';

import type { LiveEnvironment } from './live-environment.js';

const isFormat = (name: string): name is FormatName => FORMAT_NAMES.some((format) => format === name);

/** Why a source's format cannot be read in this process. */
export function formatJudge({ schemaRegistry }: Pick<Environment, 'schemaRegistry'>): JudgeFormat {
  return (format) => {
    if (!isFormat(format)) return `must be one of cloudevents, ${FORMAT_NAMES.join(', ')}`;
    return needsRegistry(format) && schemaRegistry === null ? 'needs SCHEMA_REGISTRY_URL' : null;
  };
}

function opener(live: LiveEnvironment): OpenFormat {
  const first = live.current.schemaRegistry;
  const settings = first === null ? null : () => registrySettings(live.current.schemaRegistry ?? first);
  const registry = settings === null ? null : new SchemaRegistry(settings, new SystemClock());
  return ({ format, updates = false }) => {
    if (!isFormat(format)) throw new Error('an unknown format passed the judge');
    return openFormat(format, registry, { updates });
  };
}

/** What comes by which topic, by any programs file. */
export function sourceTables(live: LiveEnvironment): SourceTables {
  const { kafka } = live.current;
  const { members, purchases, rewards, deadLetter = null, outcomes = null, audit = null } = kafka?.topics ?? {};
  const written = [deadLetter, outcomes, audit].filter((topic) => topic !== null);
  return new SourceTables({ topics: { members, purchases, rewards }, written, openFormat: opener(live) });
}
