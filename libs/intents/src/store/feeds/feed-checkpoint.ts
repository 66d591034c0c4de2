import type { Database, SqlStatement } from '#platform';

import type { PositionSequence } from '../events/final-position.js';
import { timestamp } from '../events/stored-event.js';

/** What is published: its row in `projection_checkpoint`, and what its positions come from. */
export interface FeedName {
  readonly name: 'outcomes' | 'audit';
  readonly sequence: PositionSequence;
}

/** Who reads, and until when. */
interface CheckpointLease {
  readonly owner: string;
  readonly leaseUntil: number;
  readonly now: number;
}

const leaseStatement: SqlStatement = {
  name: 'lease_feed',
  text: `
UPDATE projection_checkpoint SET owner = $1::uuid, leased_until = $2::timestamptz
WHERE name = $4 AND pos IS NOT NULL AND (owner IS NULL OR owner = $1::uuid OR leased_until < $3::timestamptz)
RETURNING pos`,
};

/** The server is asked for at the same moment: a promoted standby may not know what the old server has shown us. */
const moveStatement: SqlStatement = {
  name: 'move_feed',
  text: `
UPDATE projection_checkpoint SET pos = $1, leased_until = $2::timestamptz
WHERE name = $6 AND pos = $3 AND owner = $4::uuid
  AND extract(epoch FROM pg_postmaster_start_time())::text = $5`,
};

const releaseStatement: SqlStatement = {
  name: 'release_feed',
  text: `UPDATE projection_checkpoint SET owner = NULL, leased_until = NULL WHERE name = $2 AND owner = $1::uuid`,
};

const switchOnStatement = (sequence: PositionSequence): SqlStatement => ({
  name: `switch_feed_on_${sequence}`,
  text: `
UPDATE projection_checkpoint SET pos = (SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM ${sequence})
WHERE name = $1 AND pos IS NULL`,
});

const switchOffStatement: SqlStatement = {
  name: 'switch_feed_off',
  text: `UPDATE projection_checkpoint SET pos = NULL, owner = NULL, leased_until = NULL WHERE name = $1 AND pos IS NOT NULL`,
};

/** @returns where the reading goes on; null when another process reads, or none shall */
export async function leaseFeed(database: Database, name: string, lease: CheckpointLease): Promise<number | null> {
  const { owner, leaseUntil, now } = lease;
  const parameters = [owner, timestamp(leaseUntil), timestamp(now), name];
  const { rows } = await database.execute<{ pos: number }>(leaseStatement, parameters);
  return rows[0]?.pos ?? null;
}

/** Everything up to `to` has been published. @returns false when the lease, the place or the server is not ours any more */
export async function moveFeed(
  database: Database,
  name: string,
  move: Pick<CheckpointLease, 'owner' | 'leaseUntil'> & {
    readonly from: number;
    readonly to: number;
    readonly server: string;
  },
): Promise<boolean> {
  const parameters = [move.to, timestamp(move.leaseUntil), move.from, move.owner, move.server, name];
  return (await database.execute(moveStatement, parameters)).rowCount === 1;
}

/** Gives the reading back, so that another process need not wait for the lease to end. */
export async function releaseFeed(database: Database, name: string, owner: string): Promise<void> {
  await database.execute(releaseStatement, [owner, name]);
}

/**
 * Whether the topic is published: switched off nothing is owed; switched on again it begins with what happens from then
 * on. On a database set up with it on, it has been on since the first event.
 */
export async function switchFeed(database: Database, { name, sequence }: FeedName, isOn: boolean): Promise<void> {
  await database.execute(isOn ? switchOnStatement(sequence) : switchOffStatement, [name]);
}
