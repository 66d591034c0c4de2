import type { ExecutionContext } from '@nestjs/common';
import { Body, createParamDecorator, Get, HttpCode, Inject, Post, Query } from '@nestjs/common';
import type { z } from 'zod';

import type { MemberView, PartnerView, UnmaskedMember } from '#contracts';
import {
  memberViewSchema,
  nameSchema,
  partnerViewQuerySchema,
  partnerViewSchema,
  unmaskedMemberSchema,
  unmaskSchema,
} from '#contracts';
import { intentId, auditAccess } from '#intents';

import { ApiController } from '../access/access.guard.js';
import type { Actor } from '../access/operator.js';
import { actorOf, auditContextOf, ByActor, maySee } from '../access/operator.js';
import { ApiOperation, InPrograms, PathParams, Roles } from '../access/route-rules.js';
import type { ApiSettings } from '../api-settings.js';
import { API_SETTINGS } from '../api-settings.js';
import { IntentLookup, noSuchIntent } from '../intents/intent-lookup.js';
import { toIntentView } from '../intents/intent-view.js';
import type { ListedIntent } from '../intents/list-intents.js';
import { listIntents } from '../intents/list-intents.js';
import type { IntentTimeline } from '../intents/timeline.js';
import { loadTimeline } from '../intents/timeline.js';
import { maskPass } from '../masking/shown-documents.js';
import { LookAdmission } from '../partner-reading/look-admission.js';
import { ApiProblem } from '../problems/api-problem.js';
import { decodedPart, isoTime, isoTimeOrNull, rawPart, ZodPipe } from '../requests/read-request.js';
import type { MemberState } from './member-store.js';
import { findMemberState } from './member-store.js';
import { askPartner, lookupOf, toPartnerView } from './partner-view.js';

interface MemberName {
  readonly program: string;
  readonly memberId: string;
}

/**
 * The member that the path names; `fromEnd`: where its id stands, counted from the end.
 * @throws {ApiProblem} where who asks may not know of its program
 */
const MemberInPath = createParamDecorator((fromEnd: number, context: ExecutionContext): MemberName => {
  const part = (at: number): string => decodedPart(rawPart(context, at)) ?? '';
  const program = part(fromEnd - 1);
  if (!maySee(actorOf(context).programs, program)) throw noSuchMember();
  return { program, memberId: part(fromEnd) };
});

export function noSuchMember(): ApiProblem {
  return new ApiProblem({ status: 404, code: 'no-such-member', title: 'There is no such member' });
}

function nobodyToAsk(missing: 'program' | 'partner'): ApiProblem {
  const detail =
    missing === 'program' ? 'The program is not in the programs file.' : 'This process has no WALLET_ settings.';
  return new ApiProblem({ status: 409, code: 'nobody-to-ask', title: 'The partner cannot be asked', detail });
}

const ok = 200;
/** Intents of a member that are shown, the newest first, and those that are unmasked. */
const shownIntentsMax = 50;
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

function toView(name: MemberName, member: MemberState, intents: readonly ListedIntent[]): MemberView {
  const { generation, createdAt, isErased, pass, passKnown } = member;
  return {
    ...name,
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
@ApiController('members')
export class MembersController {
  constructor(
    @Inject(API_SETTINGS) private readonly settings: ApiSettings,
    @Inject(LookAdmission) private readonly looks: LookAdmission,
    @Inject(IntentLookup) private readonly intents: IntentLookup,
  ) {}

  @Get(':program/:memberId')
  @Roles('viewer')
  @InPrograms('named')
  @PathParams({ program: nameSchema, memberId: nameSchema })
  @ApiOperation({ summary: 'One member', answer: memberViewSchema })
  async one(@MemberInPath(-1) name: MemberName): Promise<MemberView> {
    const { database, keys, clock } = this.settings;
    const member = await findMemberState(database, name, keys);
    if (member === null) throw noSuchMember();
    const request = { filter: name, programs: null, after: null, limit: shownIntentsMax };
    const { items } = await listIntents(database, request, clock);
    return toView(name, member, items);
  }

  /** Asks the partner: before somebody says what became of a call in doubt. The request itself leaves a trace. */
  @Get(':program/:memberId/partner')
  @Roles('operator')
  @InPrograms('named')
  @PathParams({ program: nameSchema, memberId: nameSchema })
  @ApiOperation({ summary: 'What the partner says of a member now, beside what we know', answer: partnerViewSchema })
  async partner(
    @MemberInPath(-2) name: MemberName,
    @Query(new ZodPipe(partnerViewQuerySchema)) { reason, intent }: z.output<typeof partnerViewQuerySchema>,
    @ByActor() actor: Actor,
  ): Promise<PartnerView> {
    const { database, keys, clock, partner } = this.settings;
    const first = intent === undefined ? null : await this.ofMember(intent, name, actor);
    const config = this.settings.programs().programs[name.program];
    const member = await findMemberState(database, name, keys);
    if (member === null) throw noSuchMember();
    if (config === undefined || partner === null) throw nobodyToAsk(config === undefined ? 'program' : 'partner');
    const audit = auditContextOf(actor, reason, clock);
    await auditAccess(database, { audit, action: 'member.partner', place: { laneId: member.laneId, seq: 0 } });
    const { items } = await listIntents(
      database,
      { filter: name, programs: null, after: null, limit: shownIntentsMax },
      clock,
    );
    const others = items.filter(({ seq }) => seq !== first?.seq);
    const asked = { ...name, config, member, intents: first === null ? items : [first, ...others] };
    const lookup = await lookupOf(this.settings, asked);
    const answered = await this.looks.run({ name: name.program, program: config }, () =>
      askPartner(this.settings, name.program, lookup),
    );
    return toPartnerView(this.settings, asked, answered);
  }

  /** @throws {ApiProblem} 404 where it is no intent of that member */
  private async ofMember(id: string, { program, memberId }: MemberName, actor: Actor): Promise<ListedIntent> {
    const intent = await this.intents.show(await this.intents.find(id, actor));
    if (intent.program !== program || intent.memberId !== memberId) throw noSuchIntent();
    return intent;
  }

  /** Personal values, for the few who may see them: the request itself leaves a trace. */
  @Post(':program/:memberId/unmask')
  @HttpCode(ok)
  @Roles('admin')
  @InPrograms('named')
  @PathParams({ program: nameSchema, memberId: nameSchema })
  @ApiOperation({ summary: 'One member with everything personal', answer: unmaskedMemberSchema })
  async unmask(
    @MemberInPath(-2) name: MemberName,
    @Body(new ZodPipe(unmaskSchema)) { reason }: z.output<typeof unmaskSchema>,
    @ByActor() actor: Actor,
  ): Promise<UnmaskedMember> {
    const { database, keys, clock } = this.settings;
    const member = await findMemberState(database, name, keys);
    if (member === null) throw noSuchMember();
    const audit = auditContextOf(actor, reason, clock);
    await auditAccess(database, { audit, action: 'member.unmask', place: { laneId: member.laneId, seq: 0 } });
    const request = { filter: name, programs: null, after: null, limit: unmaskedIntentsMax };
    const { items } = await listIntents(database, request, clock);
    const intents: UnmaskedIntent[] = [];
    for (const item of items) {
      const timeline = await loadTimeline(database, item, keys);
      if (timeline !== null) intents.push(toUnmasked(item, timeline));
    }
    return { ...name, intents };
  }
}
