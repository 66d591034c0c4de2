import type { ArchiveTools } from './archive-leaving.js';
import { archiveLeaving } from './archive-leaving.js';
import { findHolder, findReadPosition } from './find-limits.js';
import type { RecordingPlace } from './find-leaving-lanes.js';
import { oldestRecording } from './find-leaving-lanes.js';
import type { ArchivedLane } from './purge-lane.js';
import { purgeLane } from './purge-lane.js';
import type { RetentionReport } from './retention-policy.js';
import { dayMs } from './retention-policy.js';

type IntentsReport = Pick<RetentionReport, 'intents' | 'facts' | 'files' | 'lanesBusy' | 'lanesDiffering' | 'heldBy'>;

type Counts = { -readonly [Count in 'intents' | 'facts' | 'lanesBusy' | 'lanesDiffering']: number };

/** Writes what is old enough into files, and lets it leave. What is written and does not leave is written again next time. */
export async function retainIntents(tools: ArchiveTools, intentDays: number): Promise<IntentsReport> {
  const counts: Counts = { intents: 0, facts: 0, lanesBusy: 0, lanesDiffering: 0 };
  const files: string[] = [];
  const heldBy = await findHolder(tools.database);
  if (heldBy !== null) return { ...counts, files, heldBy };
  const before = tools.clock.now() - intentDays * dayMs;
  for (let after: RecordingPlace | null = oldestRecording; after !== null;) {
    const limits = { before, upTo: await findReadPosition(tools.database) };
    const { file, lanes, gathered } = await archiveLeaving(tools, { limits, after });
    if (file !== null) files.push(file);
    counts.lanesDiffering += gathered.lanesDiffering;
    for (const lane of lanes) await purge(lane, { counts, limits, tools });
    after = gathered.next;
  }
  return { ...counts, files, heldBy: null };
}

async function purge(
  lane: ArchivedLane,
  {
    counts,
    limits,
    tools,
  }: {
    readonly counts: Counts;
    readonly limits: { readonly before: number; readonly upTo: number };
    readonly tools: ArchiveTools;
  },
): Promise<void> {
  await tools.stillOurs();
  const result = await purgeLane(tools.database, lane, { ...limits, now: tools.clock.now() });
  if (result.kind === 'purged') {
    counts.intents += result.intents;
    counts.facts += result.facts;
  } else if (result.kind === 'busy') counts.lanesBusy += 1;
  else counts.lanesDiffering += 1;
}
