import { Get, Inject, Query } from '@nestjs/common';

import type { IntentDetails, IntentPage, RequestPreviewView } from '#contracts';
import { intentQuerySchema } from '#contracts';
import { previewRequest } from '#gateway';
import type { IntentTimeline, ListedIntent, ListPage } from '#intents';
import { listIntents, loadTimeline } from '#intents';

import { ApiController } from '../api-controller.js';
import { API_SETTINGS } from '../api-settings.js';
import type { ApiSettings } from '../api-settings.js';
import { toPreviewView } from '../corrections/preview-view.js';
import { RawPath } from '../requests/raw-path.js';
import { readRequest, refuseRequest } from '../requests/read-request.js';
import { toIntentDetails } from './intent-details.js';
import { filtersOf } from './intent-filters.js';
import { IntentLookup, noSuchIntent } from './intent-lookup.js';
import { toIntentView } from './intent-view.js';
import { cursorOf, positionOf } from './list-cursor.js';

/** Which intents there are, how each stands, and how it came to that. */
@ApiController('intents')
export class IntentsController {
  constructor(
    @Inject(API_SETTINGS) private readonly settings: ApiSettings,
    @Inject(IntentLookup) private readonly intents: IntentLookup,
  ) {}

  @Get()
  async list(@Query() sent: unknown): Promise<IntentPage> {
    const query = readRequest(intentQuerySchema, sent);
    const after = query.cursor === undefined ? null : positionOf(query.cursor);
    if (query.cursor !== undefined && after === null) refuseRequest('cursor: not one of ours');
    const { database, clock } = this.settings;
    let page: ListPage = { items: [], next: null };
    for (const filter of filtersOf(query)) {
      page = await listIntents(database, { filter, after, limit: query.limit }, clock);
      if (page.items.length > 0 || page.next !== null) break;
    }
    return { items: page.items.map(toIntentView), nextCursor: page.next === null ? null : cursorOf(page.next) };
  }

  @Get(':id')
  async one(@RawPath(-1) id: string): Promise<IntentDetails> {
    const place = await this.intents.find(id);
    const { database, keys } = this.settings;
    const timeline = await loadTimeline(database, place, keys);
    if (timeline === null) throw noSuchIntent();
    const intent = await this.intents.show(place);
    return toIntentDetails(intent, timeline, this.nextRequest(intent, timeline));
  }

  /** Null for what is settled, and for what has no content, or none any more. */
  private nextRequest({ status }: ListedIntent, { command }: IntentTimeline): RequestPreviewView | null {
    if (command === null || status === 'delivered' || status === 'cancelled') return null;
    const { dialects, clock } = this.settings;
    return toPreviewView(previewRequest(command, dialects, clock.now()));
  }
}
