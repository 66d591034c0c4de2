import { Injectable } from '@nestjs/common';

import type { CorrectionResult, RevisedCommand } from '#intents';
import { IntentActionRepository } from '#intents';
import type { PartnerCommand } from '#intents/core';
import type { SqlSession } from '#platform';
import { Clock, Database } from '#platform';

import { OperationsObserver } from '../../../access/operations-observer.js';
import { Revisions } from '../../../corrections/revisions.js';
import { ApiProblem } from '../../../problems/api-problem.js';
import { PlannedCommands } from '../../../requests/planned-commands.js';
import type { ItemPlace, Mark } from '../../item-work.js';
import { auditContextOfJob, ItemWork, markItem, refuseItem } from '../../item-work.js';
import type { Job } from '../../job-repository.js';
import type { NextItem } from '../replay/replay-items.js';
import { HeldUpError, refuseHeldUp } from '../replay/replay-work.js';
import { correctionOf, isSentAfterwards, refusalOf } from './correct-order.js';

/** Undoes a correction of what only an admin may change. */
class NeedsAdminError extends Error {
  override readonly name = 'NeedsAdminError';
}

/** Why an item is refused; other errors are thrown again. */
function whyRefused(error: unknown): string {
  if (error instanceof HeldUpError) return 'lane-blocked';
  return error instanceof NeedsAdminError ? 'needs-admin' : refusalOf(error);
}

/** What corrections of many are made of. */
@Injectable()
export class CorrectionParts {
  constructor(
    readonly actions: IntentActionRepository,
    readonly commands: PlannedCommands,
    readonly revisions: Revisions,
  ) {}
}

/** Gives each of what a job has frozen another content, and sends it where that is asked for. */
@Injectable()
export class CorrectWork extends ItemWork {
  override readonly kind = 'correct';

  constructor(
    database: Database,
    clock: Clock,
    observer: OperationsObserver,
    private readonly parts: CorrectionParts,
  ) {
    super(database, clock, observer);
  }

  protected async carryOut(job: Job, item: NextItem, place: ItemPlace): Promise<Mark['state']> {
    const { laneId, seq, version, operation } = item;
    if (operation === null) return refuseItem(this.database, place, 'not-recorded');
    const { actions, commands, revisions } = this.parts;
    const isSent = isSentAfterwards(job);
    const mark = (result: CorrectionResult): Mark => {
      if (result.kind === 'refused') return { state: 'refused', detail: result.reason };
      return { state: isSent ? 'sent' : 'done', detail: null };
    };
    const revise = (current: PartnerCommand | null): RevisedCommand => {
      const revised = revisions.of({ ...item, operation }, current, correctionOf(job));
      if (revised.privileged.length > 0 && job.needsRole !== 'admin') throw new NeedsAdminError('an admin may');
      return revised;
    };
    const request = {
      ...{ place: { laneId, seq }, revise, audit: auditContextOfJob(job, place.now) },
      ...(version === null ? {} : { seenVersion: version }),
      ...(isSent ? { replay: { role: job.needsRole, planner: commands.tools.planner } } : {}),
    };
    const alongside = async (session: SqlSession, result: CorrectionResult): Promise<void> => {
      if (isSent && result.kind === 'done') await refuseHeldUp(session, job.jobId, laneId);
      await markItem(session, place, mark(result));
    };
    try {
      return mark(await actions.correctAlongside(request, alongside)).state;
    } catch (error) {
      const isOurs = error instanceof HeldUpError || error instanceof NeedsAdminError || error instanceof ApiProblem;
      if (!isOurs) throw error;
      return refuseItem(this.database, place, whyRefused(error));
    }
  }
}
