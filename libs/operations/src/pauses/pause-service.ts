import { Injectable } from '@nestjs/common';
import type { z } from 'zod';

import type { PauseList, pauseRequestSchema, PauseResult, PauseView } from '#contracts';
import type { Pause, PauseTarget } from '#intents';
import { PauseRepository } from '#intents';
import { Clock } from '#platform';

import type { Actor, ProgramLimit } from '../access/operator.js';
import { auditContextOf, maySee, programMeant } from '../access/operator.js';
import { maskedText } from '../masking/mask-personal.js';
import { ApiProblem } from '../problems/api-problem.js';
import { isoTime, refuseRequest } from '../requests/read-request.js';

function toPauseView({ program, operation, factor = null, since, by, reason, automatic }: Pause): PauseView {
  return { program, operation, factor, since: isoTime(since), by, reason, automatic };
}

/** A pause of every program holds theirs, too; who set it and why is about the others as well. */
function shownPause(pause: Pause, limit: ProgramLimit): PauseView[] {
  if (maySee(limit, pause.program)) return [toPauseView(pause)];
  return pause.program === null ? [{ ...toPauseView(pause), by: maskedText, reason: maskedText }] : [];
}

export function shownPauses(pauses: readonly Pause[], limit: ProgramLimit): PauseView[] {
  return pauses.flatMap((pause) => shownPause(pause, limit));
}

export type PauseRequest = z.output<typeof pauseRequestSchema>;

interface Target extends PauseTarget {
  readonly reason: string;
}

/** @throws {ApiProblem} where the operator may not know of that program, or would have to name one, or a factor is of nothing */
function targetOf(asked: PauseRequest, { programs }: Actor): Target {
  const { operation = null, factor = null, reason } = asked;
  const program = programMeant(programs, asked.program ?? undefined) ?? null;
  if (factor !== null && (program === null || operation === null)) {
    refuseRequest('factor: name the program and the operation that it is of');
  }
  return { program, operation, factor, reason };
}

/** Pauses of programs and operations, set by an operator or by delivery itself. */
@Injectable()
export class PauseService {
  constructor(
    private readonly pauses: PauseRepository,
    private readonly clock: Clock,
  ) {}

  async list(limit: ProgramLimit): Promise<PauseList> {
    return { items: shownPauses(await this.pauses.list(), limit) };
  }

  /** @throws {ApiProblem} */
  async pause(asked: PauseRequest, actor: Actor): Promise<PauseResult> {
    const { reason, ...target } = targetOf(asked, actor);
    const audit = auditContextOf(actor, reason, this.clock);
    const { kind, pause } = await this.pauses.setByOperator(target, audit);
    return { pause: toPauseView(pause), isNew: kind === 'paused' };
  }

  /** @throws {ApiProblem} */
  async resume(asked: PauseRequest, actor: Actor): Promise<PauseView> {
    const { reason, ...target } = targetOf(asked, actor);
    const audit = auditContextOf(actor, reason, this.clock);
    const lifted = await this.pauses.liftByOperator(target, audit);
    if (lifted === null) {
      const detail = 'Exactly this is not paused; GET /pauses shows what is.';
      throw new ApiProblem({ status: 404, code: 'no-such-pause', title: 'There is no such pause', detail });
    }
    return toPauseView(lifted);
  }
}
