import { Body, HttpCode, Post } from '@nestjs/common';
import type { z } from 'zod';

import type { IntentActionResult } from '#contracts';
import {
  intentActionResultSchema,
  intentCancellationSchema,
  intentIdSchema,
  intentReplaySchema,
  intentResolutionSchema,
} from '#contracts';

import { ApiController } from '../access/access.guard.js';
import type { Actor } from '../access/operator.js';
import { ByActor, requireForce } from '../access/operator.js';
import { ApiOperation, InPrograms, PathParams, Roles } from '../access/route-rules.js';
import { RawPath, ZodPipe } from '../requests/read-request.js';
import { IntentActions } from './intent-actions.js';

const ok = 200;
const decidedByAdmin = 'What an admin has corrected, taken in or forced, as only an admin may, takes an admin.';

/** Operator actions on one intent. Each is audited: who, why and from where. */
@ApiController('intents')
export class IntentActionsController {
  constructor(private readonly actions: IntentActions) {}

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
    return this.actions.act(id, { action: { kind: 'replay', isForced: force }, reason, actor });
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
    return this.actions.act(id, { action, reason: said.reason, actor });
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
    return this.actions.act(id, { action: { kind: 'resolve', as, isForced: force }, reason, actor });
  }
}
