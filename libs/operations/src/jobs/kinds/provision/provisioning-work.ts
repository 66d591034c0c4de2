import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';

import type { ProgramsFile } from '#contracts';
import { dependsOn, planProvisioning, thingKeyText } from '#intents/core';
import { readGate } from '#intents';

import { JobFailedError, JobWork } from '../../job-runner.js';
import type { Job, JobTurn } from '../../job-repository.js';
import { JobRepository } from '../../job-repository.js';
import type { Allowance } from '../../pace.js';
import { unlimited } from '../../pace.js';
import { awayMs } from '../../../partner-reading/reading-admission.js';
import { ProvisionedRepository } from './provisioned-repository.js';
import { PartnerJobTools } from '../../../partner-reading/partner-job-tools.js';
import type { ProvisioningTools } from './provisioning-call.js';
import { keyOf } from './provisioning-call.js';
import type { StepLine, StepOutcome, StepResult } from './provisioning-step.js';
import { carryOutStep, stepLineSchema, toStepLine } from './provisioning-step.js';

type Result = Extract<StepOutcome, { readonly kind: 'result' }>;

/** The line that a step leaves when it is done with: what the partner said, where it said something. */
function toResultLine(step: StepLine, ordinal: number, { result, row }: Result): Record<string, unknown> {
  const { request: _request, ...said } = row?.evidence ?? {};
  const isSaid = result !== 'in-place' && result !== 'left-alone' && result !== 'skipped';
  return {
    ...{ line: 'result', step: ordinal, result, ...keyOf(step) },
    ...(row === null ? {} : { partnerId: row.partnerId, stepId: row.stepId }),
    ...(isSaid ? said : {}),
    ...hintOf(result, step, said['code']),
  };
}

function hintOf(result: Result['result'], { kind, transactionTypeId, name }: StepLine, code: unknown): object {
  if (result === 'skipped') {
    return { hint: `What it rests on could not be settled: transaction type ${transactionTypeId ?? name}.` };
  }
  if (result === 'unknown') {
    return { hint: 'Look at the partner, then resolve the step. Until then it is not made again.' };
  }
  if (result !== 'refused' || code !== 'duplicate') return {};
  const how = kind === 'brand-attribute' ? 'give its `id`' : 'declare `exists: true`';
  return { hint: `There seems to be one of that name already, not made by us: ${how}.` };
}

/** Steps that one turn looks at; it ends with the first call. */
const stepsPerTurnMax = 100;
/** Calls per second, at most; and at most this part of what a program's limit allows, for it is not counted there. */
const callsPerSecondMax = 5;
const limitShare = 0.1;

/** How far an apply is. */
const applyCursorSchema = z.object({
  /** The last step that is done with. */
  after: z.int(),
  /** How many steps the plan has. */
  steps: z.int(),
  /** How many of each action. */
  plan: z.record(z.string(), z.int()),
  /** What could not be settled, and others rest on. */
  blocked: z.array(z.string()),
});

type ApplyCursor = z.output<typeof applyCursorSchema>;

/** What counts as not done, for the exit code of the command. */
const failures: ReadonlySet<StepResult> = new Set<StepResult>(['refused', 'unknown']);

const counters: Readonly<Record<StepResult, string>> = {
  created: 'created',
  updated: 'updated',
  'in-place': 'inPlace',
  refused: 'refused',
  unknown: 'unknown',
  skipped: 'skipped',
  'left-alone': 'leftAlone',
};

/** What an apply counts, from its beginning. */
function noProgress(steps: number): Record<string, number> {
  return { steps, ...Object.fromEntries(Object.values(counters).map((name) => [name, 0])), failed: 0 };
}

/** Carries a plan on, step by step; a turn makes one call at most. */
async function applyTurn(job: Job, { rate }: Allowance, tools: ProvisioningTools): Promise<JobTurn> {
  const cursor = applyCursorSchema.parse(job.cursor);
  const limit = Math.min(stepsPerTurnMax, cursor.steps - cursor.after);
  const lines = await tools.jobs.lines({ jobId: job.jobId, after: cursor.after, limit });
  const walk = new Walk(cursor, job.progress);
  const closedUntil = await findClosed(tools);
  if (closedUntil !== null) return walk.turn(closedUntil);
  const pausedMs = paceMsOf(tools.programs(), job);
  if (rate < 1) return walk.turn(tools.clock.now() + pausedMs);
  for (const { ordinal, data } of lines) {
    const step = stepLineSchema.parse(data);
    const outcome = await walk.outcomeOf(step, () => carryOutStep(step, job, tools));
    if (outcome.kind === 'wait') return walk.turn(outcome.until);
    walk.take(step, ordinal, outcome);
    if (outcome.hasCalled) {
      const called = { begun: 1, hasFailed: failures.has(outcome.result) };
      return { ...walk.turn(tools.clock.now() + pausedMs), ...called };
    }
  }
  return walk.turn(tools.clock.now());
}

/**
 * While one of the programs is paused, or the partner's cooldown lasts, nothing is set up: it may be for any of them.
 * @returns until when, epoch ms; null: nothing is closed
 */
async function findClosed({ database, clock, programs }: ProvisioningTools): Promise<number | null> {
  const now = clock.now();
  const { provision, programs: all } = programs();
  const brands = Object.keys(provision?.brands ?? {});
  const meant = Object.entries(all).filter(
    ([name, { brandId }]) => brands.includes(brandId) || Object.hasOwn(provision?.programs ?? {}, name),
  );
  for (const [name] of meant) {
    const { isPaused, closedUntil } = await readGate(database, name, now);
    if (isPaused) return now + awayMs;
    if (closedUntil !== null && closedUntil > now) return closedUntil;
  }
  return null;
}

/** What one turn comes to. */
class Walk {
  private readonly progress: Record<string, number>;
  private readonly blocked: Set<string>;
  private readonly lines: Record<string, unknown>[] = [];
  private after: number;

  constructor(
    private readonly cursor: ApplyCursor,
    progress: Job['progress'],
  ) {
    this.progress = { ...progress };
    this.blocked = new Set(cursor.blocked);
    this.after = cursor.after;
  }

  async outcomeOf(step: StepLine, carryOut: () => Promise<StepOutcome>): Promise<StepOutcome> {
    const nothing = { kind: 'result', row: null, hasCalled: false } as const;
    if (!['create', 'update', 'unknown', 'in-place'].includes(step.action)) return { ...nothing, result: 'left-alone' };
    const base = dependsOn(step);
    if (base !== null && this.blocked.has(thingKeyText(base))) return { ...nothing, result: 'skipped' };
    return carryOut();
  }

  take(step: StepLine, ordinal: number, outcome: Extract<StepOutcome, { readonly kind: 'result' }>): void {
    const { result } = outcome;
    this.after = ordinal;
    this.count(counters[result]);
    if (failures.has(result)) {
      this.count('failed');
      if (step.kind === 'transaction-type') this.blocked.add(thingKeyText(step));
    }
    if (result !== 'left-alone') this.lines.push(toResultLine(step, ordinal, outcome));
  }

  turn(againAt: number): JobTurn {
    const { steps, plan } = this.cursor;
    const isDone = this.after >= steps;
    const cursor: ApplyCursor = { after: this.after, steps, plan, blocked: [...this.blocked] };
    const done = { cursor, progress: this.progress, lines: this.lines, isDone, againAt };
    return isDone ? { ...done, report: { apply: true, plan } } : done;
  }

  private count(name: string): void {
    this.progress[name] = (this.progress[name] ?? 0) + 1;
  }
}

function paceMsOf({ programs }: ProgramsFile, { ratePerSecond }: Job): number {
  const limits = Object.values(programs).flatMap(({ limits: { requestsPerSecond: limit } }) => limit ?? []);
  const perSecond = Math.min(
    ratePerSecond ?? Infinity,
    callsPerSecondMax,
    ...limits.map((limit) => limit * limitShare),
  );
  return 1_000 / perSecond;
}

/** Sets brands and programs up at the partner as the programs file declares it, or says what that would take. */
@Injectable()
export class ProvisioningWork extends JobWork {
  override readonly kind = 'provision';
  private readonly tools: ProvisioningTools;

  constructor(
    @Inject(PartnerJobTools) tools: Omit<ProvisioningTools, 'things' | 'jobs'>,
    things: ProvisionedRepository,
    jobs: JobRepository,
  ) {
    super();
    this.tools = { ...tools, things, jobs };
  }

  async turn(job: Job, allowance: Allowance = unlimited): Promise<JobTurn> {
    return job.cursor === null ? planTurn(job, this.tools) : applyTurn(job, allowance, this.tools);
  }
}

/** The partner's ids of a job's program; null for all. @throws {JobFailedError} */
function scopeOf({ program }: Job, { programs }: ProgramsFile): { brandId: string; programId: string } | null {
  if (program === null) return null;
  const found = Object.hasOwn(programs, program) ? programs[program] : undefined;
  if (found === undefined) throw new JobFailedError(`the programs file has no program ${program}`);
  return { brandId: found.brandId, programId: found.programId };
}

/** The plan is made once, of the file that is in force: what is applied is what its lines say. */
async function planTurn(job: Job, { things, clock, dialects, programs }: ProvisioningTools): Promise<JobTurn> {
  const file = programs();
  const recorded = await things.list(scopeOf(job, file));
  const { steps, warnings } = planProvisioning({ file, program: job.program, recorded, now: clock.now() });
  const isToApply = job.request['apply'] === true && steps.length > 0;
  const actions = Object.entries(Object.groupBy(steps, ({ action }) => action));
  const plan = Object.fromEntries(actions.map(([action, found]) => [action, found.length]));
  const cursor: ApplyCursor = { after: 0, steps: steps.length, plan, blocked: [] };
  return {
    cursor,
    progress: { ...noProgress(steps.length), warnings: warnings.length },
    lines: [
      ...steps.map((step, index) => toStepLine(step, index + 1, dialects)),
      ...warnings.map(({ path, warning }) => ({ line: 'warning', path, warning })),
    ],
    isDone: !isToApply,
    report: { apply: isToApply, plan },
  };
}
