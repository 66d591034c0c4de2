import type { Database } from '#platform';

import { within } from '../coordination/pauses.js';
import { holdRunningJob } from '../operator/hold-running-job.js';
import { appendProvisioned } from './append-provisioned.js';
import type { ProvisionedThing } from './provisioned.js';

/**
 * Writes that a call is about to be made, while its job runs: who has stopped the job and was told so sees no call after
 * that. @returns false where the job was stopped, or somebody else was first; nothing is written
 */
export async function beginProvisioned(
  database: Database,
  begun: ProvisionedThing & { readonly jobId: string },
): Promise<boolean> {
  return database.transaction('begin_provisioned', async (session) => {
    if (!(await holdRunningJob(session, begun.jobId))) return false;
    return appendProvisioned(within(session), begun);
  });
}
