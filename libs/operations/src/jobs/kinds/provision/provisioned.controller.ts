import { Body, Get, HttpCode, Param, Post } from '@nestjs/common';
import { z } from 'zod';

import type { ProvisionedList, ProvisionedView } from '#contracts';
import { provisionedListSchema, provisionedViewSchema, stepResolutionSchema } from '#contracts';
import { isInDoubt } from '#intents/core';
import { Clock, Database } from '#platform';

import { ApiController } from '../../../access/access.guard.js';
import type { Actor } from '../../../access/operator.js';
import { auditContextOf, ByActor } from '../../../access/operator.js';
import { ApiOperation, PathParams, Roles } from '../../../access/route-rules.js';
import { ApiProblem } from '../../../problems/api-problem.js';
import { isoTime, ZodPipe } from '../../../requests/read-request.js';
import type { ProvisionedThing } from './provisioned-store.js';
import { listProvisioned, resolveProvisioned } from './provisioned-store.js';
import { keyOf } from './provisioning-call.js';

function toProvisionedView(thing: ProvisionedThing, now: number): ProvisionedView {
  const { action, state, stepId, partnerId, content, placed, at, jobId: job, actor, evidence } = thing;
  return {
    ...keyOf(thing),
    ...{ action, state, inDoubt: isInDoubt(thing, now), stepId, partnerId },
    content: { ...content },
    placed: placed === null ? null : { ...placed },
    at: isoTime(at),
    job,
    actor,
    evidence: evidence === null ? null : { ...evidence },
  };
}

function noSuchStep(): ApiProblem {
  return new ApiProblem({ status: 404, code: 'no-such-step', title: 'There is no such step' });
}

function stepNotInDoubt(state: string): ApiProblem {
  const title = 'The step is not in doubt';
  return new ApiProblem({ status: 409, code: 'step-not-in-doubt', title, detail: `It is ${state}.` });
}

function idNeeded(): ApiProblem {
  const detail = "A brand attribute is changed by its id: say the partner's id of it as `partnerId`.";
  return new ApiProblem({ status: 422, code: 'partner-id-needed', title: 'Its id is needed', detail });
}

const ok = 200;

/** What was set up at the partner, and what nobody knows of yet. */
@ApiController('provisioned')
export class ProvisionedController {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** What we ever did, newest state of each thing. */
  @Get()
  @Roles('viewer')
  @ApiOperation({ summary: 'What we set up at the partner', answer: provisionedListSchema })
  async recorded(): Promise<ProvisionedList> {
    const things = await listProvisioned(this.database, null);
    return { items: things.map((thing) => toProvisionedView(thing, this.clock.now())) };
  }

  @Post(':stepId/resolve')
  @HttpCode(ok)
  @Roles('operator')
  @PathParams({ stepId: z.uuid() })
  @ApiOperation({ summary: 'Say what became of a call in doubt', answer: provisionedViewSchema })
  async resolve(
    @Param('stepId') stepId: string,
    @Body(new ZodPipe(stepResolutionSchema)) body: z.output<typeof stepResolutionSchema>,
    @ByActor() actor: Actor,
  ): Promise<ProvisionedView> {
    const { reason, as, partnerId = null } = body;
    const audit = auditContextOf(actor, reason, this.clock);
    const result = await resolveProvisioned(this.database, { stepId, as, partnerId, audit });
    switch (result.kind) {
      case 'resolved':
        return toProvisionedView(result.thing, audit.at);
      case 'no-such-step':
        throw noSuchStep();
      case 'not-in-doubt':
        throw stepNotInDoubt(result.thing.state);
      case 'id-needed':
        throw idNeeded();
    }
  }
}
