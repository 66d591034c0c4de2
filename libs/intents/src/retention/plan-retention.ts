import type { Clock, Database } from '#platform';

import { findHolder, findReadPosition } from './find-limits.js';
import { oldestRecording } from './find-leaving-lanes.js';
import { gatherLeaving } from './gather-leaving.js';
import type { RetentionReport } from './retention-policy.js';
import { dayMs } from './retention-policy.js';

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
  const { intents, facts, lanesDiffering } = await gatherLeaving(database, request);
  const heldBy = await database.transaction('find_holder', findHolder);
  return { intents, facts, lanesDiffering, heldBy };
}
