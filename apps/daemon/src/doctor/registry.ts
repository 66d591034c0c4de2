import { registrySettings, SchemaRegistry, UnavailableError } from '#events/formats';

import type { Given } from './checks.js';
import { connectMs } from './checks.js';
import type { Finding } from './finding.js';
import { failed, ok } from './finding.js';

const registryName = 'kafka.registry';
/** One request; a token and the request after it may come too late. */
const answerMs = connectMs - 500;

export const registryRemedy =
  'Partitions whose records need a schema that we have not read yet wait for it; others go on, and nothing is set aside. Check ' +
  'SCHEMA_REGISTRY_* and try it by hand: curl -v SCHEMA_REGISTRY_URL/schemas/types';

/** Whether the schema registry is one, and lets us in. */
export async function checkRegistry({ environment, clock }: Given): Promise<readonly Finding[]> {
  const { schemaRegistry } = environment;
  if (schemaRegistry === null) return [];
  const settings = registrySettings(schemaRegistry);
  const timeoutMs = Math.min(settings.timeoutMs, answerMs);
  try {
    await new SchemaRegistry(() => ({ ...settings, timeoutMs }), clock).probe();
    return [ok(registryName, `${new URL(settings.url).host} answers`)];
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error;
    const detail = `${new URL(settings.url).host} cannot be used: ${error.message}`;
    return [failed(registryName, { detail, remedy: registryRemedy })];
  }
}
