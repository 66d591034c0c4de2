import { Body, HttpCode, Inject, Param, Post } from '@nestjs/common';

import type { QuarantineActionResult, QuarantineBulk, QuarantineBulkResult } from '#contracts';
import { bulkDiscardSchema, bulkResubmitSchema, discardSchema, resubmitSchema } from '#contracts';
import { firstPlace } from '#intents';

import { Needs } from '../access/needs.js';
import { ApiController } from '../api-controller.js';
import { API_SETTINGS } from '../api-settings.js';
import type { ApiSettings } from '../api-settings.js';
import type { Actor } from '../requests/actor.js';
import { ByActor } from '../requests/actor.js';
import { idInPath, readRequest, refuseRequest } from '../requests/read-request.js';
import { toActionResult } from './action-result.js';
import { toCorrection } from './correction-body.js';
import { bulkCursorOf, bulkPlaceOf } from './quarantine-cursor.js';
import type { Settling } from './quarantine-desk.js';
import { QuarantineDesk } from './quarantine-desk.js';
import { toQuarantineFilter } from './quarantine-request.js';
import { settleMany } from './settle-many.js';

const ok = 200;

/** What a person makes of records that were set aside. Each leaves a trace with who, why and from where. */
@ApiController('quarantine')
@Needs('operator')
export class QuarantineActionsController {
  constructor(
    @Inject(API_SETTINGS) private readonly settings: ApiSettings,
    @Inject(QuarantineDesk) private readonly desk: QuarantineDesk,
  ) {}

  @Post('resubmit')
  @HttpCode(ok)
  async resubmitMany(@Body() body: unknown, @ByActor() actor: Actor): Promise<QuarantineBulkResult> {
    return this.settleMany(readRequest(bulkResubmitSchema, body), { kind: 'resubmit', actor });
  }

  @Post('discard')
  @HttpCode(ok)
  async discardMany(@Body() body: unknown, @ByActor() actor: Actor): Promise<QuarantineBulkResult> {
    return this.settleMany(readRequest(bulkDiscardSchema, body), { kind: 'discard', actor });
  }

  @Post(':id/resubmit')
  @HttpCode(ok)
  async resubmit(
    @Param('id') id: string,
    @Body() body: unknown,
    @ByActor() actor: Actor,
  ): Promise<QuarantineActionResult> {
    const { reason, corrected } = readRequest(resubmitSchema, body);
    const correction = corrected === undefined ? null : toCorrection(corrected);
    return this.settleOne(id, { kind: 'resubmit', correction, reason, actor });
  }

  @Post(':id/discard')
  @HttpCode(ok)
  async discard(
    @Param('id') id: string,
    @Body() body: unknown,
    @ByActor() actor: Actor,
  ): Promise<QuarantineActionResult> {
    const { reason } = readRequest(discardSchema, body);
    return this.settleOne(id, { kind: 'discard', correction: null, reason, actor });
  }

  private async settleOne(text: string, settling: Settling): Promise<QuarantineActionResult> {
    const id = idInPath(text, 'id');
    await this.desk.settle(id, settling);
    return toActionResult(await this.desk.show(id));
  }

  private async settleMany(asked: QuarantineBulk, by: Pick<Settling, 'kind' | 'actor'>): Promise<QuarantineBulkResult> {
    const { reason, query, limit, cursor } = asked;
    const after = cursor === undefined ? firstPlace : (bulkPlaceOf(cursor) ?? refuseRequest('cursor: not one of ours'));
    const { last, ...settled } = await settleMany(this.settings, {
      filter: toQuarantineFilter(query),
      after,
      limit,
      settle: (id) => this.desk.settle(id, { ...by, correction: null, reason }),
    });
    return { ...settled, nextCursor: settled.remaining > 0 ? bulkCursorOf(last) : null };
  }
}
