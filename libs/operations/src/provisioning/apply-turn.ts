import { z } from 'zod';

import type { ProgramsFile } from '#contracts';
import { dependsOn, thingKeyText } from '#domain';

import type { Job, JobTurn } from '../jobs/job-store.js';
import { listJobLines } from '../jobs/job-store.js';
import type { StepOutcome, StepResult } from './carry-out-step.js';
import { carryOutStep } from './carry-out-step.js';
import type { ProvisioningTools } from './provisioning-tools.js';
import { toResultLine } from './result-line.js';
import type { StepLine } from './step-line.js';
import { stepLineSchema } from './step-line.js';

/** Steps that one turn looks at; it ends with the first call. */
const stepsPerTurnMax = 100;
/** Calls per second, at most; and at most this part of what a program's limit allows, for it is not counted there. */
const callsPerSecondMax = 5;
const limitShare = 0.1;

/** How far an apply is. */
export const applyCursorSchema = z.object({
  /** The last step that is done with. */
  after: z.int(),
  /** How many steps the plan has. */
  steps: z.int(),
  /** How many of each action. */
  plan: z.record(z.string(), z.int()),
  /** What could not be settled, and others rest on. */
  blocked: z.array(z.string()),
});

export type ApplyCursor = z.output<typeof applyCursorSchema>;

/** What counts as not done, for whoever looks at the exit code. */
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
export function noProgress(steps: number): Record<string, number> {
  return { steps, ...Object.fromEntries(Object.values(counters).map((name) => [name, 0])), failed: 0 };
}

/** Carries a plan on, step by step; a turn makes one call at most. */
export async function applyTurn(job: Job, tools: ProvisioningTools): Promise<JobTurn> {
  const cursor = applyCursorSchema.parse(job.cursor);
  const limit = Math.min(stepsPerTurnMax, cursor.steps - cursor.after);
  const lines = await listJobLines(tools.database, { jobId: job.jobId, after: cursor.after, limit });
  const walk = new Walk(cursor, job.progress);
  for (const { ordinal, data } of lines) {
    const step = stepLineSchema.parse(data);
    const outcome = await walk.outcomeOf(step, () => carryOutStep(step, job, tools));
    if (outcome.kind === 'wait') return walk.turn(outcome.until);
    walk.take(step, ordinal, outcome);
    if (outcome.hasCalled) return walk.turn(tools.clock.now() + paceMsOf(tools.programs()));
  }
  return walk.turn(tools.clock.now());
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

function paceMsOf({ programs }: ProgramsFile): number {
  const limits = Object.values(programs).flatMap(({ limits: { requestsPerSecond: limit } }) => limit ?? []);
  const perSecond = Math.min(callsPerSecondMax, ...limits.map((limit) => limit * limitShare));
  return 1_000 / perSecond;
}
