import { Injectable } from '@nestjs/common';
import type { z } from 'zod';

import type { ProvisionedList, ProvisionedView, stepResolutionSchema } from '#contracts';
import { isInDoubt } from '#intents/core';
import { Clock } from '#platform';

import type { Actor } from '../../../access/operator.js';
import { auditContextOf } from '../../../access/operator.js';
import { ApiProblem } from '../../../problems/api-problem.js';
import { isoTime } from '../../../requests/read-request.js';
import type { ProvisionedThing } from './provisioned-repository.js';
import { ProvisionedRepository } from './provisioned-repository.js';
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

/** What was set up at the partner, and what is in doubt of it. */
@Injectable()
export class ProvisionedService {
  constructor(
    private readonly things: ProvisionedRepository,
    private readonly clock: Clock,
  ) {}

  /** What we ever did, newest state of each thing. */
  async list(): Promise<ProvisionedList> {
    const things = await this.things.list(null);
    return { items: things.map((thing) => toProvisionedView(thing, this.clock.now())) };
  }

  /** @throws {ApiProblem} */
  async resolve(
    stepId: string,
    resolution: z.output<typeof stepResolutionSchema>,
    actor: Actor,
  ): Promise<ProvisionedView> {
    const { reason, as, partnerId = null } = resolution;
    const audit = auditContextOf(actor, reason, this.clock);
    const result = await this.things.resolve({ stepId, as, partnerId, audit });
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
