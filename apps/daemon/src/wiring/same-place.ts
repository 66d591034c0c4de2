import type { Environment } from '#contracts';

import type { FileGuard, LiveEnvironment } from '../environment/live-environment.js';

const postgresPort = '5432';

/** Where the database is: everything but who asks. */
function placeOf({ database }: Pick<Environment, 'database'>): string | null {
  const url = URL.parse(database?.url.value ?? '');
  return url === null ? null : `${url.hostname}:${url.port || postgresPort}${url.pathname}${url.search}`;
}

/** A pool on two databases would write half of what belongs together to each. */
export function samePlace(live: Pick<LiveEnvironment, 'current'>): FileGuard {
  const place = placeOf(live.current);
  return (next) =>
    Promise.resolve(placeOf(next) === place ? null : 'it names another server or database: that needs a restart');
}
