import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

import type { Environment, Secret, TracingEnvironment } from '#contracts';
import { parsePairs } from '#contracts';
import type { Logger, Tracing } from '#platform';
import { openTracing } from '#platform';

/** How long a stop waits for a collector to take what is left: a small part of the grace, for it may be away. */
export const tracingCloseMsMax = 2_000;

const tracesPath = '/v1/traces';

type Headers = Readonly<Record<string, string>>;

function readHeaders({ value, file }: Secret): Headers {
  return parsePairs(file === null ? value : readFileSync(file, 'utf8').trim()) ?? {};
}

/** Secrets that were renewed are used from the next export on; where the file cannot be read the last ones serve. */
function currentHeaders(secret: Secret | null): () => Headers {
  let last = secret === null ? {} : (parsePairs(secret.value) ?? {});
  return () => {
    try {
      if (secret !== null) last = readHeaders(secret);
    } catch {
      // A file in the middle of its replacement.
    }
    return last;
  };
}

function resourceOf({ roles, cell }: Environment, tracing: TracingEnvironment): Readonly<Record<string, string>> {
  return {
    'service.name': 'loyaltyd',
    'service.instance.id': `${hostname()}:${process.pid}`,
    'loyaltyd.roles': roles.join(','),
    'loyaltyd.cell': `${cell.index}/${cell.count}`,
    ...tracing.resourceAttributes,
    ...(tracing.serviceName === null ? {} : { 'service.name': tracing.serviceName }),
  };
}

/** The traces of this process: none, and nothing loaded for them, unless an endpoint is configured. */
export function startTracing(environment: Environment, logger: Logger): Promise<Tracing> {
  const { tracing } = environment;
  if (tracing === null) return openTracing(null, logger);
  const { endpoint, headers, sampling } = tracing;
  const resource = resourceOf(environment, tracing);
  const url = `${endpoint}${tracesPath}`;
  return openTracing({ url, headers: currentHeaders(headers), sampling, resource }, logger);
}
