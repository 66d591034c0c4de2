import type { ProgramsFile } from '#contracts';
import { planProvisioning } from '#domain';
import { listProvisioned } from '#intents';

import type { JobWork } from '../jobs/job-runner.js';
import { JobFailedError } from '../jobs/job-runner.js';
import type { Job, JobTurn } from '../jobs/job-store.js';
import type { ApplyCursor } from './apply-turn.js';
import { applyTurn, noProgress } from './apply-turn.js';
import type { ProvisioningTools } from './provisioning-tools.js';
import { toStepLine } from './step-line.js';

/** Sets brands and programs up at the partner as the programs file declares it, or says what that would take. */
export function provisioningWork(tools: ProvisioningTools): JobWork {
  return {
    kind: 'provisioning',
    turn: async (job) => (job.cursor === null ? planTurn(job, tools) : applyTurn(job, tools)),
  };
}

/** The partner's ids of a job's program; null for all. @throws {JobFailedError} */
function scopeOf({ program }: Job, { programs }: ProgramsFile): { brandId: string; programId: string } | null {
  if (program === null) return null;
  const found = Object.hasOwn(programs, program) ? programs[program] : undefined;
  if (found === undefined) throw new JobFailedError(`the programs file has no program ${program}`);
  return { brandId: found.brandId, programId: found.programId };
}

/** The plan is made once, of the file that is in force: what is applied is what its lines say. */
async function planTurn(job: Job, { database, clock, dialects, programs }: ProvisioningTools): Promise<JobTurn> {
  const file = programs();
  const recorded = await listProvisioned(database, scopeOf(job, file));
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
