import type { Clock, Database } from '#platform';

import type { MemberKeys } from '../keys/member-keys.js';
import { judgeCanary } from './canary.js';
import type { ReplayProgress } from './count-progress.js';
import { countProgress } from './count-progress.js';
import { endReplay } from './end-replay.js';
import type { NextItem } from './next-items.js';
import { nextItems } from './next-items.js';
import type { Replay, ReplayItemState } from './replay.js';
import { ItemTakenError, sendItem } from './send-item.js';
import { settleItems } from './settle-items.js';

/** Items of a replay under way at once, at most: what was sent yields to live traffic, and may take long. */
const underWayMax = 1_000;
/** Items sent in one step, at most: pauses and lost leases are seen after each. */
const stepItemsMax = 250;
/** Transactions at once: less than half of the connections, so that nobody else waits for one. */
const lanesAtOnceMax = 4;

export interface ReplayTools {
  readonly database: Database;
  readonly clock: Clock;
  readonly keys: MemberKeys;
  /** Told of items that have come to an end, for metrics. */
  readonly onReplayItems?: (state: ReplayItemState, count: number) => void;
}

/**
 * A turn of a leased replay: notes what came of the items that were sent, stops where they fail again, sends more.
 * @param budget how many the rate allows now
 * @returns how many were sent
 */
export async function replayStep(replay: Replay, budget: number, tools: ReplayTools): Promise<number> {
  const { database, clock } = tools;
  for (const [state, count] of await settleItems(database, replay.replayId)) tools.onReplayItems?.(state, count);
  const progress = await countProgress(database, replay.replayId);
  const allowance = await allowanceOf(replay, progress, tools);
  if (!progress.isWaiting && progress.underWay === 0) {
    await endReplay(database, { replayId: replay.replayId, because: null, now: clock.now() });
  }
  const limit = Math.floor(Math.min(budget, allowance, stepItemsMax, underWayMax - progress.underWay));
  return limit > 0 ? send(replay, limit, tools) : 0;
}

/** How many may be begun; 0 where the canary has stopped it. */
async function allowanceOf(
  replay: Replay,
  progress: ReplayProgress,
  { database, clock }: ReplayTools,
): Promise<number> {
  if (!replay.isCanary) return Infinity;
  const verdict = judgeCanary(progress);
  if (verdict.kind === 'go') return verdict.allowance;
  await endReplay(database, { replayId: replay.replayId, because: verdict.because, now: clock.now() });
  return 0;
}

/** Lanes side by side, each lane's items in their order. */
async function send(replay: Replay, limit: number, tools: ReplayTools): Promise<number> {
  const items = await nextItems(tools.database, replay.replayId, limit);
  const lanes = [...Map.groupBy(items, ({ laneId }) => laneId).values()];
  let sent = 0;
  for (let from = 0; from < lanes.length; from += lanesAtOnceMax) {
    const counts = await Promise.all(
      lanes.slice(from, from + lanesAtOnceMax).map((lane) => sendLane(replay, lane, tools)),
    );
    sent += counts.reduce((sum, count) => sum + count, 0);
  }
  return sent;
}

async function sendLane(
  replay: Replay,
  items: readonly NextItem[],
  { database, clock, keys, onReplayItems }: ReplayTools,
): Promise<number> {
  for (const [index, item] of items.entries()) {
    try {
      const state = await sendItem(database, { replay, item, now: clock.now() }, keys);
      if (state === 'refused') onReplayItems?.(state, 1);
    } catch (error) {
      if (error instanceof ItemTakenError) return index;
      throw error;
    }
  }
  return items.length;
}
