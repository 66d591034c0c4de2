import { hostname } from 'node:os';

import type { Environment, TracingEnvironment } from '#contracts';
import { parsePairs } from '#contracts';
import type { Logger, Tracing } from '#platform';
import { openTracing } from '#platform';

import type { LiveEnvironment } from './environment/live-environment.js';

const tracesPath = '/v1/traces';

type Headers = Readonly<Record<string, string>>;

/** What is in force now, as of all secrets: their files are followed elsewhere, so an export reads none. */
export function currentHeaders({ current }: Pick<LiveEnvironment, 'current'>): Headers {
  return parsePairs(current.tracing?.headers?.value ?? '') ?? {};
}

function resourceOf({ roles }: Environment, tracing: TracingEnvironment): Readonly<Record<string, string>> {
  return {
    'service.name': 'loyaltyd',
    'service.instance.id': `${hostname()}:${process.pid}`,
    'loyaltyd.roles': roles.join(','),
    ...tracing.resourceAttributes,
    ...(tracing.serviceName === null ? {} : { 'service.name': tracing.serviceName }),
  };
}

/** The traces of this process: none, and nothing loaded for them, unless an endpoint is configured. */
export function startTracing(live: Pick<LiveEnvironment, 'current'>, logger: Logger): Promise<Tracing> {
  const environment = live.current;
  const { tracing } = environment;
  if (tracing === null) return openTracing(null, logger);
  const { endpoint, sampling } = tracing;
  const resource = resourceOf(environment, tracing);
  const url = `${endpoint}${tracesPath}`;
  return openTracing({ url, headers: () => currentHeaders(live), sampling, resource }, logger);
}
