import type { Database, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';

/** Who reads, and until when. */
export interface CheckpointLease {
  readonly owner: string;
  readonly leaseUntil: number;
  readonly now: number;
}

const leaseStatement: SqlStatement = {
  name: 'lease_outcomes',
  text: `
UPDATE projection_checkpoint SET owner = $1::uuid, leased_until = $2::timestamptz
WHERE name = 'outcomes' AND pos IS NOT NULL AND (owner IS NULL OR owner = $1::uuid OR leased_until < $3::timestamptz)
RETURNING pos`,
};

/** The server is asked for at the same moment: a promoted standby may not know what the old server has shown us. */
const moveStatement: SqlStatement = {
  name: 'move_outcomes',
  text: `
UPDATE projection_checkpoint SET pos = $1, leased_until = $2::timestamptz
WHERE name = 'outcomes' AND pos = $3 AND owner = $4::uuid
  AND extract(epoch FROM pg_postmaster_start_time())::text = $5`,
};

const releaseStatement: SqlStatement = {
  name: 'release_outcomes',
  text: `UPDATE projection_checkpoint SET owner = NULL, leased_until = NULL WHERE name = 'outcomes' AND owner = $1::uuid`,
};

const switchOnStatement: SqlStatement = {
  name: 'switch_outcomes_on',
  text: `
UPDATE projection_checkpoint
SET pos = (SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM event_pos_seq)
WHERE name = 'outcomes' AND pos IS NULL`,
};

const switchOffStatement: SqlStatement = {
  name: 'switch_outcomes_off',
  text: `UPDATE projection_checkpoint SET pos = NULL, owner = NULL, leased_until = NULL WHERE name = 'outcomes' AND pos IS NOT NULL`,
};

/** @returns where the reading goes on; null when somebody else reads, or nobody shall */
export async function leaseOutcomes(database: Database, lease: CheckpointLease): Promise<number | null> {
  const { owner, leaseUntil, now } = lease;
  const { rows } = await database.execute<{ pos: number }>(leaseStatement, [
    owner,
    timestamp(leaseUntil),
    timestamp(now),
  ]);
  return rows[0]?.pos ?? null;
}

/** Everything up to `to` has been published. @returns false when the lease, the place or the server is not ours any more */
export async function moveOutcomes(
  database: Database,
  move: { readonly from: number; readonly to: number; readonly server: string },
  lease: CheckpointLease,
): Promise<boolean> {
  const { rowCount } = await database.execute(moveStatement, [
    move.to,
    timestamp(lease.leaseUntil),
    move.from,
    lease.owner,
    move.server,
  ]);
  return rowCount === 1;
}

/** Gives the reading back, so that another process need not wait for the lease to end. */
export async function releaseOutcomes(database: Database, owner: string): Promise<void> {
  await database.execute(releaseStatement, [owner]);
}

/**
 * `KAFKA_TOPIC_OUTCOMES`: switched off nothing is owed; switched on again it begins with what happens from then on. On
 * a database set up with it on, it has been on since the first event.
 */
export async function switchOutcomes(database: Database, isOn: boolean): Promise<void> {
  await database.execute(isOn ? switchOnStatement : switchOffStatement);
}
