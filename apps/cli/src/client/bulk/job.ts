import { pathPart } from '../http/api-client.js';

/** Stored work on many records, as the operations API shows it. */
export interface Job {
  readonly id: string;
  readonly kind: string;
  readonly state: 'waiting' | 'running' | 'paused' | 'done' | 'failed' | 'cancelled';
  readonly program: string | null;
  readonly reason: string;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly finishedAt: string | null;
  readonly progress: Readonly<Record<string, number>>;
  readonly report: unknown;
  readonly error: string | null;
}

/** The paths of the API that hold jobs, by their kind. */
export const jobPaths = {
  reconciliation: '/reconciliations',
  adoption: '/adoptions',
  provisioning: '/provisionings',
  erasure: '/erasures',
  export: '/exports',
} as const;

export type JobKind = keyof typeof jobPaths;

export const jobKinds = Object.keys(jobPaths) as JobKind[];

/** A job by the name that commands show and take: `KIND/ID`. */
export interface JobName {
  readonly kind: JobKind;
  readonly id: string;
}

export function jobName({ kind, id }: { readonly kind: string; readonly id: string }): string {
  return `${kind}/${id}`;
}

export function jobPath({ kind, id }: JobName): string {
  return `${jobPaths[kind]}/${pathPart(id)}`;
}

/** Nothing more will come of it. */
export function isFinished({ state }: Pick<Job, 'state'>): boolean {
  return state === 'done' || state === 'failed' || state === 'cancelled';
}
