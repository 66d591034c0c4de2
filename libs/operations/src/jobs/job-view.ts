import { Injectable } from '@nestjs/common';

import type { JobItemView, JobView } from '#contracts';
import { intentId } from '#intents';

import { listChanges } from '../corrections/revise-command.js';
import { PlannedCommands } from '../requests/planned-commands.js';
import { toAmountView } from '../intents/intent-view.js';
import { isoTime, isoTimeOrNull } from '../requests/read-request.js';
import type { ItemCounts, JobItem } from './job-items.js';
import type { Job } from './job-repository.js';

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

/** The very requests that items of a job would be now, and what a mended programs file makes of them. */
@Injectable()
export class ItemRequests {
  constructor(private readonly commands: PlannedCommands) {}

  /** Masked: by item, null where nothing is left to send. */
  async of(items: readonly JobItem[]): Promise<(item: JobItem) => Pick<JobItemView, 'request' | 'changes'>> {
    const loaded = new Map((await this.commands.of(items)).map((plan) => [keyOf(plan), plan]));
    return (item) => {
      const plan = loaded.get(keyOf(item));
      if (plan === undefined) return { request: null, changes: [] };
      return { request: this.commands.requestOf(plan), changes: listChanges(plan.current, plan.next) };
    };
  }
}
