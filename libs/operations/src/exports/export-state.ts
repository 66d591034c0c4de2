import type { ExportExtent, ExportPosition, ExportWish, FrozenExport } from '#intents';

import type { Job } from '../jobs/job-store.js';
import { emptyDigest } from './export-digest.js';

/** What was asked for, as the job keeps it. */
export interface ExportRequest {
  readonly from: string | null;
  readonly to: string | null;
  readonly includePersonal: boolean;
}

/** Where a job that counts an export stands: first its extent is fixed, then its lines are read. */
export type ExportState =
  | { readonly kind: 'freezing'; readonly bound: Extract<FrozenExport, { readonly kind: 'open' }>['bound'] }
  | {
      readonly kind: 'counting';
      readonly extent: ExportExtent;
      /** Null: all was read. */
      readonly after: ExportPosition | null;
      readonly digest: string;
    };

/** Jobs are written by us only, so the shapes are ours. */
export function requestOf({ request }: Job): ExportRequest {
  return request as unknown as ExportRequest;
}

export function stateOf({ cursor }: Job): ExportState {
  return cursor === null ? { kind: 'freezing', bound: null } : (cursor as ExportState);
}

export function wishOf(job: Job): ExportWish {
  const { from, to } = requestOf(job);
  return {
    program: job.program,
    from: from === null ? null : Date.parse(from),
    to: to === null ? null : Date.parse(to),
  };
}

export function beginning(extent: ExportExtent, after: ExportPosition): ExportState {
  return { kind: 'counting', extent, after, digest: emptyDigest };
}
