import type { InspectedConnections } from '#platform';

import type { Finding } from '../finding.js';
import { failed, ok, warning } from '../finding.js';

const name = 'postgres.connections';
/** So much of what there is, and the next restart may find nothing. */
const fullShare = 0.95;

/** How many connections may be ours at most. */
function roomOf({ allowed, reserved, roleLimit, databaseLimit }: InspectedConnections): number {
  return Math.min(allowed - reserved, roleLimit ?? Infinity, databaseLimit ?? Infinity);
}

/** The pools of all processes, against what the server lets in. */
export function judgeRoom(
  connections: InspectedConnections,
  { poolSize, processes }: { readonly poolSize: number; readonly processes: number },
): Finding {
  const { allowed, reserved, used } = connections;
  const room = roomOf(connections);
  const wanted = poolSize * processes;
  const text = `${used} of ${allowed} in use (${reserved} reserved); ours: ${processes} x DATABASE_POOL_SIZE ${poolSize} = ${wanted}, room for ${room}`;
  if (used >= fullShare * allowed) {
    const remedy =
      'See who holds them: SELECT application_name, state, count(*) FROM pg_stat_activity GROUP BY 1, 2. End what is idle, or raise max_connections.';
    return failed(name, { detail: text, remedy });
  }
  if (wanted > room) {
    const remedy =
      'Lower DATABASE_POOL_SIZE (10 is plenty), run fewer processes, or raise max_connections and the limits of role and database.';
    return warning(name, { detail: text, remedy });
  }
  return ok(name, text);
}
