import type { Environment } from '#contracts';
import { type JudgeFormat, type OpenFormat, SourceTables } from '#events';
import { formatProblem, openNamed, registrySettings, SchemaRegistry } from '#events/formats';
import { SystemClock } from '#platform';

import type { LiveEnvironment } from './live-environment.js';

/** Why a source's format cannot be read in this process. */
export function formatJudge({ schemaRegistry }: Pick<Environment, 'schemaRegistry'>): JudgeFormat {
  return (format) => formatProblem(format, schemaRegistry !== null);
}

function opener(live: LiveEnvironment): OpenFormat {
  const first = live.current.schemaRegistry;
  const settings = first === null ? null : () => registrySettings(live.current.schemaRegistry ?? first);
  const registry = settings === null ? null : new SchemaRegistry(settings, new SystemClock());
  return ({ format, updates = false }) => openNamed(format, registry, { updates });
}

/** What comes by which topic, by any programs file. */
export function sourceTables(live: LiveEnvironment): SourceTables {
  const { kafka } = live.current;
  const { members, purchases, rewards, deadLetter = null, outcomes = null, audit = null } = kafka?.topics ?? {};
  const written = [deadLetter, outcomes, audit].filter((topic) => topic !== null);
  return new SourceTables({ topics: { members, purchases, rewards }, written, openFormat: opener(live) });
}
