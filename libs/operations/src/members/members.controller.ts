import { Get, Inject } from '@nestjs/common';

import type { MemberView } from '#contracts';
import type { ListedIntent, MemberStory } from '#intents';
import { findMemberStory, intentId, listIntents } from '#intents';

import { ApiController } from '../api-controller.js';
import { API_SETTINGS } from '../api-settings.js';
import type { ApiSettings } from '../api-settings.js';
import { toIntentView } from '../intents/intent-view.js';
import { isoTime, isoTimeOrNull } from '../requests/iso-time.js';
import type { MemberName } from './member-name.js';
import { MemberInPath, noSuchMember } from './member-name.js';

const newestIntents = 50;

function laneOf(name: MemberName, { state, dueAt, isHeld, nextSeq, queued }: MemberStory): MemberView['lane'] {
  return {
    state,
    dueAt: isoTimeOrNull(dueAt),
    isHeld,
    next: nextSeq === null ? null : intentId({ ...name, seq: nextSeq }),
    queued,
  };
}

function toView(name: MemberName, story: MemberStory, intents: readonly ListedIntent[]): MemberView {
  const { generation, createdAt, isErased, pass, passKnown } = story;
  return {
    ...name,
    generation,
    createdAt: isoTime(createdAt),
    isErased,
    pass,
    passKnown,
    lane: laneOf(name, story),
    intents: intents.map(toIntentView),
  };
}

/** One member at a time. */
@ApiController('members')
export class MembersController {
  constructor(@Inject(API_SETTINGS) private readonly settings: ApiSettings) {}

  @Get(':program/:memberId')
  async one(@MemberInPath(-1) name: MemberName): Promise<MemberView> {
    const { database, keys, clock } = this.settings;
    const story = await findMemberStory(database, name, keys);
    if (story === null) throw noSuchMember();
    const { items } = await listIntents(database, { filter: name, after: null, limit: newestIntents }, clock);
    return toView(name, story, items);
  }
}
