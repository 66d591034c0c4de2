import { Body, HttpCode, Inject, Post } from '@nestjs/common';
import type { z } from 'zod';

import type { IntentActionResult } from '#contracts';
import {
  intentActionResultSchema,
  intentCancellationSchema,
  intentIdSchema,
  intentReplaySchema,
  intentResolutionSchema,
} from '#contracts';
import type { IntentAction } from '#intents';
import { actOnIntent } from '#intents';

import { ApiController } from '../access/access.guard.js';
import type { Actor } from '../access/operator.js';
import { actingRole, ByActor, refuseUndoing, requireForce, auditContextOf } from '../access/operator.js';
import { ApiOperation, InPrograms, PathParams, Roles } from '../access/route-rules.js';
import type { ApiSettings } from '../api-settings.js';
import { API_SETTINGS } from '../api-settings.js';
import { RawPath, ZodPipe } from '../requests/read-request.js';
import { IntentLookup, refusedAction } from './intent-lookup.js';
import { toIntentView } from './intent-view.js';

const ok = 200;
const decidedByAdmin = 'What an admin has corrected, taken in or forced, as only an admin may, takes an admin.';

interface Said {
  readonly action: IntentAction;
  readonly reason: string;
  readonly actor: Actor;
}

/** Operator actions on one intent. Each is audited: who, why and from where. */
@ApiController('intents')
export class IntentActionsController {
  constructor(
    @Inject(API_SETTINGS) private readonly settings: ApiSettings,
    @Inject(IntentLookup) private readonly intents: IntentLookup,
  ) {}

  @Post(':id/replay')
  @HttpCode(ok)
  @Roles('operator', { adminFor: '`force` takes an admin.' })
  @InPrograms('named')
  @PathParams({ id: intentIdSchema })
  @ApiOperation({ summary: 'Send a parked intent once more', answer: intentActionResultSchema })
  async replay(
    @RawPath(-2) id: string,
    @Body(new ZodPipe(intentReplaySchema)) { reason, force }: z.output<typeof intentReplaySchema>,
    @ByActor() actor: Actor,
  ): Promise<IntentActionResult> {
    requireForce(force, actor);
    return this.act(id, { action: { kind: 'replay', isForced: force }, reason, actor });
  }

  @Post(':id/cancel')
  @HttpCode(ok)
  @Roles('operator', { adminFor: decidedByAdmin })
  @InPrograms('named')
  @PathParams({ id: intentIdSchema })
  @ApiOperation({ summary: 'Do not send it', answer: intentActionResultSchema })
  async cancel(
    @RawPath(-2) id: string,
    @Body(new ZodPipe(intentCancellationSchema)) said: z.output<typeof intentCancellationSchema>,
    @ByActor() actor: Actor,
  ): Promise<IntentActionResult> {
    const action = { kind: 'cancel', isNotDelivered: said.notDelivered } as const;
    return this.act(id, { action, reason: said.reason, actor });
  }

  @Post(':id/resolve')
  @HttpCode(ok)
  @Roles('operator', { adminFor: `\`force\` takes an admin. As delivered: ${decidedByAdmin}` })
  @InPrograms('named')
  @PathParams({ id: intentIdSchema })
  @ApiOperation({ summary: 'Say what became of it', answer: intentActionResultSchema })
  async resolve(
    @RawPath(-2) id: string,
    @Body(new ZodPipe(intentResolutionSchema)) { reason, as, force }: z.output<typeof intentResolutionSchema>,
    @ByActor() actor: Actor,
  ): Promise<IntentActionResult> {
    requireForce(force, actor);
    return this.act(id, { action: { kind: 'resolve', as, isForced: force }, reason, actor });
  }

  private async act(id: string, { action, reason, actor }: Said): Promise<IntentActionResult> {
    const { database, keys, clock } = this.settings;
    const place = await this.intents.find(id, actor);
    const audit = auditContextOf(actor, reason, clock);
    const result = await actOnIntent(database, { place, action, audit, role: actingRole(actor) }, keys);
    if (result.kind === 'refused') {
      refuseUndoing(result.reason);
      throw refusedAction(result.reason);
    }
    return { intent: toIntentView(await this.intents.show(place)), overtaken: result.overtaken };
  }
}
