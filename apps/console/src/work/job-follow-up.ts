import type { Job } from './job-kinds.js';

/** What a dry run, or a look, has found and could be done now. */
export type FollowUp = 'settle' | 'repair';

const counted = ({ progress }: Job, names: readonly string[]): number =>
  names.reduce((sum, name) => sum + (progress[name] ?? 0), 0);

const isAsked = ({ request }: Job, name: string): boolean => request[name] === true;

/** Null where there is nothing to be done, or it was done by the job itself. */
export function followUpOf(job: Job): FollowUp | null {
  if (job.state !== 'done') return null;
  if (job.kind === 'rereading') return isAsked(job, 'dryRun') && counted(job, ['proven']) > 0 ? 'settle' : null;
  if (job.kind !== 'reconciliation' || isAsked(job, 'repair')) return null;
  return counted(job, ['missingThere', 'missingHere']) > 0 ? 'repair' : null;
}
