import type { Clock, Database, Random } from '#platform';
import { DatabaseError } from '#platform';

import { compactPartitions } from '../partitions/compact-partitions.js';
import type { ArchiveTools } from './archive-intents.js';
import { archiveExpiring } from './archive-intents.js';
import { dropDealtWith, forgetIdentities } from './drop-expired.js';
import type { RecordingPlace } from './expiring-intents.js';
import { findHolder, findReadPosition, gatherExpiring, oldestRecording } from './expiring-intents.js';
import type { ArchivedLane, PurgeRequest, PurgeResult } from './purge-lane.js';
import { purgeLane } from './purge-lane.js';
import type { RetentionHold, RetentionPolicy, RetentionReport } from './retention-run.js';
import {
  dayMs,
  endRetention,
  fenceRetention,
  leaseRetention,
  nothingRetained,
  releaseRetention,
  renewRetention,
  retentionLeaseMs,
  RetentionStoppedError,
} from './retention-run.js';

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

type Tools = ArchiveTools & RetentionHold;
type Counts = { -readonly [Key in keyof RetentionReport]: RetentionReport[Key] };

/** Writes what is old enough into files, and lets it leave. What is written and does not leave is written again next time. */
export async function retainIntents(tools: Tools, intentDays: number): Promise<RetentionReport> {
  const { database, clock, fence } = tools;
  const files: string[] = [];
  const report: Counts = { ...nothingRetained, files, heldBy: await database.transaction('find_holder', findHolder) };
  const before = clock.now() - intentDays * dayMs;
  for (let after: RecordingPlace | null = oldestRecording; after !== null && report.heldBy === null;) {
    const limits = { before, upTo: await findReadPosition(database) };
    const { file, lanes, gathered } = await archiveExpiring(tools, { limits, after });
    if (file !== null) files.push(file);
    report.lanesDiffering += gathered.lanesDiffering;
    for (const lane of lanes) await purge(tools, lane, { request: { limits, now: clock.now(), fence }, report });
    after = gathered.next;
  }
  return report;
}

async function purge(
  { database, stillOurs }: Tools,
  lane: ArchivedLane,
  { request, report }: { readonly request: PurgeRequest; readonly report: Counts },
): Promise<void> {
  if (report.heldBy !== null) return;
  await stillOurs();
  try {
    count(report, await purgeLane(database, lane, request));
  } catch (error) {
    if (concernsAll(error)) throw error;
    report.lanesFailed += 1;
    report.failure ??= error instanceof Error ? error.message : 'unknown error';
  }
}

/** Not this lane alone: the run is over. */
function concernsAll(error: unknown): boolean {
  return error instanceof RetentionStoppedError || (error instanceof DatabaseError && error.kind === 'unavailable');
}

function count(report: Counts, result: PurgeResult): void {
  if (result.kind === 'purged') {
    report.intents += result.intents;
    report.facts += result.facts;
  } else if (result.kind === 'held') report.heldBy = result.heldBy;
  else if (result.kind === 'busy') report.lanesBusy += 1;
  else report.lanesDiffering += 1;
}

/** What would leave now. */
export type RetentionPlan = Pick<RetentionReport, 'intents' | 'facts' | 'lanesDiffering' | 'heldBy'>;

/** Counts what a run would write into files and let leave. Changes nothing. @param intentDays more than 0 */
export async function planRetention(
  { database, clock }: { readonly database: Database; readonly clock: Pick<Clock, 'now'> },
  intentDays: number,
): Promise<RetentionPlan> {
  const limits = { before: clock.now() - intentDays * dayMs, upTo: await findReadPosition(database) };
  const nothing = async (): Promise<void> => undefined;
  const request = { limits, after: oldestRecording, intentsMax: Infinity, take: nothing, stillOurs: nothing };
  const { intents, facts, lanesDiffering } = await gatherExpiring(database, request);
  const heldBy = await database.transaction('find_holder', findHolder);
  return { intents, facts, lanesDiffering, heldBy };
}
