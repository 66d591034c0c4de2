import type { JobView } from '#contracts';

import { pathPart } from '../http/api-client.js';

/** The paths of the API that hold jobs, by their kind. */
export const jobPaths = {
  reconciliation: '/reconciliations',
  adoption: '/adoptions',
  provisioning: '/provisionings',
  erasure: '/erasures',
  export: '/exports',
  rereading: '/rereadings',
} as const satisfies Record<JobView['kind'], string>;

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
export function isFinished({ state }: Pick<JobView, 'state'>): boolean {
  return state === 'done' || state === 'failed' || state === 'cancelled';
}
