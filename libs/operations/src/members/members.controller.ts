import type { ExecutionContext } from '@nestjs/common';
import { Body, createParamDecorator, Get, HttpCode, Post, Query } from '@nestjs/common';
import type { z } from 'zod';

import type { MemberCardLinks, MemberView, PartnerView, UnmaskedMember } from '#contracts';
import {
  cardLinksSchema,
  memberCardLinksSchema,
  memberViewSchema,
  nameSchema,
  partnerViewQuerySchema,
  partnerViewSchema,
  unmaskedMemberSchema,
  unmaskSchema,
} from '#contracts';

import { ApiController } from '../access/access.guard.js';
import type { Actor } from '../access/operator.js';
import { actorOf, ByActor, maySee } from '../access/operator.js';
import { ApiOperation, InPrograms, PathParams, Roles } from '../access/route-rules.js';
import { QuarantineRecords } from '../quarantine/quarantine-records.js';
import { decodedPart, rawPart, ZodPipe } from '../requests/read-request.js';
import type { MemberName } from './member-service.js';
import { MemberService, noSuchMember } from './member-service.js';
import { PartnerViewService } from './partner-view.js';

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

const ok = 200;

/** One member at a time. */
@ApiController('members')
export class MembersController {
  constructor(
    private readonly members: MemberService,
    private readonly partners: PartnerViewService,
    private readonly records: QuarantineRecords,
  ) {}

  @Get(':program/:memberId')
  @Roles('viewer')
  @InPrograms('named')
  @PathParams({ program: nameSchema, memberId: nameSchema })
  @ApiOperation({ summary: 'One member', answer: memberViewSchema })
  async one(@MemberInPath(-1) name: MemberName, @ByActor() actor: Actor): Promise<MemberView> {
    return { ...(await this.members.one(name)), setAside: await this.records.ofMember(name, actor) };
  }

  /** Asks the partner, so that an operator can say what became of a call in doubt. The request itself is audited. */
  @Get(':program/:memberId/partner')
  @Roles('operator')
  @InPrograms('named')
  @PathParams({ program: nameSchema, memberId: nameSchema })
  @ApiOperation({ summary: 'What the partner says of a member now, beside what we know', answer: partnerViewSchema })
  async partner(
    @MemberInPath(-2) name: MemberName,
    @Query(new ZodPipe(partnerViewQuerySchema)) query: z.output<typeof partnerViewQuerySchema>,
    @ByActor() actor: Actor,
  ): Promise<PartnerView> {
    return this.partners.ask(name, query, actor);
  }

  @Post(':program/:memberId/card-links')
  @HttpCode(ok)
  @Roles('operator')
  @InPrograms('named')
  @PathParams({ program: nameSchema, memberId: nameSchema })
  @ApiOperation({ summary: 'Where a member downloads the card', answer: memberCardLinksSchema })
  async cardLinks(
    @MemberInPath(-2) name: MemberName,
    @Body(new ZodPipe(cardLinksSchema)) { reason }: z.output<typeof cardLinksSchema>,
    @ByActor() actor: Actor,
  ): Promise<MemberCardLinks> {
    return this.members.cardLinks(name, reason, actor);
  }

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
    return this.members.unmask(name, reason, actor);
  }
}
