import type { PipeTransform } from '@nestjs/common';
import { Body, Delete, Get, HttpCode, Post } from '@nestjs/common';
import type { z } from 'zod';

import type { PauseList, PauseResult, PauseView } from '#contracts';
import { pauseListSchema, pauseRequestSchema, pauseResultSchema, pauseViewSchema } from '#contracts';
import type { Pause } from '#intents';
import { listPauses, pauseByOperator, resumeByOperator } from '#intents';
import { Clock, Database } from '#platform';

import { ApiController } from '../access/access.guard.js';
import type { Actor, ProgramLimit } from '../access/operator.js';
import { auditContextOf, ByActor, maySee, programMeant } from '../access/operator.js';
import { ApiOperation, InPrograms, Roles } from '../access/route-rules.js';
import { maskedText } from '../masking/mask-personal.js';
import { ApiProblem } from '../problems/api-problem.js';
import { BodyOrQuery, isoTime, refuseRequest, ZodPipe } from '../requests/read-request.js';

function toPauseView({ program, operation, since, by, reason, automatic }: Pause): PauseView {
  return { program, operation, since: isoTime(since), by, reason, automatic };
}

/** A pause of every program holds theirs, too; who set it and why is about the others as well. */
function shownPause(pause: Pause, limit: ProgramLimit): PauseView[] {
  if (maySee(limit, pause.program)) return [toPauseView(pause)];
  return pause.program === null ? [{ ...toPauseView(pause), by: maskedText, reason: maskedText }] : [];
}

export function shownPauses(pauses: readonly Pause[], limit: ProgramLimit): PauseView[] {
  return pauses.flatMap((pause) => shownPause(pause, limit));
}

type PauseRequest = z.output<typeof pauseRequestSchema>;

interface Target extends Pick<Pause, 'program' | 'operation'> {
  readonly reason: string;
}

/** @throws {ApiProblem} where who asks may not know of that program, or would have to name one */
function targetOf({ program, operation = null, reason }: PauseRequest, { programs }: Actor): Target {
  return { program: programMeant(programs, program ?? undefined) ?? null, operation, reason };
}

/** A forgotten body must not pause everything. */
const refuseForgotten: PipeTransform = {
  transform: (body: unknown) => body ?? refuseRequest('name a program, an operation or both; {} is everything'),
};

const ok = 200;

/** Pauses of programs and operations, set by an operator or by delivery itself. */
@ApiController('pauses')
export class PausesController {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  @Get()
  @Roles('viewer')
  @InPrograms('filtered')
  @ApiOperation({ summary: 'What is paused', answer: pauseListSchema })
  async list(@ByActor() { programs }: Actor): Promise<PauseList> {
    return { items: shownPauses(await listPauses(this.database), programs) };
  }

  @Post()
  @HttpCode(ok)
  @Roles('operator')
  @InPrograms('named')
  @ApiOperation({ summary: 'Pause', answer: pauseResultSchema })
  async pause(
    @Body(refuseForgotten, new ZodPipe(pauseRequestSchema)) asked: PauseRequest,
    @ByActor() actor: Actor,
  ): Promise<PauseResult> {
    const { program, operation, reason } = targetOf(asked, actor);
    const audit = auditContextOf(actor, reason, this.clock);
    const { kind, pause } = await pauseByOperator(this.database, { program, operation }, audit);
    return { pause: toPauseView(pause), isNew: kind === 'paused' };
  }

  @Delete()
  @Roles('operator')
  @InPrograms('named')
  @ApiOperation({ summary: 'Let it go on', answer: pauseViewSchema })
  async resume(
    @BodyOrQuery(new ZodPipe(pauseRequestSchema)) asked: PauseRequest,
    @ByActor() actor: Actor,
  ): Promise<PauseView> {
    const { program, operation, reason } = targetOf(asked, actor);
    const lifted = await resumeByOperator(
      this.database,
      { program, operation },
      auditContextOf(actor, reason, this.clock),
    );
    if (lifted === null) {
      const detail = 'Exactly this is not paused; GET /pauses shows what is.';
      throw new ApiProblem({ status: 404, code: 'no-such-pause', title: 'There is no such pause', detail });
    }
    return toPauseView(lifted);
  }
}
