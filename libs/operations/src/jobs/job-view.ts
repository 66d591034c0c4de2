import { Injectable } from '@nestjs/common';

import type { JobItemView, JobView } from '#contracts';
import type { IntentName, LoadedPlan } from '#intents';
import { intentId } from '#intents';
import type { IdentityPlace } from '#intents/core';

import { listChanges } from '../corrections/revise-command.js';
import { Revisions } from '../corrections/revisions.js';
import { ApiProblem } from '../problems/api-problem.js';
import { PlannedCommands } from '../requests/planned-commands.js';
import { toAmountView } from '../intents/intent-view.js';
import { isoTime, isoTimeOrNull } from '../requests/read-request.js';
import type { ItemCounts, JobItem } from './job-items.js';
import { recordKinds } from './job-order.js';
import type { Job, JobSelection } from './job-repository.js';
import { correctionOf } from './kinds/correct/correct-order.js';
import { RecordPreviews } from './kinds/records/record-previews.js';

type Previewed = Pick<JobItemView, 'request' | 'changes' | 'becomes'>;

/** An export keeps none: they are read where they are, and counted. */
function linesOf({ kind, lines, progress: { intents = 0, events = 0 } }: Job): number {
  return kind === 'export' ? intents + events : lines;
}

function toSelectionView(
  { money, byForecast, notes = [], refusedBy, ...selection }: JobSelection,
  byState: ItemCounts,
): NonNullable<JobView['selection']> {
  return {
    ...selection,
    ...{ money: [...money], byForecast: { ...byForecast }, notes: [...notes], byState: { ...byState } },
    ...(refusedBy === undefined ? {} : { refusedBy: [...refusedBy] }),
  };
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
    selection: selection === null ? null : toSelectionView(selection, byState),
    canaryProgress: canary ? { settled, failed } : null,
    createdAt: isoTime(job.createdAt),
    startedAt: isoTimeOrNull(job.startedAt),
    finishedAt: isoTimeOrNull(job.finishedAt),
  };
}

/** The intent that an item is of, or has become; null of a record that has become none. */
function intentOf({ laneId, seq, program, memberId }: JobItem): IntentOfItem | null {
  if (laneId === null || seq === null || program === null || memberId === null) return null;
  return { laneId, seq, program, memberId };
}

interface IntentOfItem extends IntentName, IdentityPlace {}

export function toItemView(item: JobItem): JobItemView {
  const { record, operation, purchaseId, storeId, forecast, overtaken, state, detail, sentAt } = item;
  const intent = intentOf(item);
  return {
    intent: intent === null ? null : intentId(intent),
    ...{ record, operation, amount: toAmountView(item), purchaseId, storeId },
    ...{ forecast, overtaken, state, detail, sentAt: isoTimeOrNull(sentAt) },
  };
}

const keyOf = ({ laneId, seq }: IdentityPlace): string => `${laneId}~${seq}`;

/** Of so many records of a page it is told what would come of them: each is opened for it. */
const previewsMax = 10;

/** The very requests that items of a job would be now, and what a correction, or a mended programs file, makes of them. */
@Injectable()
export class ItemRequests {
  constructor(
    private readonly commands: PlannedCommands,
    private readonly revisions: Revisions,
    private readonly records: RecordPreviews,
  ) {}

  /** Masked: by item, null where nothing is left to send. */
  async of(items: readonly JobItem[], job: Job): Promise<(item: JobItem) => Previewed> {
    return recordKinds.includes(job.kind) ? this.ofRecords(items, job) : this.ofIntents(items, job);
  }

  private async ofRecords(items: readonly JobItem[], job: Job): Promise<(item: JobItem) => Previewed> {
    const shown = new Map<number, Previewed>();
    for (const { ordinal, record } of items.slice(0, previewsMax)) {
      if (record !== null) shown.set(ordinal, await this.records.of(job, record));
    }
    return ({ ordinal }) => shown.get(ordinal) ?? {};
  }

  private async ofIntents(items: readonly JobItem[], job: Job): Promise<(item: JobItem) => Previewed> {
    const places = items.flatMap((item) => intentOf(item) ?? []);
    const loaded = new Map((await this.commands.of(places)).map((plan) => [keyOf(plan), plan]));
    return (item) => {
      const place = intentOf(item);
      const plan = place === null ? undefined : loaded.get(keyOf(place));
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
    const place = intentOf(item);
    const isLeft = state === 'waiting' || state === 'skipped';
    if (job.kind !== 'correct' || operation === null || place === null || !isLeft) return plan;
    const current = plan?.current ?? null;
    try {
      return { current, next: this.revisions.of({ ...item, ...place, operation }, current, correctionOf(job)).command };
    } catch (error) {
      if (error instanceof ApiProblem) return plan;
      throw error;
    }
  }
}
