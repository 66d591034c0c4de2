import type { JobRequest } from '#contracts';

import type { ProgramLimit } from '../access/operator.js';
import { maySee } from '../access/operator.js';
import type { Job, NewJob } from './job-repository.js';

/** What a job of its kind is stored with. */
export interface JobOrder extends Pick<NewJob, 'pace' | 'isPlan' | 'isTried' | 'freeze' | 'requestAfterwards'> {
  /** The program that it is of; absent: the one that its request names. */
  readonly program?: string | null;
  /** What its kind needs. */
  readonly request: Readonly<Record<string, unknown>>;
  /** What of it the audit shall show; nothing personal. */
  readonly detail?: Readonly<Record<string, unknown>>;
}

export type RequestOf<K extends JobRequest['kind']> = Extract<JobRequest, { readonly kind: K }>;

/** Such jobs are of several programs at once: who is limited to some has no part in them. */
export const wholeKinds: readonly string[] = [
  'provision',
  'reread-topic',
  'resubmit',
  'discard',
] satisfies readonly JobRequest['kind'][];

/** What such jobs have frozen are records that were set aside; of the others it is intents. */
export const recordKinds: readonly string[] = ['resubmit', 'discard'] satisfies readonly JobRequest['kind'][];

/** Whether an operator may see jobs of a kind. */
export function mayKnowKind(kind: string, limit: ProgramLimit): boolean {
  return limit === null || !wholeKinds.includes(kind);
}

/** Whether an operator may see a job. */
export function mayKnowJob({ kind, program }: Pick<Job, 'kind' | 'program'>, limit: ProgramLimit): boolean {
  return mayKnowKind(kind, limit) && maySee(limit, program);
}
