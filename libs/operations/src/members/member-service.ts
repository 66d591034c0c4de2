import { Injectable } from '@nestjs/common';

import type { MemberCardLinks, MemberView, UnmaskedMember } from '#contracts';
import { scriptsOf } from '#contracts';
import { intentId } from '#intents';

import { AccessAudit } from '../access/access-audit.js';
import type { Actor } from '../access/operator.js';
import { IntentLookup } from '../intents/intent-lookup.js';
import { toIntentView } from '../intents/intent-view.js';
import type { ListedIntent } from '../intents/list-intents.js';
import type { IntentTimeline } from '../intents/timeline.js';
import { TimelineRepository } from '../intents/timeline.js';
import { maskPass, showCardLinks } from '../masking/shown-documents.js';
import { ApiProblem } from '../problems/api-problem.js';
import { isoTime, isoTimeOrNull } from '../requests/read-request.js';
import type { MemberState } from './member-repository.js';
import { MemberRepository } from './member-repository.js';

export interface MemberName {
  readonly program: string;
  readonly memberId: string;
}

export function noSuchMember(): ApiProblem {
  return new ApiProblem({ status: 404, code: 'no-such-member', title: 'There is no such member' });
}

/** Intents of a member that are shown, the newest first, and those that are unmasked. */
export const shownIntentsMax = 50;
const unmaskedIntentsMax = 20;

function laneOf(name: MemberName, { state, dueAt, isHeld, nextSeq, queued }: MemberState): MemberView['lane'] {
  return {
    state,
    dueAt: isoTimeOrNull(dueAt),
    isHeld,
    next: nextSeq === null ? null : intentId({ ...name, seq: nextSeq }),
    queued,
  };
}

/** What is set aside of theirs is no part of their lane. */
type KnownMember = Omit<MemberView, 'setAside'>;

function toView(name: MemberName, member: MemberState, intents: readonly ListedIntent[]): KnownMember {
  const { generation, createdAt, isErased, pass, passKnown } = member;
  return {
    ...name,
    ...scriptsOf(name.program, name.memberId),
    generation,
    createdAt: isoTime(createdAt),
    isErased,
    pass: pass === null ? null : maskPass(pass),
    passKnown,
    lane: laneOf(name, member),
    intents: intents.map(toIntentView),
  };
}

type UnmaskedIntent = UnmaskedMember['intents'][number];

function toUnmasked(intent: ListedIntent, timeline: IntentTimeline): UnmaskedIntent {
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

/** One member at a time. */
@Injectable()
export class MemberService {
  constructor(
    private readonly members: MemberRepository,
    private readonly intents: IntentLookup,
    private readonly timelines: TimelineRepository,
    private readonly audit: AccessAudit,
  ) {}

  /** @throws {ApiProblem} 404 */
  async one(name: MemberName): Promise<KnownMember> {
    const member = await this.find(name);
    return toView(name, member, await this.newest(name, shownIntentsMax));
  }

  /** The addresses of the card, as the partner last answered: the request itself leaves a trace. @throws {ApiProblem} 404 */
  async cardLinks(name: MemberName, reason: string, actor: Actor): Promise<MemberCardLinks> {
    const { laneId, pass } = await this.find(name);
    await this.audit.record(actor, { action: 'member.card-links', reason, laneId });
    return { ...name, ...showCardLinks(pass) };
  }

  /** Personal values, for the few who may see them: the request itself leaves a trace. @throws {ApiProblem} 404 */
  async unmask(name: MemberName, reason: string, actor: Actor): Promise<UnmaskedMember> {
    const { laneId } = await this.find(name);
    await this.audit.record(actor, { action: 'member.unmask', reason, laneId });
    const intents: UnmaskedIntent[] = [];
    for (const item of await this.newest(name, unmaskedIntentsMax)) {
      const timeline = await this.timelines.load(item);
      if (timeline !== null) intents.push(toUnmasked(item, timeline));
    }
    return { ...name, ...scriptsOf(name.program, name.memberId), intents };
  }

  private async find(name: MemberName): Promise<MemberState> {
    const member = await this.members.state(name);
    if (member === null) throw noSuchMember();
    return member;
  }

  private async newest(filter: MemberName, limit: number): Promise<readonly ListedIntent[]> {
    return (await this.intents.list({ filter, programs: null, after: null, limit })).items;
  }
}
