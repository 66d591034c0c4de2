import { keepCounts } from './keep-counts.js';
import { leaseResting } from './lease-resting.js';
import type { ReplayTools } from './replay-step.js';
import { settleItems } from './settle-items.js';

/**
 * Notes what came of the items that were sent before their replay was paused, stopped, cancelled or done: what was sent
 * stays sent, and comes to its own end.
 */
export async function settleResting({ database, clock, onReplayItems }: ReplayTools): Promise<void> {
  for (const replayId of await leaseResting(database, clock.now())) {
    for (const [state, count] of await settleItems(database, replayId)) onReplayItems?.(state, count);
    await keepCounts(database, replayId);
  }
}
