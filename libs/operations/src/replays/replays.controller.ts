import { Body, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import type { z } from 'zod';

import type { ReplayItemsPage, ReplayItemView, ReplayList, ReplayView, RequestPreviewView } from '#contracts';
import { REPLAY_DEFAULTS, replayItemsQuerySchema, replayRequestSchema, replaySteeringSchema } from '#contracts';
import { previewRequest } from '#gateway';
import { intentId, loadCommands } from '#intents';

import { ApiController } from '../access/access.guard.js';
import type { Actor } from '../access/operator.js';
import { actingRole, auditContextOf, ByActor, programMeant, requireForce, requireRoleOf } from '../access/operator.js';
import type { ApiSettings } from '../api-settings.js';
import { API_SETTINGS } from '../api-settings.js';
import { toAmountView, toPreviewView } from '../intents/intent-view.js';
import { isoTime, isoTimeOrNull, readRequest, ZodPipe } from '../requests/read-request.js';
import type { Job, JobState, JobSteering } from '../jobs/job-store.js';
import { findJob, listJobs, steerJob } from '../jobs/job-store.js';
import type { ItemCounts, ReplayFilter, ReplayItem } from './replay-items.js';
import { countItems, listReplayItems } from './replay-items.js';
import type { RequestedPace } from './replay-request.js';
import { askForReplay, isKnownTo, noSuchReplay, replayFilter, selectionOf, wrongState } from './replay-request.js';

const states: Partial<Record<JobState, 'running' | 'stopped'>> = { waiting: 'running', failed: 'stopped' };

export function replayState({ state }: Pick<Job, 'state'>): ReplayView['state'] {
  return states[state] ?? (state as ReplayView['state']);
}

export function toReplayView(job: Job, byState: ItemCounts): ReplayView {
  const { jobId: id, error, reason, ratePerSecond, createdAt, createdBy, finishedAt, isCanary, progress } = job;
  const { startedAt, startedBy, startReason, selection } = job;
  const { query, isForced } = selectionOf(job);
  const { items = 0, members = 0, money = [], byForecast = {} } = selection ?? {};
  return {
    ...{ id, state: replayState(job), stoppedBecause: error, reason, createdBy, startedBy, startReason },
    ratePerSecond: ratePerSecond ?? REPLAY_DEFAULTS.ratePerSecond,
    query: { ...query },
    canary: isCanary,
    ...(isCanary ? { canaryProgress: { settled: progress['settled'] ?? 0, failed: progress['failed'] ?? 0 } } : {}),
    force: isForced,
    createdAt: isoTime(createdAt),
    startedAt: isoTimeOrNull(startedAt),
    finishedAt: isoTimeOrNull(finishedAt),
    money: [...money],
    ...{ items, members },
    byState: { ...byState },
    byForecast: { ...byForecast },
  };
}

function toItemView(item: ReplayItem): ReplayItemView {
  const { operation, purchaseId, storeId, forecast, overtaken, state, detail, sentAt } = item;
  return {
    intent: intentId(item),
    ...{ operation, amount: toAmountView(item), purchaseId, storeId },
    ...{ forecast, overtaken, state, detail, sentAt: isoTimeOrNull(sentAt) },
  };
}

const keyOf = ({ laneId, seq }: Pick<ReplayItem, 'laneId' | 'seq'>): string => `${laneId}~${seq}`;

/** The very requests that the items of a replay would be now, masked: by item, null where nothing is left to send. */
async function itemRequests(
  items: readonly ReplayItem[],
  { database, keys, dialects, clock }: ApiSettings,
): Promise<(item: ReplayItem) => RequestPreviewView | null> {
  const loaded = await loadCommands(database, items, keys);
  const commands = new Map(loaded.map((place) => [keyOf(place), place.current]));
  return (item) => {
    const current = commands.get(keyOf(item));
    return current?.kind === 'command' ? toPreviewView(previewRequest(current.command, dialects, clock.now())) : null;
  };
}

const ok = 200;

/** @throws {ApiProblem} where who asks may not know of the program that it names, or would have to name one */
function ownSelection(query: ReplayFilter, { programs }: Actor): ReplayFilter {
  const program = programMeant(programs, query.program);
  return program === undefined ? query : { ...query, program };
}

function paceOf({ ratePerSecond, canary }: z.output<typeof replayRequestSchema>): RequestedPace {
  return { ratePerSecond: ratePerSecond ?? null, isCanary: canary ?? null };
}

/** Sending many intents once more, as stored jobs. */
@ApiController('replays')
export class ReplaysController {
  constructor(@Inject(API_SETTINGS) private readonly settings: ApiSettings) {}

  @Get()
  async list(@ByActor() { programs }: Actor): Promise<ReplayList> {
    return { items: await this.show(await listJobs(this.settings.database, { kinds: ['replay'], programs })) };
  }

  @Get(':id')
  async one(@Param('id') id: string, @ByActor() actor: Actor): Promise<ReplayView> {
    return this.showOne(await this.find(id, actor));
  }

  @Get(':id/items')
  async items(
    @Param('id') id: string,
    @Query(new ZodPipe(replayItemsQuerySchema)) sent: z.output<typeof replayItemsQuerySchema>,
    @ByActor() actor: Actor,
  ): Promise<ReplayItemsPage> {
    const { state = null, cursor, limit, requests } = sent;
    await this.find(id, actor);
    const query = { jobId: id, after: Number(cursor ?? 0), state, limit };
    const items = await listReplayItems(this.settings.database, query);
    const last = items.length < limit ? undefined : items.at(-1);
    const requestOf = requests ? await itemRequests(items, this.settings) : null;
    const views = items.map((item) => ({
      ...toItemView(item),
      ...(requestOf === null ? {} : { request: requestOf(item) }),
    }));
    return { items: views, nextCursor: last === undefined ? null : String(last.ordinal) };
  }

  @Post()
  @HttpCode(ok)
  async create(
    @Body(new ZodPipe(replayRequestSchema)) body: z.output<typeof replayRequestSchema>,
    @ByActor() actor: Actor,
  ): Promise<ReplayView> {
    const { query, reason, dryRun, force } = body;
    requireForce(force, actor);
    const { database, clock, random } = this.settings;
    const selection = { query: ownSelection(replayFilter(query), actor), isForced: force };
    const pace = paceOf(body);
    const audit = auditContextOf(actor, reason, clock);
    const jobId = body.id ?? random.uuid();
    return this.showOne(await askForReplay(database, { jobId, selection, pace, isDryRun: dryRun, actor, audit }));
  }

  @Post(':id/pause')
  @HttpCode(ok)
  async pause(
    @Param('id') id: string,
    @Body(new ZodPipe(replaySteeringSchema)) { reason }: z.output<typeof replaySteeringSchema>,
    @ByActor() actor: Actor,
  ): Promise<ReplayView> {
    return this.steer(id, 'pause', { actor, reason });
  }

  @Post(':id/resume')
  @HttpCode(ok)
  async resume(@Param('id') id: string, @Body() body: unknown, @ByActor() actor: Actor): Promise<ReplayView> {
    // Who may not let it go on is told so first, whatever the body says.
    requireForce(selectionOf(await this.find(id, actor)).isForced, actor);
    return this.steer(id, 'resume', { actor, ...readRequest(replaySteeringSchema, body) });
  }

  @Post(':id/cancel')
  @HttpCode(ok)
  async cancel(
    @Param('id') id: string,
    @Body(new ZodPipe(replaySteeringSchema)) { reason }: z.output<typeof replaySteeringSchema>,
    @ByActor() actor: Actor,
  ): Promise<ReplayView> {
    const view = await this.steer(id, 'cancel', { actor, reason });
    this.settings.onReplayItems?.('skipped', view.byState['skipped'] ?? 0);
    return view;
  }

  private async steer(
    id: string,
    steering: JobSteering,
    { actor, reason }: { readonly actor: Actor; readonly reason: string },
  ): Promise<ReplayView> {
    const { database, clock } = this.settings;
    const job = await this.find(id, actor);
    const audit = auditContextOf(actor, reason, clock);
    const steered = await steerJob(database, { job, steering, audit, role: actingRole(actor) });
    if (steered !== null) return this.showOne(steered);
    const found = await this.find(id, actor);
    if (steering !== 'pause') requireRoleOf(found, actor);
    throw wrongState(found.state);
  }

  private async find(id: string, actor: Actor): Promise<Job> {
    const job = await findJob(this.settings.database, id);
    if (job === null || !isKnownTo(job, actor)) throw noSuchReplay();
    return job;
  }

  private async show(jobs: readonly Job[]): Promise<ReplayView[]> {
    const counts = await countItems(this.settings.database, jobs);
    return jobs.map((job) => toReplayView(job, counts.get(job.jobId) ?? {}));
  }

  private async showOne(job: Job): Promise<ReplayView> {
    const [view] = await this.show([job]);
    if (view === undefined) throw noSuchReplay();
    return view;
  }
}
