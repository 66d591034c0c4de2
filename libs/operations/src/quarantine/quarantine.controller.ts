import { Body, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import type { z } from 'zod';

import type {
  QuarantineActionResult,
  QuarantineCausesView,
  QuarantineCountQuery,
  QuarantineCountView,
  QuarantinedDetails,
  QuarantinePage,
  QuarantineQuery,
  UnmaskedRecord,
} from '#contracts';
import {
  discardSchema,
  numberSchema,
  quarantineActionResultSchema,
  quarantineCausesSchema,
  quarantineCountQuerySchema,
  quarantineCountSchema,
  quarantinedDetailsSchema,
  quarantinePageSchema,
  quarantineQuerySchema,
  resubmitSchema,
  unmaskedRecordSchema,
  unmaskSchema,
} from '#contracts';
import { Clock } from '#platform';

import { ApiController } from '../access/access.guard.js';
import { AccessAudit } from '../access/access-audit.js';
import type { Actor } from '../access/operator.js';
import { actingRole, auditContextOf, ByActor } from '../access/operator.js';
import {
  ApiOperation,
  BodyBytesMax,
  LongAction,
  PathParams,
  Roles,
  recordBodyBytesMax,
} from '../access/route-rules.js';
import { CostlyAnswers } from '../requests/costly-answers.js';
import { IdPipe, ZodPipe } from '../requests/read-request.js';
import { toCorrection } from './kept-values.js';
import { QuarantineRecords, toActionResult } from './quarantine-records.js';
import type { Settling } from './quarantine-service.js';
import { QuarantineService } from './quarantine-service.js';

/** What came in and could not become an intent. */
@ApiController('quarantine')
export class QuarantineController {
  private readonly answers: CostlyAnswers<QuarantineCausesView>;

  constructor(
    private readonly records: QuarantineRecords,
    private readonly quarantine: QuarantineService,
    clock: Clock,
  ) {
    this.answers = new CostlyAnswers(clock);
  }

  @Get()
  @Roles('viewer')
  @ApiOperation({ summary: 'Records set aside', answer: quarantinePageSchema })
  async list(@Query(new ZodPipe(quarantineQuerySchema)) query: QuarantineQuery): Promise<QuarantinePage> {
    return this.records.list(query);
  }

  @Get('count')
  @Roles('viewer')
  @ApiOperation({ summary: 'How many are open, why, and who sent them', answer: quarantineCountSchema })
  async count(
    @Query(new ZodPipe(quarantineCountQuerySchema)) query: QuarantineCountQuery,
  ): Promise<QuarantineCountView> {
    return this.records.count(query);
  }

  @Get('causes')
  @Roles('viewer')
  @ApiOperation({ summary: 'Open records by why they were refused', answer: quarantineCausesSchema })
  async causes(
    @Query(new ZodPipe(quarantineCountQuerySchema)) query: QuarantineCountQuery,
  ): Promise<QuarantineCausesView> {
    return this.answers.get(JSON.stringify(query), async () => this.records.causes(query));
  }

  @Get(':id')
  @Roles('viewer')
  @PathParams({ id: numberSchema })
  @ApiOperation({ summary: 'One of them', answer: quarantinedDetailsSchema })
  async one(@Param('id', IdPipe) id: number): Promise<QuarantinedDetails> {
    return this.records.details(await this.quarantine.show(id));
  }
}

const ok = 200;

interface Said extends Pick<Settling, 'kind' | 'correction'> {
  readonly reason: string;
  readonly actor: Actor;
}

/** What a person makes of records that were set aside. Each leaves a trace with who, why and from where. */
@ApiController('quarantine')
export class QuarantineActionsController {
  constructor(
    private readonly records: QuarantineRecords,
    private readonly quarantine: QuarantineService,
    private readonly audit: AccessAudit,
    private readonly clock: Clock,
  ) {}

  @Post(':id/resubmit')
  @HttpCode(ok)
  @Roles('operator', {
    adminFor:
      'What erases a member takes an admin, and so does a correction of anything but time, order, person, texts, store, channel and attributes: the problem names the paths.',
  })
  @PathParams({ id: numberSchema })
  @BodyBytesMax(recordBodyBytesMax)
  @LongAction()
  @ApiOperation({ summary: 'Take one in after all', answer: quarantineActionResultSchema })
  async resubmit(
    @Param('id', IdPipe) id: number,
    @Body(new ZodPipe(resubmitSchema)) { reason, corrected }: z.output<typeof resubmitSchema>,
    @ByActor() actor: Actor,
  ): Promise<QuarantineActionResult> {
    const correction = corrected === undefined ? null : toCorrection(corrected, await this.records.arrived(id));
    return this.settleOne(id, { kind: 'resubmit', correction, reason, actor });
  }

  @Post(':id/discard')
  @HttpCode(ok)
  @Roles('operator')
  @PathParams({ id: numberSchema })
  @ApiOperation({ summary: 'Give one up', answer: quarantineActionResultSchema })
  async discard(
    @Param('id', IdPipe) id: number,
    @Body(new ZodPipe(discardSchema)) { reason }: z.output<typeof discardSchema>,
    @ByActor() actor: Actor,
  ): Promise<QuarantineActionResult> {
    return this.settleOne(id, { kind: 'discard', correction: null, reason, actor });
  }

  /** Personal values, for the few who may see them: the request itself leaves a trace. */
  @Post(':id/unmask')
  @HttpCode(ok)
  @Roles('admin')
  @PathParams({ id: numberSchema })
  @ApiOperation({ summary: 'One with everything personal', answer: unmaskedRecordSchema })
  async unmask(
    @Param('id', IdPipe) id: number,
    @Body(new ZodPipe(unmaskSchema)) { reason }: z.output<typeof unmaskSchema>,
    @ByActor() actor: Actor,
  ): Promise<UnmaskedRecord> {
    const record = await this.records.unmasked(id);
    const detail = { quarantine: id };
    await this.audit.record(actor, { action: 'quarantine.unmask', reason, laneId: null, detail });
    return record;
  }

  private async settleOne(id: number, { actor, reason, ...settling }: Said): Promise<QuarantineActionResult> {
    const said = { audit: auditContextOf(actor, reason, this.clock), role: actingRole(actor) };
    const { counts } = await this.quarantine.settle(id, { ...settling, ...said });
    return toActionResult(await this.quarantine.show(id), counts);
  }
}
