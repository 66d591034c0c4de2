import type { Job } from './job-kinds.js';

/** What a dry run, a plan or a look has found and could be done now. */
export type FollowUp = 'settle' | 'repair' | 'adopt' | 'schedule' | 'apply' | 'record';

const counted = (counts: Readonly<Record<string, number>>, names: readonly string[]): number =>
  names.reduce((sum, name) => sum + (counts[name] ?? 0), 0);

const isAsked = ({ request }: Job, name: string): boolean => request[name] === true;

/** Steps of a plan that call the partner. */
export const stepsToMake = ({ report }: Pick<Job, 'report'>): number => {
  const { plan = {} } = (report ?? {}) as { readonly plan?: Readonly<Record<string, number>> };
  return counted(plan, ['create', 'update']);
};

/** By what a job of its kind has found: each with whether there is anything of it to be done. */
const finders: Readonly<Partial<Record<Job['kind'], (job: Job) => readonly (readonly [FollowUp, boolean])[]>>> = {
  reread: (job) => [['settle', isAsked(job, 'dryRun') && counted(job.progress, ['proven']) > 0]],
  'reread-topic': (job) => [['record', isAsked(job, 'dryRun') && counted(job.progress, ['missed', 'quarantined']) > 0]],
  reconcile: (job) => [
    ['repair', !isAsked(job, 'repair') && counted(job.progress, ['missingThere', 'missingHere']) > 0],
    ['adopt', !isAsked(job, 'adopt') && counted(job.progress, ['unknownMember']) > 0],
  ],
  schedule: (job) => [['schedule', isAsked(job, 'dryRun')]],
  provision: (job) => [['apply', !isAsked(job, 'apply') && stepsToMake(job) > 0]],
};

/** None where there is nothing to be done, or it was done by the job itself. */
export function followUpsOf(job: Job): readonly FollowUp[] {
  const found = job.state === 'done' ? (finders[job.kind]?.(job) ?? []) : [];
  return found.flatMap(([followUp, isWanted]) => (isWanted ? [followUp] : []));
}
