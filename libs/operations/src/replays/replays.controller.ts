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
import type { RequestedPace } from './replay-request.js';
import {
  askAgain,
  isKnownTo,
  noSuchReplay,
  nothingToReplay,
  replayFilter,
  wrongState,
  tooMuchToReplay,
} from './replay-request.js';
import type {
  CreateReplayResult,
  NewReplay,
  Replay,
  ReplayCounts,
  ReplayFilter,
  ReplayItem,
  ReplaySteering,
} from './replay-store.js';
import {
  countReplayItems,
  createReplay,
  findReplay,
  listReplayItems,
  listReplays,
  steerReplay,
} from './replay-store.js';

export function toReplayView(replay: Replay, { byState, byForecast }: ReplayCounts): ReplayView {
  const { replayId: id, state, stoppedBecause, reason, ratePerSecond, createdAt, createdBy, finishedAt } = replay;
  const { startedAt, startedBy, startReason } = replay;
  return {
    ...{ id, state, stoppedBecause, reason, ratePerSecond, createdBy, startedBy, startReason },
    query: { ...replay.query },
    canary: replay.isCanary,
    ...(replay.isCanary ? { canaryProgress: { settled: replay.settled, failed: replay.failed } } : {}),
    force: replay.isForced,
    createdAt: isoTime(createdAt),
    startedAt: isoTimeOrNull(startedAt),
    finishedAt: isoTimeOrNull(finishedAt),
    money: [...replay.money],
    items: Object.values(byState).reduce((sum, count) => sum + count, 0),
    ...(replay.members === null ? {} : { members: replay.members }),
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

/** @throws {ApiProblem} where nothing was frozen */
function frozen(result: CreateReplayResult): Extract<CreateReplayResult, { readonly replay: Replay }> {
  if (result.kind === 'empty') throw nothingToReplay();
  if (result.kind === 'too-many') throw tooMuchToReplay();
  return result;
}

/** @throws {ApiProblem} where who asks may not know of the program that it names, or would have to name one */
function ownSelection(query: ReplayFilter, { programs }: Actor): ReplayFilter {
  const program = programMeant(programs, query.program);
  return program === undefined ? query : { ...query, program };
}

function paceOf({ ratePerSecond, canary }: z.output<typeof replayRequestSchema>): RequestedPace {
  return { ratePerSecond: ratePerSecond ?? null, isCanary: canary ?? null };
}

function withDefaults({ ratePerSecond, isCanary }: RequestedPace): Pick<NewReplay, 'ratePerSecond' | 'isCanary'> {
  const { ratePerSecond: rate, canary } = REPLAY_DEFAULTS;
  return { ratePerSecond: ratePerSecond ?? rate, isCanary: isCanary ?? canary };
}

/** Sending many intents once more, as stored jobs. */
@ApiController('replays')
export class ReplaysController {
  constructor(@Inject(API_SETTINGS) private readonly settings: ApiSettings) {}

  @Get()
  async list(@ByActor() { programs }: Actor): Promise<ReplayList> {
    return { items: await this.show(await listReplays(this.settings.database, programs)) };
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
    const query = { replayId: id, after: Number(cursor ?? 0), state, limit };
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
    const result = await createReplay(database, {
      replayId: body.id ?? random.uuid(),
      ...selection,
      ...withDefaults(pace),
      isDryRun: dryRun,
      audit,
      role: actingRole(actor),
    });
    const { kind, replay } = frozen(result);
    const asked = { replay, selection, pace, isDryRun: dryRun, actor, audit };
    return this.showOne(kind === 'created' ? replay : await askAgain(database, asked));
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
    requireForce((await this.find(id, actor)).isForced, actor);
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
    replayId: string,
    steering: ReplaySteering,
    { actor, reason }: { readonly actor: Actor; readonly reason: string },
  ): Promise<ReplayView> {
    const { database, clock } = this.settings;
    await this.find(replayId, actor);
    const audit = auditContextOf(actor, reason, clock);
    const replay = await steerReplay(database, { replayId, steering, audit, role: actingRole(actor) });
    if (replay !== null) return this.showOne(replay);
    const found = await this.find(replayId, actor);
    if (steering !== 'pause') requireRoleOf(found, actor);
    throw wrongState(found.state);
  }

  private async find(id: string, actor: Actor): Promise<Replay> {
    const replay = await findReplay(this.settings.database, id);
    if (replay === null || !isKnownTo(replay, actor)) throw noSuchReplay();
    return replay;
  }

  private async show(replays: readonly Replay[]): Promise<ReplayView[]> {
    const counts = await countReplayItems(this.settings.database, replays);
    return replays.map((replay) =>
      toReplayView(replay, counts.get(replay.replayId) ?? { byState: {}, byForecast: {} }),
    );
  }

  private async showOne(replay: Replay): Promise<ReplayView> {
    const [view] = await this.show([replay]);
    if (view === undefined) throw noSuchReplay();
    return view;
  }
}
