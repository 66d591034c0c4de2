import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';

import type { ScheduleTime } from '#contracts';
import { scheduleRequestSchema } from '#contracts';
import type { AttemptOutcome, PassContent } from '#intents/core';
import type { AttemptReport, CountReport, Partner, PassQuery, ScheduledUpdate } from '#gateway';
import { previewSchedule } from '#gateway';
import { judgeScheduleTime } from '#members';
import type { SqlStatement } from '#platform';

import { JobFailedError, JobWork } from '../../job-runner.js';
import type { Job, JobTurn } from '../../job-repository.js';
import type { Troubles } from '../../../partner-reading/partner-backoff.js';
import { backOff, isPassing, noTroubles } from '../../../partner-reading/partner-backoff.js';
import { PartnerJobTools } from '../../../partner-reading/partner-job-tools.js';
import type { NamedProgram } from '../../../partner-reading/reading-admission.js';
import { ReadingAdmission, readingTurnMs } from '../../../partner-reading/reading-admission.js';

/** What scheduling works with. */
type SchedulingTools = Pick<
  PartnerJobTools,
  'database' | 'clock' | 'random' | 'logger' | 'programs' | 'dialects' | 'timeoutMs'
> & { readonly partner: Pick<Partner, 'countPasses' | 'scheduleUpdate'> };

const callsPerSecond = 1;
/** Longest call: jobs take turns under one lease of 60 s. */
const callMsMax = 12_000;

const requestSchema = scheduleRequestSchema.pick({ name: true, at: true, select: true, change: true, dryRun: true });

type Asked = z.output<typeof requestSchema>;

const cursorSchema = z.object({
  /** Passes that fit, as the listing counts them (4.5); null: not asked yet. */
  selected: z.number().int().nullable(),
  troubles: z.object({ count: z.number(), lastDelayMs: z.number() }),
  /** When the call was begun, epoch ms: it may have taken effect from then on. */
  begunAt: z.number().optional(),
});

type Cursor = z.output<typeof cursorSchema>;

const begin: Cursor = { selected: null, troubles: noTroubles };

export function scheduleTimeOf(at: Asked['at']): ScheduleTime {
  return typeof at === 'string' ? { timestampMs: Date.parse(at) } : at;
}

/** The instant of a time that was asked for. */
function instantOf({ at }: Asked, nowMs: number): object {
  const judged = judgeScheduleTime(scheduleTimeOf(at), nowMs);
  return judged.kind === 'refused' ? {} : { at: new Date(judged.epochMs).toISOString() };
}

function contentOf({ tier, template, group, message, points, expiryDate }: NonNullable<Asked['change']>): PassContent {
  const passdata = { ...(points !== undefined && { points }), ...(expiryDate !== undefined && { expiryDate }) };
  return {
    ...(tier !== undefined && { tierId: tier }),
    ...(template !== undefined && { templateId: template }),
    ...(group !== undefined && { groupId: group }),
    ...(message !== undefined && { message }),
    ...(Object.keys(passdata).length > 0 && { passdata }),
  };
}

function updateOf({ jobId }: Job, { name, at, select, change }: Asked, { program }: NamedProgram): ScheduledUpdate {
  const { memberId, tier, template, group, status } = select;
  const filters = {
    ...(tier !== undefined && { templateTierId: tier }),
    ...(template !== undefined && { templateId: template }),
    ...(group !== undefined && { groupId: group }),
    ...(status !== undefined && { statusCode: status }),
  };
  return {
    ...{ brandId: program.brandId, programId: program.programId },
    ...{ scheduledName: name ?? `loyaltyd ${jobId}`, at: scheduleTimeOf(at) },
    ...(memberId !== undefined && { uniqueId: memberId }),
    ...(Object.keys(filters).length > 0 && { filters }),
    ...(change !== undefined && { content: contentOf(change) }),
  };
}

/** The same passes as the listing's filters have them. */
function queryOf({ select }: Asked, { program }: NamedProgram): PassQuery {
  const { memberId, tier, template, group, status } = select;
  return {
    ...{ brandId: program.brandId, programId: program.programId },
    ...(memberId !== undefined && { uniqueId: memberId }),
    ...(tier !== undefined && { templateTierId: tier }),
    ...(template !== undefined && { templateId: template }),
    ...(group !== undefined && { groupId: group }),
    ...(status !== undefined && { status: { code: status } }),
  };
}

/**
 * Only one turn ever begins the call, and only where the job is still as that turn has read it: a process that has lost its
 * lease since must not make it once more.
 */
const beginCallStatement: SqlStatement = {
  name: 'begin_scheduling',
  text: `
UPDATE job SET cursor = cursor || jsonb_build_object('begunAt', $2::bigint)
WHERE job_id = $1 AND state = 'running' AND cursor = $3::jsonb RETURNING job_id`,
};

const begunAtStatement: SqlStatement = {
  name: 'scheduling_begun',
  text: `SELECT (cursor->>'begunAt')::bigint AS "begunAt" FROM job WHERE job_id = $1`,
};

/** Schedules a change of passes at the partner, once: counted first, and then called, or only counted (`dryRun`). */
@Injectable()
export class ScheduleWork extends JobWork {
  override readonly kind = 'schedule';
  private readonly ending = new AbortController();
  private readonly admission: ReadingAdmission;

  constructor(@Inject(PartnerJobTools) private readonly tools: SchedulingTools) {
    super();
    this.admission = new ReadingAdmission({ ...tools, stopping: this.ending.signal });
  }

  override stop(): void {
    this.ending.abort();
  }

  async turn(job: Job): Promise<JobTurn> {
    const cursor = job.cursor === null ? begin : cursorSchema.parse(job.cursor);
    const asked = requestSchema.parse(job.request);
    const named = this.programOf(job);
    if (cursor.begunAt !== undefined) return this.ended(job, named, { result: 'unknown', code: 'interrupted', cursor });
    const update = updateOf(job, asked, named);
    const now = this.tools.clock.now();
    // Every turn judges the time: since the request it may have passed.
    const preview = previewSchedule(update, this.tools.dialects, now);
    if (preview.kind === 'refused') throw new JobFailedError(`it cannot be sent: ${preview.problems.join('; ')}`);
    const admission = await this.admission.admit({ job, ...named, callsPerSecond, operation: 'schedule-update' });
    if (admission.kind === 'come-back') return this.later(job, cursor, admission.at);
    if (!(await this.admission.awaitTurn(job, admission.callsPerSecond, readingTurnMs))) {
      return this.later(job, cursor, this.tools.clock.now() + this.admission.dueInMs(job));
    }
    if (cursor.selected === null) return this.count(job, cursor, { asked, named });
    if (asked.dryRun) {
      await this.admission.leave(job, named.name);
      const { request } = preview;
      return this.done(job, cursor, { dryRun: true, selected: cursor.selected, ...instantOf(asked, now), request });
    }
    return this.call(job, cursor, { named, update });
  }

  /** @throws {JobFailedError} where the programs file does not know the program any more */
  private programOf({ program: name }: Job): NamedProgram {
    const { programs } = this.tools.programs();
    const program = name !== null && Object.hasOwn(programs, name) ? programs[name] : undefined;
    if (name === null || program === undefined) throw new JobFailedError('the programs file has no such program');
    return { name, program };
  }

  private get timeoutMs(): number {
    return Math.min(this.tools.timeoutMs, callMsMax);
  }

  private async count(
    job: Job,
    cursor: Cursor,
    { asked, named }: { readonly asked: Asked; readonly named: NamedProgram },
  ): Promise<JobTurn> {
    const counted = await this.tools.partner.countPasses(queryOf(asked, named), { timeoutMs: this.timeoutMs });
    if (counted.kind === 'failed') return this.afterTrouble(job, cursor, { named, failure: counted });
    const { totalCount } = counted;
    const progress = { selected: totalCount };
    return { cursor: { selected: totalCount, troubles: noTroubles }, progress, isDone: false };
  }

  private async call(
    job: Job,
    cursor: Cursor,
    { named, update }: { readonly named: NamedProgram; readonly update: ScheduledUpdate },
  ): Promise<JobTurn> {
    const { database, clock, partner } = this.tools;
    const { rowCount } = await database.execute(beginCallStatement, [
      job.jobId,
      clock.now(),
      JSON.stringify(job.cursor),
    ]);
    if (rowCount === 0) return this.later(job, await this.markedCursor(job, cursor), clock.now());
    const report = await partner.scheduleUpdate(update, { timeoutMs: this.timeoutMs });
    return this.answered(job, cursor, { named, report });
  }

  /** Paused or cancelled meanwhile, or begun by another turn, whose mark must not be lost with what we save. */
  private async markedCursor({ jobId }: Job, cursor: Cursor): Promise<Cursor> {
    const { rows } = await this.tools.database.execute<{ begunAt: number | null }>(begunAtStatement, [jobId]);
    const begunAt = rows[0]?.begunAt ?? null;
    return begunAt === null ? cursor : { ...cursor, begunAt };
  }

  private async answered(
    job: Job,
    cursor: Cursor,
    { named, report }: { readonly named: NamedProgram; readonly report: AttemptReport<unknown> },
  ): Promise<JobTurn> {
    const { outcome, stage } = report;
    switch (outcome.kind) {
      case 'applied':
        return this.ended(job, named, { result: 'scheduled', code: null, cursor });
      case 'rejected':
        return this.ended(job, named, { result: 'refused', code: outcome.code, cursor });
      case 'unknown':
        return this.ended(job, named, { result: 'unknown', code: outcome.code, cursor });
      case 'not-applied':
        return this.notApplied(job, cursor, { named, failure: { ...outcome, stage } });
    }
  }

  private notApplied(
    job: Job,
    cursor: Cursor,
    { named, failure }: { readonly named: NamedProgram; readonly failure: Failure },
  ): Promise<JobTurn> | JobTurn {
    if (failure.systemic) return this.ended(job, named, { result: 'refused', code: failure.code, cursor });
    return this.afterTrouble(job, cursor, { named, failure });
  }

  private async afterTrouble(
    job: Job,
    cursor: Cursor,
    {
      named,
      failure,
    }: { readonly named: NamedProgram; readonly failure: Extract<CountReport, { kind: 'failed' }> | Failure },
  ): Promise<JobTurn> {
    const isOurFault = 'evidence' in failure && !isPassing(failure);
    if (isOurFault) throw new JobFailedError(`the passes could not be counted: ${failure.code}`);
    const trouble = { job: job.jobId, program: named.name, failure, before: cursor.troubles satisfies Troubles };
    const { troubles, againAt } = await backOff(this.tools, trouble);
    return { cursor: { selected: cursor.selected, troubles }, progress: job.progress, isDone: false, againAt };
  }

  private later(job: Job, cursor: Cursor, againAt: number): JobTurn {
    return { cursor, progress: job.progress, isDone: false, againAt };
  }

  private async ended(
    job: Job,
    { name }: NamedProgram,
    {
      result,
      code,
      cursor,
    }: { readonly result: keyof typeof hints; readonly code: string | null; readonly cursor: Cursor },
  ): Promise<JobTurn> {
    await this.admission.leave(job, name);
    const hint = hints[result];
    const failed = result === 'scheduled' ? {} : { failed: 1 };
    const report = { dryRun: false, result, code, selected: cursor.selected, ...(hint === null ? {} : { hint }) };
    return { ...this.done(job, cursor, report), progress: { ...job.progress, ...failed } };
  }

  private done(job: Job, cursor: Cursor, report: object): JobTurn {
    return { cursor, progress: job.progress, isDone: true, report };
  }
}

type Failure = Extract<AttemptOutcome, { kind: 'not-applied' }> & { readonly stage: AttemptReport<unknown>['stage'] };

const hints = {
  scheduled: null,
  refused: 'Nothing was scheduled. Ask with another id once what is refused is mended.',
  unknown: 'It may stand at the partner: look there for a schedule of this name before you ask for it once more.',
} as const;
