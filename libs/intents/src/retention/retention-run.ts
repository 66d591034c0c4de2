import type { Database, SqlSession, SqlStatement } from '#platform';
import { SafeError } from '#platform';

import { timestamp } from '../events/stored-event.js';

export const dayMs = 86_400_000;

/** How long what is kept; days, 0: for ever. */
export interface RetentionPolicy {
  /** Delivered and cancelled intents, since the last that happened to them. */
  readonly intentDays: number;
  /** Identities of events and business keys of which no intent is left. */
  readonly dedupDays: number;
  /** Records set aside, since somebody has dealt with them. */
  readonly quarantineDays: number;
  /** Jobs, since they were over. */
  readonly jobDays: number;
  /** False: no dead letter is published any more; one that waits in vain leaves with its record. */
  readonly hasDeadLetters: boolean;
  /** Where files of what leaves are written; null only where no intent leaves. */
  readonly archiveFolder: string | null;
}

/** What a run came to. */
export interface RetentionReport {
  readonly intents: number;
  readonly facts: number;
  readonly files: readonly string[];
  /** Lanes left for another run: leased, or moved on meanwhile. */
  readonly lanesBusy: number;
  /** Lanes whose truth does not add up to their row: nothing of them leaves. Must be 0. */
  readonly lanesDiffering: number;
  /** Lanes that stay as they were because letting something leave them failed. Must be 0. */
  readonly lanesFailed: number;
  /** What the first of them failed with. */
  readonly failure: string | null;
  readonly identities: number;
  readonly quarantined: number;
  readonly jobs: number;
  /** Partitions that were dropped, or written anew without what has left. */
  readonly partitions: readonly string[];
  /** Why no intent left, or no further one; null: the policy was carried out. */
  readonly heldBy: string | null;
}

export const nothingRetained: RetentionReport = {
  intents: 0,
  facts: 0,
  files: [],
  lanesBusy: 0,
  lanesDiffering: 0,
  lanesFailed: 0,
  failure: null,
  identities: 0,
  quarantined: 0,
  jobs: 0,
  partitions: [],
  heldBy: null,
};

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

/** Another process has taken over the run, or this one is to end. */
export class RetentionStoppedError extends SafeError {
  override readonly name = 'RetentionStoppedError';
}

/** A run that is ours until somebody takes it over. Both throw {@link RetentionStoppedError} where it is not. */
export interface RetentionHold {
  /** Between two steps: renews it now and then. */
  readonly stillOurs: () => Promise<void>;
  /** First in a transaction that must not be another's: nobody takes the run over before that transaction has ended. */
  readonly fence: (session: Pick<SqlSession, 'query'>) => Promise<void>;
}

/** Whoever takes over has a name of their own: while it is ours still, nobody else was at it since we began. */
const fenceStatement: SqlStatement = {
  name: 'fence_retention',
  isRead: true,
  text: 'SELECT FROM retention_run WHERE owner = $1::uuid FOR UPDATE',
};

/** A lease that has run out does not say that somebody took it; this does. */
export async function fenceRetention(session: Pick<SqlSession, 'query'>, owner: string): Promise<void> {
  if ((await session.query(fenceStatement, [owner])).rowCount > 0) return;
  throw new RetentionStoppedError('another process has taken over');
}
