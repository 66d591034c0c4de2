import { Injectable } from '@nestjs/common';
import type { z } from 'zod';

import type {
  PauseList,
  pauseRequestSchema,
  PauseResult,
  PauseView,
  resumeRequestSchema,
  ResumeResult,
  waitingQuerySchema,
  WaitingView,
} from '#contracts';
import { PAUSE_DAYS_MAX } from '#contracts';
import { isMemberFactor } from '#intents/core';
import type { Pause, PauseTarget } from '#intents';
import { pausesByPeopleMax, PauseRepository } from '#intents';
import { Clock } from '#platform';

import type { Actor, ProgramLimit } from '../access/operator.js';
import { auditContextOf, maySee, programMeant } from '../access/operator.js';
import { maskedText } from '../masking/mask-personal.js';
import { ApiProblem } from '../problems/api-problem.js';
import { isoTime, isoTimeOrNull, refuseRequest } from '../requests/read-request.js';
import { WaitingRepository } from './what-waits.js';

function toPauseView({ program, operation, factor = null, since, until, by, reason, automatic }: Pause): PauseView {
  return { program, operation, factor, since: isoTime(since), until: isoTimeOrNull(until), by, reason, automatic };
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
export type ResumeRequest = z.output<typeof resumeRequestSchema>;
export type WaitingQuery = z.output<typeof waitingQuerySchema>;

/** Refusals that may have led to a pause are no older than this when it begins: as long as delivery counts them. */
const refusedBeforeMs = 10 * 60_000;

const dayMs = 86_400_000;

/** @throws {ApiProblem} where the operator may not know of that program, or would have to name one, or a factor is of nothing */
function targetOf({ program: named, operation = null, factor = null }: WaitingQuery, { programs }: Actor): PauseTarget {
  const program = programMeant(programs, named ?? undefined) ?? null;
  if (factor !== null && program === null) refuseRequest('factor: name the program that it is of');
  if (isMemberFactor(factor) && operation !== null) {
    refuseRequest('operation: a member is held with every operation; leave it out');
  }
  return { program, operation, factor };
}

/** @throws {ApiProblem} */
function untilOf(until: string | undefined, now: number): number | null {
  if (until === undefined) return null;
  const at = Date.parse(until);
  if (at <= now) refuseRequest('until: lies in the past');
  if (at > now + PAUSE_DAYS_MAX * dayMs) refuseRequest(`until: at most ${PAUSE_DAYS_MAX} days ahead`);
  return at;
}

function noSuchPause(): ApiProblem {
  const detail = 'Exactly this is not paused; GET /pauses shows what is.';
  return new ApiProblem({ status: 404, code: 'no-such-pause', title: 'There is no such pause', detail });
}

const refusals = {
  'no-such-member': { status: 404, code: 'no-such-member', title: 'There is no such member' },
  'too-many': {
    ...{ status: 409, code: 'too-many-pauses', title: 'Too much is paused' },
    detail: `People may hold ${pausesByPeopleMax} targets at once: lift some, or hold what they have in common.`,
  },
} as const;

/** Pauses of programs, operations and factors, set by an operator or by delivery itself. */
@Injectable()
export class PauseService {
  constructor(
    private readonly pauses: PauseRepository,
    private readonly waiting: WaitingRepository,
    private readonly clock: Clock,
  ) {}

  async list(limit: ProgramLimit): Promise<PauseList> {
    return { items: shownPauses(await this.pauses.list(this.clock.now()), limit) };
  }

  /** What one pause holds, by factor. @throws {ApiProblem} */
  async whatWaits(asked: WaitingQuery, actor: Actor): Promise<WaitingView> {
    const { program, operation, factor = null } = targetOf(asked, actor);
    if (program === null) refuseRequest('program: name one');
    const pauses = await this.pauses.list(this.clock.now());
    const pause = pauses.find(
      (each) => each.program === program && each.operation === operation && (each.factor ?? null) === factor,
    );
    if (pause === undefined) throw noSuchPause();
    const refusedSince = pause.since - refusedBeforeMs;
    const { factors, ...counted } = await this.waiting.read({ program, operation, factor, refusedSince });
    return { ...counted, factors: [...factors] };
  }

  /** @throws {ApiProblem} */
  async pause(asked: PauseRequest, actor: Actor): Promise<PauseResult> {
    const audit = auditContextOf(actor, asked.reason, this.clock);
    const until = untilOf(asked.until, audit.at);
    const result = await this.pauses.setByOperator({ ...targetOf(asked, actor), until }, audit);
    if (result.pause === null) throw new ApiProblem(refusals[result.kind]);
    return { pause: toPauseView(result.pause), isNew: result.kind === 'paused' };
  }

  /** @throws {ApiProblem} */
  async resume(asked: ResumeRequest, actor: Actor): Promise<ResumeResult> {
    const { but, reason } = asked;
    const audit = auditContextOf(actor, reason, this.clock);
    const target = targetOf(asked, actor);
    const { factor = null } = target;
    if (but.length === 0 && asked.until !== undefined) {
      refuseRequest('until: of what is held instead; name that in but');
    }
    if (but.length > 0 && target.program === null) refuseRequest('but: name the program that it is of');
    if (factor !== null && but.includes(factor)) refuseRequest('but: that is what is to be lifted');
    const lifting = { target, but: [...new Set(but)], until: untilOf(asked.until, audit.at) };
    const result = await this.pauses.liftByOperator(lifting, audit);
    if (result === null) throw noSuchPause();
    return { ...toPauseView(result.lifted), held: result.held.map(toPauseView) };
  }
}
