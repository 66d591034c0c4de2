import { waitUntil } from '#embedded';
import { kafkaClient } from '#test-support';

import { runSql } from '../../chaos/verdict/run-sql.js';
import { groupId, type SoakHouse } from '../installation/soak-house.js';

/** What processes leave behind when they have all been told to stop; each should be 0. */
export type Leftovers = Readonly<Record<string, number>>;

const closedMsMax = 20_000;

const connectionsText = `SELECT count(*)::int AS count FROM pg_stat_activity
  WHERE application_name LIKE 'loyaltyd%' AND pid <> pg_backend_pid()`;

const leasesText = `SELECT
  (SELECT count(*)::int FROM lane WHERE owner IS NOT NULL) AS "lanes leased",
  (SELECT count(*)::int FROM lane WHERE attempt_open) AS "attempts open",
  (SELECT count(*)::int FROM projection_checkpoint WHERE owner IS NOT NULL) AS "checkpoints leased",
  (SELECT count(*)::int FROM replica) AS replicas,
  (SELECT count(*)::int FROM daemon_process) AS processes`;

/** Of the daemons, to Postgres. */
export async function connectionsOf({ postgres }: SoakHouse): Promise<number> {
  const [row] = await runSql<{ count: number }>(postgres.url, connectionsText);
  return row?.count ?? NaN;
}

async function groupMembers({ broker }: SoakHouse): Promise<number> {
  const admin = kafkaClient(broker).admin();
  await admin.connect();
  try {
    const { groups } = await admin.describeGroups([groupId]);
    return groups.reduce((sum, { members }) => sum + members.length, 0);
  } finally {
    await admin.disconnect();
  }
}

/** To be asked when every daemon has ended. */
export async function leftovers(house: SoakHouse): Promise<Leftovers> {
  // A backend notices a moment later that its client is gone.
  const isClosed = async (): Promise<boolean> => (await connectionsOf(house)) === 0;
  await waitUntil(isClosed, { what: 'connections to close', timeoutMs: closedMsMax }).catch(() => undefined);
  const [leases] = await runSql<Record<string, number>>(house.postgres.url, leasesText);
  return {
    'connections to Postgres': await connectionsOf(house),
    ...leases,
    'members of the consumer group': await groupMembers(house),
  };
}
