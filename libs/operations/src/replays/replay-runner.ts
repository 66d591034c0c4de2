import type { ActionResult, Alongside, MemberKeys, AuditContext } from '#intents';
import { actAlongside, replaysWithoutForceMax, timestamp } from '#intents';
import type { Clock, Database, Logger, Random, SqlSession, SqlStatement } from '#platform';
import { BackgroundLoop } from '#platform';

import type { NextItem, ReplayProgress } from './replay-progress.js';
import {
  countProgress,
  endReplay,
  isHeldUp,
  keepCounts,
  leaseReplays,
  leaseInactive,
  nextItems,
  settleItems,
} from './replay-progress.js';
import type { Replay, ReplayItemState } from './replay-store.js';

/** How many items a canary sends before it looks at what came of them: one, ten more, then the rest. */
const stages = [1, 11] as const;
/** From so many on, the rest is stopped where more than half of what was sent fails again. */
const canaryRestMin = 50;
/** Of the second stage: more failures than these stop it. */
const secondStageFailuresMax = 1;

/** What came of the items since the canary began. */
interface CanaryCounts {
  /** What we refused to send does not count. */
  readonly begun: number;
  /** What it came of is known. */
  readonly settled: number;
  /** Parked again. */
  readonly failed: number;
}

type CanaryVerdict =
  | { readonly kind: 'go'; /** How many may be begun now. */ readonly allowance: number }
  | { readonly kind: 'stop'; readonly because: string };

function isFailing({ begun, settled, failed }: CanaryCounts): boolean {
  if (begun <= stages[0]) return failed > 0;
  if (begun <= stages[1]) return failed > secondStageFailuresMax;
  return settled >= canaryRestMin && failed * 2 > settled;
}

function failedAgain(failed: number, settled: number): string {
  return settled === 1
    ? 'the one that was sent failed again'
    : `${failed} of the ${settled} that were sent failed again`;
}

/** Whether a replay goes on, and how far. Pure. */
export function judgeCanary(counts: CanaryCounts): CanaryVerdict {
  const { begun, settled, failed } = counts;
  if (isFailing(counts)) return { kind: 'stop', because: failedAgain(failed, settled) };
  const stage = stages.find((size) => begun < size || settled < size);
  return { kind: 'go', allowance: stage === undefined ? Infinity : Math.max(0, stage - begun) };
}

/** Replays whose budgets one process keeps; of more, whoever had a turn longest ago begins anew. */
export const budgetsMax = 256;
/** What a replay may send at once after a pause: this many seconds' worth. */
const burstSeconds = 1;

/** What the rate of a replay allows, by our own monotonic clock. */
class Budget {
  private tokens = 1;
  private at: number;

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {
    this.at = clock.monotonic();
  }

  available(ratePerSecond: number): number {
    const now = this.clock.monotonic();
    const most = Math.max(1, ratePerSecond * burstSeconds);
    this.tokens = Math.min(most, this.tokens + ((now - this.at) / 1_000) * ratePerSecond);
    this.at = now;
    return this.tokens;
  }

  spend(count: number): void {
    this.tokens -= count;
  }
}

/** The budgets of replays, also of those that have no turn now: coming back is no new beginning. */
export class RateBudgets {
  private readonly budgets = new Map<string, Budget>();

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  of(replayId: string): Budget {
    const budget = this.budgets.get(replayId) ?? new Budget(this.clock);
    this.budgets.delete(replayId);
    this.budgets.set(replayId, budget);
    const [oldest] = this.budgets.keys();
    if (this.budgets.size > budgetsMax && oldest !== undefined) this.budgets.delete(oldest);
    return budget;
  }
}

const markStatement: SqlStatement = {
  name: 'mark_replay_item',
  text: `
UPDATE replay_item SET state = $3, detail = $4, sent_at = $5::timestamptz
WHERE replay_id = $1 AND ordinal = $2 AND state = 'waiting'
  AND EXISTS (SELECT FROM replay WHERE replay_id = $1 AND state = 'running' FOR SHARE)`,
};

/** Undoes the sending of an item that somebody else has sent, or whose replay was stopped meanwhile. */
class ItemTakenError extends Error {
  override readonly name = 'ItemTakenError';
}

/** Undoes the putting back of an intent that its lane would not come to: something else blocks it. */
class HeldUpError extends Error {
  override readonly name = 'HeldUpError';
}

interface Mark {
  readonly state: 'sent' | 'refused';
  readonly detail: string | null;
}

function markOf(result: ActionResult): Mark {
  return result.kind === 'done' ? { state: 'sent', detail: null } : { state: 'refused', detail: result.reason };
}

interface ItemPlace {
  readonly replayId: string;
  readonly ordinal: number;
  readonly laneId: number;
  readonly now: number;
}

async function mark(session: SqlSession, at: ItemPlace, { state, detail }: Mark): Promise<void> {
  const parameters = [at.replayId, at.ordinal, state, detail, timestamp(at.now)];
  const { rowCount } = await session.query(markStatement, parameters);
  if (rowCount === 0) throw new ItemTakenError('an item is not waiting any more');
}

async function refuse(database: Database, place: ItemPlace, detail: string): Promise<Mark['state']> {
  const refused: Mark = { state: 'refused', detail };
  await database.transaction('refuse_replay_item', (session) => mark(session, place, refused));
  return refused.state;
}

/** Every intent that is put back says who had it sent, and why. */
function auditContextOf({ startedBy, startReason, createdBy, reason }: Replay, at: number): AuditContext {
  return { at, actor: startedBy ?? createdBy, address: null, reason: startReason ?? reason };
}

function markAlongside(place: ItemPlace): Alongside {
  return async (session, result) => {
    if (result.kind === 'done' && (await isHeldUp(session, place))) throw new HeldUpError('its lane is blocked');
    await mark(session, place, markOf(result));
  };
}

/**
 * Puts one item's intent back and marks the item, in one transaction: however the process ends, an item is sent once.
 * @returns what became of the item
 * @throws {ItemTakenError} where nothing was done, for the item or its replay is not what it was
 */
async function sendItem(
  database: Database,
  request: { readonly replay: Replay; readonly item: NextItem; readonly now: number },
  keys: MemberKeys,
): Promise<Mark['state']> {
  const { replay, item, now } = request;
  const { ordinal, laneId, seq } = item;
  const place = { replayId: replay.replayId, ordinal, laneId, now };
  if (item.replays >= replaysWithoutForceMax && !replay.isForced) return refuse(database, place, 'replayed-too-often');
  const action = {
    place: { laneId, seq },
    action: { kind: 'replay', isForced: replay.isForced },
    audit: auditContextOf(replay, now),
    role: replay.needsRole,
  } as const;
  try {
    const result = await actAlongside(database, action, { keys, alongside: markAlongside(place) });
    return markOf(result).state;
  } catch (error) {
    if (error instanceof HeldUpError) return refuse(database, place, 'lane-blocked');
    throw error;
  }
}

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

/**
 * Notes what came of the items that were sent before their replay was paused, stopped, cancelled or done: what was sent
 * stays sent, and comes to its own end.
 */
export async function settleInactive({ database, clock, onReplayItems }: ReplayTools): Promise<void> {
  for (const replayId of await leaseInactive(database, clock.now())) {
    for (const [state, count] of await settleItems(database, replayId)) onReplayItems?.(state, count);
    await keepCounts(database, replayId);
  }
}

/** How often running replays are looked at, and how often one looks for new ones, unless woken. */
const turnMs = 250;
const idleMs = 5_000;

interface ReplayRunnerTools extends ReplayTools {
  readonly random: Random;
  readonly logger: Logger;
}

/** Carries on the replays that run, each in one process at a time. */
export function replayRunner(tools: ReplayRunnerTools): BackgroundLoop {
  const { database, clock, random } = tools;
  const owner = random.uuid();
  const budgets = new RateBudgets(clock);
  const turn = async (replay: Replay): Promise<void> => {
    const budget = budgets.of(replay.replayId);
    budget.spend(await replayStep(replay, budget.available(replay.ratePerSecond), tools));
  };
  const workOnce = async (): Promise<number> => {
    const replays = await leaseReplays(database, { owner, now: clock.now() });
    for (const replay of replays) await turn(replay);
    await settleInactive(tools);
    return replays.length === 0 ? idleMs : turnMs;
  };
  return new BackgroundLoop({
    ...tools,
    workOnce,
    close: async () => undefined,
    failureMessage: 'replays were not carried on',
  });
}
