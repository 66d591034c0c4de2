import { Get, Inject } from '@nestjs/common';

import type { MemberView } from '#contracts';
import type { ListedIntent, MemberStory } from '#intents';
import { findMemberStory, intentId, listIntents } from '#intents';

import { ApiController } from '../api-controller.js';
import { API_SETTINGS } from '../api-settings.js';
import type { ApiSettings } from '../api-settings.js';
import { toIntentView } from '../intents/intent-view.js';
import { ApiProblem } from '../problems/api-problem.js';
import { decodedPart } from '../requests/decoded-part.js';
import { RawPath } from '../requests/raw-path.js';

const newestIntents = 50;

interface MemberName {
  readonly program: string;
  readonly memberId: string;
}

function laneOf(name: MemberName, { state, dueAt, isHeld, nextSeq, queued }: MemberStory): MemberView['lane'] {
  return {
    state,
    dueAt: dueAt === null ? null : new Date(dueAt).toISOString(),
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
    createdAt: new Date(createdAt).toISOString(),
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
  async one(@RawPath(-2) programPart: string, @RawPath(-1) memberPart: string): Promise<MemberView> {
    const { database, keys, clock } = this.settings;
    const name = { program: decodedPart(programPart) ?? '', memberId: decodedPart(memberPart) ?? '' };
    const story = await findMemberStory(database, name, keys);
    if (story === null) {
      throw new ApiProblem({ status: 404, code: 'no-such-member', title: 'There is no such member' });
    }
    const { items } = await listIntents(database, { filter: name, after: null, limit: newestIntents }, clock);
    return toView(name, story, items);
  }
}
