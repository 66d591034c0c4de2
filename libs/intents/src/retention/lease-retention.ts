import type { Database, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';
import type { RetentionReport } from './retention-policy.js';

/** A process that was not heard of for so long is not at it any more; each step is far shorter. */
export const retentionLeaseMs = 120_000;

const leaseStatement: SqlStatement = {
  name: 'lease_retention',
  text: `
UPDATE retention_run SET owner = $1::uuid, leased_until = $2::timestamptz, began_at = $3::timestamptz
WHERE (owner IS NULL OR leased_until < $3::timestamptz)
  AND (began_at IS NULL OR began_at <= $4::timestamptz OR ended_at IS NULL OR ended_at < began_at)`,
};

const renewStatement: SqlStatement = {
  name: 'renew_retention',
  text: `UPDATE retention_run SET leased_until = $2::timestamptz WHERE owner = $1::uuid`,
};

const endStatement: SqlStatement = {
  name: 'end_retention',
  text: `
UPDATE retention_run SET owner = NULL, leased_until = NULL, ended_at = $2::timestamptz, report = $3::jsonb
WHERE owner = $1::uuid`,
};

const releaseStatement: SqlStatement = {
  name: 'release_retention',
  text: `UPDATE retention_run SET owner = NULL, leased_until = NULL WHERE owner = $1::uuid`,
};

/** Takes a run where none is under way, and the last whole one began before `since`. @returns false where not */
export async function leaseRetention(
  database: Database,
  { owner, now, since }: { readonly owner: string; readonly now: number; readonly since: number },
): Promise<boolean> {
  const until = timestamp(now + retentionLeaseMs);
  return (await database.execute(leaseStatement, [owner, until, timestamp(now), timestamp(since)])).rowCount > 0;
}

/** @returns false when the run is somebody else's by now */
export async function renewRetention(database: Database, owner: string, now: number): Promise<boolean> {
  return (await database.execute(renewStatement, [owner, timestamp(now + retentionLeaseMs)])).rowCount > 0;
}

export async function endRetention(
  database: Database,
  { owner, now, report }: { readonly owner: string; readonly now: number; readonly report: RetentionReport },
): Promise<void> {
  await database.execute(endStatement, [owner, timestamp(now), JSON.stringify(report)]);
}

/** Another process may take up at once what was not finished. */
export async function releaseRetention(database: Database, owner: string): Promise<void> {
  await database.execute(releaseStatement, [owner]);
}
