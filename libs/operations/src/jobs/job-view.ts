import { Injectable } from '@nestjs/common';

import type { JobItemView, JobView, RequestPreviewView } from '#contracts';
import { intentId, loadCommands, MemberKeys } from '#intents';
import { Database } from '#platform';

import { toAmountView, toPreviewView } from '../intents/intent-view.js';
import { isoTime, isoTimeOrNull } from '../requests/read-request.js';
import { RequestPreviews } from '../requests/request-previews.js';
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

/** The very requests that items of a job would be now. */
@Injectable()
export class ItemRequests {
  constructor(
    private readonly database: Database,
    private readonly keys: MemberKeys,
    private readonly previews: RequestPreviews,
  ) {}

  /** Masked: by item, null where nothing is left to send. */
  async of(items: readonly JobItem[]): Promise<(item: JobItem) => RequestPreviewView | null> {
    const loaded = await loadCommands(this.database, items, this.keys);
    const commands = new Map(loaded.map((place) => [keyOf(place), place.current]));
    return (item) => {
      const current = commands.get(keyOf(item));
      return current?.kind === 'command' ? toPreviewView(this.previews.of(current.command)) : null;
    };
  }
}
