import { Injectable } from '@nestjs/common';

import type { ActionResult, Alongside, AuditContext } from '#intents';
import { replaysWithoutForceMax, timestamp } from '#intents';
import type { SqlSession, SqlStatement } from '#platform';
import { Clock, Database } from '#platform';

import { OperationsObserver } from '../../../access/operations-observer.js';
import { PlannedActions } from '../../../intents/planned-actions.js';
import { JobWork } from '../../job-runner.js';
import type { Job, JobTurn } from '../../job-repository.js';
import type { Allowance } from '../../pace.js';
import { unlimited } from '../../pace.js';
import type { NextItem } from './replay-items.js';
import { isHeldUp, nextItems } from './replay-items.js';

/** Whether what was replayed often without success is sent, too. */
export function isForced({ request }: Pick<Job, 'request'>): boolean {
  return request['force'] === true;
}

const markStatement: SqlStatement = {
  name: 'mark_replay_item',
  text: `
UPDATE job_item SET state = $3, detail = $4, sent_at = $5::timestamptz
WHERE job_id = $1 AND ordinal = $2 AND state = 'waiting'
  AND EXISTS (SELECT FROM job WHERE job_id = $1 AND state = 'running' FOR SHARE)`,
};

/** Undoes the sending of an item that another process has sent, or whose replay was stopped meanwhile. */
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
  readonly jobId: string;
  readonly ordinal: number;
  readonly laneId: number;
  readonly now: number;
}

async function mark(session: SqlSession, at: ItemPlace, { state, detail }: Mark): Promise<void> {
  const parameters = [at.jobId, at.ordinal, state, detail, timestamp(at.now)];
  const { rowCount } = await session.query(markStatement, parameters);
  if (rowCount === 0) throw new ItemTakenError('an item is not waiting any more');
}

async function refuse(database: Database, place: ItemPlace, detail: string): Promise<Mark['state']> {
  const refused: Mark = { state: 'refused', detail };
  await database.transaction('refuse_replay_item', (session) => mark(session, place, refused));
  return refused.state;
}

/** Every intent that is put back says who had it sent, and why. */
function auditContextOf({ startedBy, startReason, createdBy, reason }: Job, at: number): AuditContext {
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
  { database, actions }: Pick<ReplayTools, 'database' | 'actions'>,
  request: { readonly job: Job; readonly item: NextItem; readonly now: number },
): Promise<Mark['state']> {
  const { job, item, now } = request;
  const { ordinal, laneId, seq } = item;
  const place = { jobId: job.jobId, ordinal, laneId, now };
  if (item.replays >= replaysWithoutForceMax && !isForced(job)) return refuse(database, place, 'replayed-too-often');
  if (item.isOver) return refuse(database, place, 'expired');
  const action = {
    place: { laneId, seq },
    action: { kind: 'replay', isForced: isForced(job) },
    audit: auditContextOf(job, now),
    role: job.needsRole,
  } as const;
  try {
    const result = await actions.actAlongside(action, markAlongside(place));
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
/** Transactions at once: less than half of the connections, so that nothing else waits for one. */
const lanesAtOnceMax = 4;

interface ReplayTools {
  readonly database: Database;
  readonly clock: Clock;
  readonly actions: PlannedActions;
  readonly observer: Pick<OperationsObserver, 'jobItems'>;
}

/** How often a running replay is looked at. */
const turnMs = 250;
/** So long may a turn take: a process that hangs for longer loses the replay to another one. */
export const replayLeaseMs = 10_000;

/** A turn of a replay: sends more. */
async function replayTurn(job: Job, { rate, canary, items }: Allowance, tools: ReplayTools): Promise<JobTurn> {
  if (items === null) throw new Error('a replay without items');
  if (!items.isWaiting && items.underWay === 0) return { isDone: true };
  const limit = Math.floor(Math.min(rate, canary, stepItemsMax, underWayMax - items.underWay));
  const begun = limit > 0 ? await send(job, limit, tools) : 0;
  return { isDone: false, againAt: tools.clock.now() + turnMs, begun };
}

/** Lanes side by side, each lane's items in their order. */
async function send(job: Job, limit: number, tools: ReplayTools): Promise<number> {
  const items = await nextItems(tools.database, job.jobId, { limit, now: tools.clock.now() });
  const lanes = [...Map.groupBy(items, ({ laneId }) => laneId).values()];
  let sent = 0;
  for (let from = 0; from < lanes.length; from += lanesAtOnceMax) {
    const counts = await Promise.all(
      lanes.slice(from, from + lanesAtOnceMax).map((lane) => sendLane(job, lane, tools)),
    );
    sent += counts.reduce((sum, count) => sum + count, 0);
  }
  return sent;
}

async function sendLane(job: Job, items: readonly NextItem[], tools: ReplayTools): Promise<number> {
  for (const [index, item] of items.entries()) {
    try {
      const state = await sendItem(tools, { job, item, now: tools.clock.now() });
      if (state === 'refused') tools.observer.jobItems(state, 1);
    } catch (error) {
      if (error instanceof ItemTakenError) return index;
      throw error;
    }
  }
  return items.length;
}

/** Sends what a replay has frozen once more, item by item. */
@Injectable()
export class ReplayWork extends JobWork {
  override readonly kind = 'replay';
  override readonly leaseMs = replayLeaseMs;

  constructor(
    readonly database: Database,
    readonly clock: Clock,
    readonly actions: PlannedActions,
    readonly observer: OperationsObserver,
  ) {
    super();
  }

  async turn(job: Job, allowance: Allowance = unlimited): Promise<JobTurn> {
    return replayTurn(job, allowance, this);
  }
}
