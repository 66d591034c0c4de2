import { Body, HttpCode, Inject, Post } from '@nestjs/common';

import type { UnmaskedMember } from '#contracts';
import { unmaskSchema } from '#contracts';
import type { IntentTimeline, ListedIntent } from '#intents';
import { findMemberStory, intentId, leaveTrace, listIntents, loadTimeline } from '#intents';

import { Needs } from '../access/needs.js';
import { ApiController } from '../api-controller.js';
import { API_SETTINGS } from '../api-settings.js';
import type { ApiSettings } from '../api-settings.js';
import type { Actor } from '../requests/actor.js';
import { ByActor, wordOf } from '../requests/actor.js';
import { isoTime } from '../requests/iso-time.js';
import { readRequest } from '../requests/read-request.js';
import type { MemberName } from './member-name.js';
import { MemberInPath, noSuchMember } from './member-name.js';

const ok = 200;
const newestIntents = 20;

type UnmaskedIntent = UnmaskedMember['intents'][number];

function toIntent(intent: ListedIntent, timeline: IntentTimeline): UnmaskedIntent {
  const { isErased, command, sourceRecord, events } = timeline;
  return {
    id: intentId(intent),
    isErased,
    command,
    sourceRecord,
    events: events.map(({ version, type, at, evidence }) => ({
      version,
      type,
      at: isoTime(at),
      evidence,
    })),
  };
}

/** Personal values, for the few who may see them. */
@ApiController('members')
@Needs('admin')
export class UnmaskController {
  constructor(@Inject(API_SETTINGS) private readonly settings: ApiSettings) {}

  @Post(':program/:memberId/unmask')
  @HttpCode(ok)
  async unmask(
    @MemberInPath(-2) name: MemberName,
    @Body() body: unknown,
    @ByActor() actor: Actor,
  ): Promise<UnmaskedMember> {
    const { reason } = readRequest(unmaskSchema, body);
    const { database, keys, clock } = this.settings;
    const story = await findMemberStory(database, name, keys);
    if (story === null) throw noSuchMember();
    const word = wordOf(actor, reason, clock);
    await leaveTrace(database, { word, action: 'member.unmask', place: { laneId: story.laneId, seq: 0 } });
    const { items } = await listIntents(database, { filter: name, after: null, limit: newestIntents }, clock);
    const intents: UnmaskedIntent[] = [];
    for (const item of items) {
      const timeline = await loadTimeline(database, item, keys);
      if (timeline !== null) intents.push(toIntent(item, timeline));
    }
    return { ...name, intents };
  }
}
