import { Body, Controller, Patch, Query } from '@nestjs/common';
import {
  type ScheduleBody,
  scheduleBodySchema,
  type ScheduleQuery,
  scheduleQuerySchema,
} from '../contract/schedule-body.js';
import type { Wording } from '../contract/wordings.js';
import { EffectWriter } from '../effects/effect-writer.js';
import { type Call, CurrentCall } from '../http/call.js';
import { PartnerEndpoint } from '../http/partner-endpoint.js';
import { givenConditions, type PassCondition, statusIs } from '../passes/pass-condition.js';
import { requireEmailIdentifier } from '../passes/unique-id.js';
import { Catalogue, type Program } from '../seed/catalogue.js';
import { dueTimeMs } from './due-time.js';
import { Scheduler } from './scheduler.js';

type Filters = NonNullable<ScheduleBody['filters']>;

/** What the filters of a schedule, those of its query or of its body, ask of a pass. Throws Refusal (400). */
function scheduleConditions(filters: ScheduleQuery | Filters, program: Program, wording: Wording): PassCondition[] {
  if (filters.email !== undefined) requireEmailIdentifier(program, wording);
  const { serialNumber, groupId, templateId, templateTierId, statusCode }: Filters = filters;
  return [
    ...givenConditions([
      ['uniqueId', filters.unique_id],
      ['identity', filters.email],
      ['personId', filters.person_id],
      ['serialNumber', serialNumber],
      ['groupId', groupId],
      ['templateId', templateId],
      ['templateTierId', templateTierId],
    ]),
    ...(statusCode === undefined ? [] : [statusIs(String(statusCode))]),
  ];
}

/** 4.4: schedules a change for the passes that will match its filters when its time has come. */
@Controller('brands/:brandId/programs/:programId/wallets/schedule')
export class ScheduleUpdateController {
  constructor(
    private readonly catalogue: Catalogue,
    private readonly effects: EffectWriter,
    private readonly scheduler: Scheduler,
  ) {}

  @Patch()
  @PartnerEndpoint('schedule-update')
  async schedule(
    @CurrentCall() call: Call,
    @Query({ schema: scheduleQuerySchema }) query: ScheduleQuery,
    @Body({ schema: scheduleBodySchema }) body: ScheduleBody,
  ): Promise<object> {
    const program = this.catalogue.program(call);
    const dueAt = dueTimeMs(body, call.wording);
    const { filters = {}, scheduledName: name = null, update: change = {} } = body;
    const conditions = [query, filters].flatMap((given) => scheduleConditions(given, program, call.wording));
    const askedUniqueId = filters.unique_id ?? query.unique_id ?? null;
    const askedIdentity = filters.email ?? query.email ?? askedUniqueId;
    const asked = { name, dueAt, conditions, change };
    const answer = await this.effects.apply({
      operation: 'schedule-update',
      call,
      program,
      asked,
      askedUniqueId,
      askedIdentity,
      body,
    });
    this.scheduler.expect(dueAt);
    return answer;
  }
}
