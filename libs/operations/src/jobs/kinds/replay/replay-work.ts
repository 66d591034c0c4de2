import { Injectable } from '@nestjs/common';

import type { ActionRequest, ActionResult, Alongside, IntentAction } from '#intents';
import { replaysWithoutForceMax } from '#intents';
import { isOpenAgain } from '#intents/core';
import type { SqlSession } from '#platform';
import { Clock, Database } from '#platform';

import { OperationsObserver } from '../../../access/operations-observer.js';
import { PlannedActions } from '../../../intents/planned-actions.js';
import type { ItemPlace, Mark } from '../../item-work.js';
import { auditContextOfJob, ItemWork, markItem, refuseItem } from '../../item-work.js';
import type { Job } from '../../job-repository.js';
import type { NextItem } from './replay-items.js';
import { isHeldUp } from './replay-items.js';

/** Whether what was replayed often without success is sent, too. */
export function isForced({ request }: Pick<Job, 'request'>): boolean {
  return request['force'] === true;
}

/** Undoes the putting back of an intent that its lane would not come to: something else blocks it. */
export class HeldUpError extends Error {
  override readonly name = 'HeldUpError';
}

/** @throws {HeldUpError} */
export async function refuseHeldUp(session: SqlSession, jobId: string, laneId: number): Promise<void> {
  if (await isHeldUp(session, { jobId, laneId })) throw new HeldUpError('its lane is blocked');
}

function markOf(result: ActionResult): Mark {
  if (result.kind === 'refused') return { state: 'refused', detail: result.reason };
  return { state: isOpenAgain(result.event) ? 'sent' : 'done', detail: null };
}

/** Carries out one action of a person on what a job has frozen: each intent in one transaction with its mark. */
@Injectable()
export abstract class ActionWork extends ItemWork {
  constructor(
    database: Database,
    clock: Clock,
    observer: OperationsObserver,
    private readonly actions: PlannedActions,
  ) {
    super(database, clock, observer);
  }

  /** A text: why nothing is done. */
  protected abstract actionOf(job: Job, item: NextItem): IntentAction | string;

  protected async carryOut(job: Job, item: NextItem, place: ItemPlace): Promise<Mark['state']> {
    const action = this.actionOf(job, item);
    if (typeof action === 'string') return refuseItem(this.database, place, action);
    const { laneId, seq, version } = item;
    const request: Omit<ActionRequest, 'planner'> = {
      place: { laneId, seq },
      action,
      audit: auditContextOfJob(job, place.now),
      role: job.needsRole,
      ...(version === null ? {} : { seenVersion: version }),
    };
    const alongside: Alongside = async (session, result) => {
      const mark = markOf(result);
      if (mark.state === 'sent') await refuseHeldUp(session, job.jobId, laneId);
      await markItem(session, place, mark);
    };
    try {
      return markOf(await this.actions.actAlongside(request, alongside)).state;
    } catch (error) {
      if (error instanceof HeldUpError) return refuseItem(this.database, place, 'lane-blocked');
      throw error;
    }
  }
}

/** Sends what a replay has frozen once more, item by item. */
@Injectable()
export class ReplayWork extends ActionWork {
  override readonly kind = 'replay';

  protected override actionOf(job: Job, { replays, isOver }: NextItem): IntentAction | string {
    if (replays >= replaysWithoutForceMax && !isForced(job)) return 'replayed-too-often';
    return isOver ? 'expired' : { kind: 'replay', isForced: isForced(job) };
  }
}
