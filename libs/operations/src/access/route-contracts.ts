import { NotFoundException } from '@nestjs/common';

import type { ApiRoute } from '#contracts';
import { API_ROUTES, CONSOLE_ROUTES, ROOT_ROUTES } from '#contracts';
import { SafeError } from '#platform';

import type { AccessSettings } from '../api-settings.js';

/** Below this path lies everything but probes, metrics and the description of the API. */
export const apiPath = 'api/v1';

/** `GET /api/v1/intents/:id`, as the server names its routes. */
function keyOf({ method, path }: ApiRoute, below: string): string {
  return `${method.toUpperCase()} ${below}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
}

const contracts = new Map([
  ...API_ROUTES.map((route) => [keyOf(route, `/${apiPath}`), route] as const),
  ...[...ROOT_ROUTES, ...CONSOLE_ROUTES].map((route) => [keyOf(route, ''), route] as const),
]);

function contractOf(method: string, url: string): ApiRoute | undefined {
  return contracts.get(`${method === 'HEAD' ? 'GET' : method} ${url}`);
}

/** @throws where a route of ours is not declared: who may use it is said in the contracts, and nowhere else */
export function declaredContract(method: string, url: string): ApiRoute {
  const contract = contractOf(method, url);
  if (contract === undefined) throw new SafeError(`${method} ${url} is served, but not declared in the contracts`);
  return contract;
}

/** A request to a route that the server knows, by its own name for it. */
interface Routed {
  readonly method: string;
  readonly routeOptions: { readonly url?: string | undefined };
}

/**
 * What a request has to keep to.
 * @throws {NotFoundException} where nobody has declared its route, or it is closed
 */
export function contractFor({ method, routeOptions }: Routed, { metrics }: Pick<AccessSettings, 'metrics'>): ApiRoute {
  const contract = contractOf(method, routeOptions.url ?? '');
  if (contract === undefined) throw new NotFoundException();
  if (contract.isMetrics === undefined || metrics === 'open') return contract;
  if (metrics === 'off') throw new NotFoundException();
  return { ...contract, role: 'viewer' };
}
