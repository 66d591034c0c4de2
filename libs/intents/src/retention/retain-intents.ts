import { DatabaseError } from '#platform';

import type { ArchiveTools } from './archive-leaving.js';
import { archiveLeaving } from './archive-leaving.js';
import { findHolder, findReadPosition } from './find-limits.js';
import type { RecordingPlace } from './find-leaving-lanes.js';
import { oldestRecording } from './find-leaving-lanes.js';
import type { ArchivedLane, PurgeRequest, PurgeResult } from './purge-lane.js';
import { purgeLane } from './purge-lane.js';
import type { RetentionHold } from './retention-hold.js';
import { RetentionStoppedError } from './retention-hold.js';
import type { RetentionReport } from './retention-policy.js';
import { dayMs, nothingRetained } from './retention-policy.js';

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
    const { file, lanes, gathered } = await archiveLeaving(tools, { limits, after });
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
