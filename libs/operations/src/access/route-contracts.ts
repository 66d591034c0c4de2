import type { ApiRoute } from '#contracts';
import { API_ROUTES, ROOT_ROUTES } from '#contracts';
import { SafeError } from '#platform';

/** Below this path lies everything but probes, metrics and the description of the API. */
export const apiPath = 'api/v1';

/** `GET /api/v1/intents/:id`, as the server names its routes. */
function keyOf({ method, path }: ApiRoute, below: string): string {
  return `${method.toUpperCase()} ${below}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
}

const contracts = new Map([
  ...API_ROUTES.map((route) => [keyOf(route, `/${apiPath}`), route] as const),
  ...ROOT_ROUTES.map((route) => [keyOf(route, ''), route] as const),
]);

/** The contract of a route, by what the server calls it; undefined: nobody has declared it, and nobody may use it. */
export function contractOf(method: string, url: string | undefined): ApiRoute | undefined {
  return contracts.get(`${method === 'HEAD' ? 'GET' : method} ${url ?? ''}`);
}

/** @throws where a route of ours is not declared: who may use it is said in the contracts, and nowhere else */
export function declaredContract(method: string, url: string): ApiRoute {
  const contract = contractOf(method, url);
  if (contract === undefined) throw new SafeError(`${method} ${url} is served, but not declared in the contracts`);
  return contract;
}
