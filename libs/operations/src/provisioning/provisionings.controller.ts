import { Body, Get, HttpCode, Inject, Param, Post } from '@nestjs/common';
import type { z } from 'zod';

import type { JobView, ProvisionedList, ProvisionedView } from '#contracts';
import { provisioningRequestSchema, stepResolutionSchema } from '#contracts';
import { isInDoubt } from '#domain';

import { ApiController } from '../access/access.guard.js';
import type { Actor } from '../access/operator.js';
import { ByActor, auditContextOf } from '../access/operator.js';
import type { ApiSettings } from '../api-settings.js';
import { API_SETTINGS } from '../api-settings.js';
import { JobService } from '../jobs/job-service.js';
import { JobsController } from '../jobs/jobs.controller.js';
import { ApiProblem } from '../problems/api-problem.js';
import { isoTime, refuseRequest, ZodPipe } from '../requests/read-request.js';
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

function noSuchProgram(): ApiProblem {
  const title = 'The programs file has no such program';
  return new ApiProblem({ status: 422, code: 'no-such-program', title });
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
/** A job of this name could not be asked for: its path means something else. */
const takenId = 'recorded';

/** Setting brands and programs up at the partner, as the programs file declares it. */
@ApiController('provisionings')
export class ProvisioningsController extends JobsController {
  constructor(@Inject(API_SETTINGS) private readonly settings: ApiSettings) {
    super(new JobService(settings, 'provisioning'));
  }

  /** What we ever did, newest state of each thing. */
  @Get('recorded')
  async recorded(): Promise<ProvisionedList> {
    const { database, clock } = this.settings;
    const things = await listProvisioned(database, null);
    return { items: things.map((thing) => toProvisionedView(thing, clock.now())) };
  }

  @Post()
  @HttpCode(ok)
  async create(
    @Body(new ZodPipe(provisioningRequestSchema)) body: z.output<typeof provisioningRequestSchema>,
    @ByActor() actor: Actor,
  ): Promise<JobView> {
    const { id, program, apply, reason } = body;
    if (id === takenId) refuseRequest('id: means something else here');
    if (program !== undefined && !Object.hasOwn(this.settings.programs().programs, program)) throw noSuchProgram();
    return this.jobs.create({ id, program, reason, request: { apply } }, actor);
  }

  @Post('steps/:stepId/resolve')
  @HttpCode(ok)
  async resolve(
    @Param('stepId') stepId: string,
    @Body(new ZodPipe(stepResolutionSchema)) body: z.output<typeof stepResolutionSchema>,
    @ByActor() actor: Actor,
  ): Promise<ProvisionedView> {
    const { reason, as, partnerId = null } = body;
    const { database, clock } = this.settings;
    const audit = auditContextOf(actor, reason, clock);
    const result = await resolveProvisioned(database, { stepId, as, partnerId, audit });
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
