import type { AuditContext } from '#intents';
import { timestamp } from '#intents';
import type { SqlSession, SqlStatement } from '#platform';
import type { Clock, Database } from '#platform';

import type { OperationsObserver } from '../access/operations-observer.js';
import { JobWork } from './job-runner.js';
import type { Job, JobTurn } from './job-repository.js';
import type { NextItem } from './kinds/replay/replay-items.js';
import { nextItems } from './kinds/replay/replay-items.js';
import type { Allowance } from './pace.js';
import { unlimited } from './pace.js';

/** What is carried out item by item: each in one transaction with its mark, so that however the process ends it is done once. */

const markStatement: SqlStatement = {
  name: 'mark_job_item',
  text: `
UPDATE job_item SET state = $3, detail = $4, sent_at = $5::timestamptz
WHERE job_id = $1 AND ordinal = $2 AND state = 'waiting'
  AND EXISTS (SELECT FROM job WHERE job_id = $1 AND state = 'running' FOR SHARE)`,
};

/** Undoes what was done for an item that another process has dealt with, or whose job was stopped meanwhile. */
export class ItemTakenError extends Error {
  override readonly name = 'ItemTakenError';
}

export interface Mark {
  /** `sent`: what comes of it is found out later. */
  readonly state: 'sent' | 'done' | 'refused';
  readonly detail: string | null;
}

export interface ItemPlace {
  readonly jobId: string;
  readonly ordinal: number;
  readonly now: number;
}

/** Within the transaction of what was done. @throws {ItemTakenError} which undoes that */
export async function markItem(session: SqlSession, at: ItemPlace, { state, detail }: Mark): Promise<Mark['state']> {
  const parameters = [at.jobId, at.ordinal, state, detail, timestamp(at.now)];
  const { rowCount } = await session.query(markStatement, parameters);
  if (rowCount === 0) throw new ItemTakenError('an item is not waiting any more');
  return state;
}

export async function refuseItem(database: Database, place: ItemPlace, detail: string): Promise<Mark['state']> {
  return database.transaction('refuse_job_item', (session) => markItem(session, place, { state: 'refused', detail }));
}

/** Whatever is done for an item says who had it done, and why. */
export function auditContextOfJob(job: Job, at: number): AuditContext {
  const { startedBy, startReason, createdBy, reason, needsRole: role } = job;
  return { at, actor: startedBy ?? createdBy, role, address: null, reason: startReason ?? reason };
}

/** Items of a job under way at once, at most: what was sent yields to live traffic, and may take long. */
const underWayMax = 1_000;
/** Items begun in one step, at most: pauses and lost leases are seen after each. */
const stepItemsMax = 250;
/** Transactions at once: less than half of the connections, so that nothing else waits for one. */
const lanesAtOnceMax = 4;
/** How often a running job is looked at. */
const turnMs = 250;
/** So long may a turn take: a process that hangs for longer loses the job to another one. */
export const itemLeaseMs = 10_000;

/** Carries out what a job has frozen, item by item. */
export abstract class ItemWork extends JobWork {
  override readonly leaseMs = itemLeaseMs;

  constructor(
    protected readonly database: Database,
    protected readonly clock: Clock,
    protected readonly observer: OperationsObserver,
  ) {
    super();
  }

  /**
   * In one transaction with its mark.
   * @returns what became of the item
   * @throws {ItemTakenError} where nothing was done, for the item or its job is not what it was
   */
  protected abstract carryOut(job: Job, item: NextItem, place: ItemPlace): Promise<Mark['state']>;

  async turn(job: Job, { rate, canary, items }: Allowance = unlimited): Promise<JobTurn> {
    if (items === null) throw new Error('a job without items');
    if (!items.isWaiting && items.underWay === 0) return { isDone: true };
    const limit = Math.floor(Math.min(rate, canary, stepItemsMax, underWayMax - items.underWay));
    const begun = limit > 0 ? await this.begin(job, limit) : 0;
    return { isDone: false, againAt: this.clock.now() + turnMs, begun };
  }

  /** Lanes side by side, each lane's items in their order. */
  private async begin(job: Job, limit: number): Promise<number> {
    const items = await nextItems(this.database, job.jobId, { limit, now: this.clock.now() });
    const lanes = [...Map.groupBy(items, ({ laneId }) => laneId).values()];
    let begun = 0;
    for (let from = 0; from < lanes.length; from += lanesAtOnceMax) {
      const counts = await Promise.all(
        lanes.slice(from, from + lanesAtOnceMax).map((lane) => this.carryOutLane(job, lane)),
      );
      begun += counts.reduce((sum, count) => sum + count, 0);
    }
    return begun;
  }

  private async carryOutLane(job: Job, items: readonly NextItem[]): Promise<number> {
    for (const [index, item] of items.entries()) {
      try {
        const place = { jobId: job.jobId, ordinal: item.ordinal, now: this.clock.now() };
        const state = await this.carryOut(job, item, place);
        if (state !== 'sent') this.observer.jobItems(state, 1);
      } catch (error) {
        if (error instanceof ItemTakenError) return index;
        throw error;
      }
    }
    return items.length;
  }
}
