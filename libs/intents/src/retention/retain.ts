import type { Clock, Database, Random } from '#platform';

import { compactPartitions } from '../partitions/compact-partitions.js';
import { cancelForgottenPlans } from './cancel-forgotten-plans.js';
import { dropJobs } from './drop-jobs.js';
import { dropQuarantined } from './drop-quarantined.js';
import { dropReplays } from './drop-replays.js';
import { findReadPosition } from './find-limits.js';
import { forgetIdentities } from './forget-identities.js';
import { endRetention, leaseRetention, releaseRetention, renewRetention, retentionLeaseMs } from './lease-retention.js';
import { retainIntents } from './retain-intents.js';
import type { RetentionHold } from './retention-hold.js';
import { fenceRetention, RetentionStoppedError } from './retention-hold.js';
import type { RetentionPolicy, RetentionReport } from './retention-policy.js';
import { dayMs, nothingRetained } from './retention-policy.js';

/** Partitions smaller than that are left as they are. */
const compactBytesMin = 64 * 1_048_576;

export interface RetentionTools {
  readonly database: Database;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
  /** Aborted when the process is to end. */
  readonly signal?: AbortSignal;
}

/**
 * Carries out what the policy says, one process at a time. A run that ends early leaves nothing half done, and the next one
 * does the rest.
 * @param everyMs how long after the last whole run began the next one is due; 0: at once
 * @returns null when none is due, or another process is at it
 * @throws {RetentionStoppedError | DatabaseError}, or what the folder of the archives throws
 */
export async function retain(
  tools: RetentionTools,
  policy: RetentionPolicy,
  everyMs: number,
): Promise<RetentionReport | null> {
  const { database, clock, random } = tools;
  const owner = random.uuid();
  const now = clock.now();
  if (!(await leaseRetention(database, { owner, now, since: now - everyMs }))) return null;
  try {
    const report = await carryOut(tools, policy, {
      stillOurs: leaseKeeper(tools, owner),
      fence: (session) => fenceRetention(session, owner),
    });
    await endRetention(database, { owner, now: clock.now(), report });
    return report;
  } catch (error) {
    await releaseRetention(database, owner).catch(() => undefined);
    throw error;
  }
}

/** Renews the lease when half of it has gone by. */
function leaseKeeper({ database, clock, signal }: RetentionTools, owner: string): () => Promise<void> {
  let renewedAt = clock.now();
  return async () => {
    if (signal?.aborted === true) throw new RetentionStoppedError('the process ends');
    const now = clock.now();
    if (now - renewedAt < retentionLeaseMs / 2) return;
    if (!(await renewRetention(database, owner, now))) {
      throw new RetentionStoppedError('another process has taken over');
    }
    renewedAt = now;
  };
}

async function carryOut(tools: RetentionTools, policy: RetentionPolicy, hold: RetentionHold): Promise<RetentionReport> {
  const { database, clock, random } = tools;
  const { stillOurs } = hold;
  const { intentDays, dedupDays, archiveFolder: folder } = policy;
  const intents =
    intentDays > 0 && folder !== null
      ? await retainIntents({ database, clock, random, folder, ...hold }, intentDays)
      : {};
  const identities = dedupDays > 0 ? await forgetIdentities(database, clock.now() - dedupDays * dayMs, stillOurs) : 0;
  const dealtWith = await dropDealtWith(tools, policy, stillOurs);
  const limits = { finalPosition: await findReadPosition(database), bytesMin: compactBytesMin };
  const partitions = intentDays > 0 ? await compactPartitions(database, limits, hold) : [];
  return { ...nothingRetained, ...intents, identities, ...dealtWith, partitions };
}

type DealtWith = Pick<RetentionReport, 'quarantined' | 'jobs' | 'replays'>;

/** What people have dealt with, and what became of what they asked for. */
async function dropDealtWith(
  { database, clock }: RetentionTools,
  { quarantineDays, jobDays, hasDeadLetters }: RetentionPolicy,
  stillOurs: () => Promise<void>,
): Promise<DealtWith> {
  const now = clock.now();
  const settled = { before: now - quarantineDays * dayMs, hasDeadLetters };
  const quarantined = quarantineDays > 0 ? await dropQuarantined(database, settled, stillOurs) : 0;
  if (jobDays === 0) return { quarantined, jobs: 0, replays: 0 };
  const before = now - jobDays * dayMs;
  const jobs = await dropJobs(database, before, stillOurs);
  const replays = await dropReplays(database, before, stillOurs);
  await cancelForgottenPlans(database, { createdBefore: before, now }, stillOurs);
  return { quarantined, jobs, replays };
}
