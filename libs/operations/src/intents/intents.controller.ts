import { Get, Inject, Query } from '@nestjs/common';

import type {
  IntentCountQuery,
  IntentCountView,
  IntentDetails,
  IntentPage,
  IntentQuery,
  RequestPreviewView,
} from '#contracts';
import {
  intentCountQuerySchema,
  intentCountSchema,
  intentDetailsSchema,
  intentIdSchema,
  intentPageSchema,
  intentQuerySchema,
} from '#contracts';
import type { IntentStatus } from '#intents/core';
import { previewRequest } from '#gateway';

import { ApiController } from '../access/access.guard.js';
import type { Actor } from '../access/operator.js';
import { ByActor } from '../access/operator.js';
import { ApiOperation, InPrograms, PathParams, Roles } from '../access/route-rules.js';
import type { ApiSettings } from '../api-settings.js';
import { API_SETTINGS } from '../api-settings.js';
import { knownNames } from '../masking/shown-documents.js';
import { RawPath, refuseRequest, timeRange, ZodPipe } from '../requests/read-request.js';
import { IntentCounter } from './count-listed.js';
import { IntentLookup, intentNames, noSuchIntent } from './intent-lookup.js';
import { toIntentDetails, toIntentView, toPreviewView } from './intent-view.js';
import type { IntentFilter, ListedIntent, ListPage, ListPosition } from './list-intents.js';
import { listIntents } from './list-intents.js';
import type { IntentTimeline } from './timeline.js';
import { loadTimeline } from './timeline.js';

const parts = 3;

/** A page's end as a token that clients hand back. */
export function cursorOf({ recordedAt, laneId, seq }: ListPosition): string {
  return Buffer.from([recordedAt, laneId, seq].join('.')).toString('base64url');
}

/** Null for what was never a cursor. */
export function positionOf(cursor: string): ListPosition | null {
  const numbers = Buffer.from(cursor, 'base64url').toString('latin1').split('.').map(Number);
  const [recordedAt = NaN, laneId = NaN, seq = NaN] = numbers;
  const isWhole = numbers.length === parts && numbers.every((number) => Number.isSafeInteger(number) && number >= 0);
  return isWhole && seq < 2 ** 31 ? { recordedAt, laneId, seq } : null;
}

/** Of one status or several, each once; the contract has let no others through. */
function statusFilter(text: string | undefined): IntentFilter {
  const statuses = [...new Set((text ?? '').split(','))] as IntentStatus[];
  const [status, ...others] = statuses;
  if (text === undefined || status === undefined) return {};
  return others.length === 0 ? { status } : { statuses };
}

/** What is looked for, one after the other: `q` may be the id of several things. */
function filtersOf({ q, from, to, status, ...rest }: IntentCountQuery): IntentFilter[] {
  const filter = { ...rest, ...statusFilter(status), ...timeRange({ from, to }) } as IntentFilter;
  return q === undefined ? [filter] : searches(q).map((search) => ({ ...filter, ...search }));
}

function searches(q: string): IntentFilter[] {
  const [name] = intentNames(q);
  if (name !== undefined) return [name];
  return [{ purchaseId: q }, { memberId: q }];
}

/** Lists intents, and shows one with its status and whole timeline. */
@ApiController('intents')
export class IntentsController {
  constructor(
    @Inject(API_SETTINGS) private readonly settings: ApiSettings,
    @Inject(IntentLookup) private readonly intents: IntentLookup,
    @Inject(IntentCounter) private readonly counter: IntentCounter,
  ) {}

  @Get()
  @Roles('viewer')
  @InPrograms('filtered')
  @ApiOperation({ summary: 'Intents', answer: intentPageSchema })
  async list(
    @Query(new ZodPipe(intentQuerySchema)) { cursor, limit, ...query }: IntentQuery,
    @ByActor() { programs }: Actor,
  ): Promise<IntentPage> {
    const after = cursor === undefined ? null : positionOf(cursor);
    if (cursor !== undefined && after === null) refuseRequest('cursor: not one of ours');
    const { database, clock } = this.settings;
    let page: ListPage = { items: [], next: null };
    for (const filter of filtersOf(query)) {
      page = await listIntents(database, { filter, programs, after, limit }, clock);
      if (page.items.length > 0 || page.next !== null) break;
    }
    return { items: page.items.map(toIntentView), nextCursor: page.next === null ? null : cursorOf(page.next) };
  }

  @Get('count')
  @Roles('viewer')
  @InPrograms('filtered')
  @ApiOperation({ summary: 'How many there are', answer: intentCountSchema })
  async count(
    @Query(new ZodPipe(intentCountQuerySchema)) query: IntentCountQuery,
    @ByActor() { programs }: Actor,
  ): Promise<IntentCountView> {
    let counted: IntentCountView = { count: 0, isExact: true };
    for (const filter of filtersOf(query)) {
      counted = await this.counter.count({ filter, programs });
      if (counted.count > 0 || !counted.isExact) break;
    }
    return counted;
  }

  @Get(':id')
  @Roles('viewer')
  @InPrograms('named')
  @PathParams({ id: intentIdSchema })
  @ApiOperation({ summary: 'One intent with its whole story', answer: intentDetailsSchema })
  async one(@RawPath(-1) id: string, @ByActor() actor: Actor): Promise<IntentDetails> {
    const place = await this.intents.find(id, actor);
    const { database, keys } = this.settings;
    const timeline = await loadTimeline(database, place, keys);
    if (timeline === null) throw noSuchIntent();
    const intent = await this.intents.show(place);
    const { programs, programsControl } = this.settings;
    const file = { names: knownNames(programs()), programsHash: programsControl.inForce().hash };
    return toIntentDetails(intent, timeline, this.nextRequest(intent, timeline), file);
  }

  /** Null for what is settled, and for what has no content, or none any more. */
  private nextRequest({ status }: ListedIntent, { command }: IntentTimeline): RequestPreviewView | null {
    if (command === null || status === 'delivered' || status === 'cancelled') return null;
    const { dialects, clock } = this.settings;
    return toPreviewView(previewRequest(command, dialects, clock.now()));
  }
}
