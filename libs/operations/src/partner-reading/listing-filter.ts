import type { PassFilter } from '#gateway';

import type { Job } from '../jobs/job-repository.js';

/** What was asked for, without what was not. */
export function given(filter: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

/** What a job reads of the partner's listing (partner-api.md 4.5): everything where its request says nothing. */
export function listingFilterOf({ request }: Pick<Job, 'request'>): PassFilter {
  const { updatedSince, status, tier, template } = request;
  return {
    ...(typeof updatedSince === 'string' && { lastUpdatedFromMs: Date.parse(updatedSince) }),
    ...(typeof status === 'string' && { status: { code: status } }),
    ...(typeof tier === 'number' && { templateTierId: tier }),
    ...(typeof template === 'number' && { templateId: template }),
  };
}

/** Whether a job reads a part of the listing only: then it says nothing of a pass that it does not show. */
export function isPartial(job: Pick<Job, 'request'>): boolean {
  return Object.keys(listingFilterOf(job)).length > 0;
}
