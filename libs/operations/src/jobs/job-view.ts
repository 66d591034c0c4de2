import { Injectable } from '@nestjs/common';

import type { JobItemView, JobView } from '#contracts';
import type { LoadedPlan } from '#intents';
import { intentId } from '#intents';

import { listChanges } from '../corrections/revise-command.js';
import { Revisions } from '../corrections/revisions.js';
import { ApiProblem } from '../problems/api-problem.js';
import { PlannedCommands } from '../requests/planned-commands.js';
import { toAmountView } from '../intents/intent-view.js';
import { isoTime, isoTimeOrNull } from '../requests/read-request.js';
import type { ItemCounts, JobItem } from './job-items.js';
import type { Job } from './job-repository.js';
import { correctionOf } from './kinds/correct/correct-order.js';

/** An export keeps none: they are read where they are, and counted. */
function linesOf({ kind, lines, progress: { intents = 0, events = 0 } }: Job): number {
  return kind === 'export' ? intents + events : lines;
}

/** @param byState its items, counted */
export function toJobView(job: Job, byState: ItemCounts = {}): JobView {
  const { jobId: id, kind, program, request, reason, state, progress, report, error } = job;
  const { selection, ratePerSecond, isCanary: canary, createdBy, startedBy, startReason } = job;
  const { settled, failed } = job.canary;
  return {
    ...{ id, kind, program, reason, state, report, error, ratePerSecond, canary, createdBy, startedBy, startReason },
    lines: linesOf(job),
    request: { ...request },
    progress: { ...progress },
    selection:
      selection === null
        ? null
        : {
            ...selection,
            money: [...selection.money],
            byForecast: { ...selection.byForecast },
            notes: [...(selection.notes ?? [])],
            byState: { ...byState },
          },
    canaryProgress: canary ? { settled, failed } : null,
    createdAt: isoTime(job.createdAt),
    startedAt: isoTimeOrNull(job.startedAt),
    finishedAt: isoTimeOrNull(job.finishedAt),
  };
}

export function toItemView(item: JobItem): JobItemView {
  const { operation, purchaseId, storeId, forecast, overtaken, state, detail, sentAt } = item;
  return {
    intent: intentId(item),
    ...{ operation, amount: toAmountView(item), purchaseId, storeId },
    ...{ forecast, overtaken, state, detail, sentAt: isoTimeOrNull(sentAt) },
  };
}

const keyOf = ({ laneId, seq }: Pick<JobItem, 'laneId' | 'seq'>): string => `${laneId}~${seq}`;

/** The very requests that items of a job would be now, and what a correction, or a mended programs file, makes of them. */
@Injectable()
export class ItemRequests {
  constructor(
    private readonly commands: PlannedCommands,
    private readonly revisions: Revisions,
  ) {}

  /** Masked: by item, null where nothing is left to send. */
  async of(items: readonly JobItem[], job: Job): Promise<(item: JobItem) => Pick<JobItemView, 'request' | 'changes'>> {
    const loaded = new Map((await this.commands.of(items)).map((plan) => [keyOf(plan), plan]));
    return (item) => {
      const plan = loaded.get(keyOf(item));
      const revised = this.revised(item, plan, job);
      if (revised === undefined) return { request: null, changes: [] };
      return {
        request: this.commands.requestOf(revised),
        changes: listChanges(revised.current, revised.next, job.request['patch']),
      };
    };
  }

  /** As the job corrects it, as long as it has not. */
  private revised(
    item: JobItem,
    plan: LoadedPlan | undefined,
    job: Job,
  ): Pick<LoadedPlan, 'current' | 'next'> | undefined {
    const { operation, state } = item;
    if (job.kind !== 'correct' || operation === null || (state !== 'waiting' && state !== 'skipped')) return plan;
    const current = plan?.current ?? null;
    try {
      return { current, next: this.revisions.of({ ...item, operation }, current, correctionOf(job)).command };
    } catch (error) {
      if (error instanceof ApiProblem) return plan;
      throw error;
    }
  }
}
