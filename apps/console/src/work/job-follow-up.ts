import type { Job } from './job-kinds.js';

/** What a dry run, a plan or a look has found and could be done now. */
export type FollowUp = 'settle' | 'repair' | 'adopt' | 'schedule' | 'apply';

const counted = (counts: Readonly<Record<string, number>>, names: readonly string[]): number =>
  names.reduce((sum, name) => sum + (counts[name] ?? 0), 0);

const isAsked = ({ request }: Job, name: string): boolean => request[name] === true;

/** Steps of a plan that call the partner. */
export const stepsToMake = ({ report }: Pick<Job, 'report'>): number => {
  const { plan = {} } = (report ?? {}) as { readonly plan?: Readonly<Record<string, number>> };
  return counted(plan, ['create', 'update']);
};

const finders: Readonly<Partial<Record<Job['kind'], (job: Job) => FollowUp | null>>> = {
  reread: (job) => (isAsked(job, 'dryRun') && counted(job.progress, ['proven']) > 0 ? 'settle' : null),
  reconcile: (job) => {
    if (!isAsked(job, 'repair') && counted(job.progress, ['missingThere', 'missingHere']) > 0) return 'repair';
    return !isAsked(job, 'adopt') && counted(job.progress, ['unknownMember']) > 0 ? 'adopt' : null;
  },
  schedule: (job) => (isAsked(job, 'dryRun') ? 'schedule' : null),
  provision: (job) => (!isAsked(job, 'apply') && stepsToMake(job) > 0 ? 'apply' : null),
};

/** Null where there is nothing to be done, or it was done by the job itself. */
export function followUpOf(job: Job): FollowUp | null {
  return job.state === 'done' ? (finders[job.kind]?.(job) ?? null) : null;
}
