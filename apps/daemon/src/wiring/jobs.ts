import type { Environment } from '#contracts';
import type { Partner } from '#gateway';
import type { ApiSettings, JobWork } from '#operations';
import { jobRunner, provisioningWork } from '#operations';
import type { BackgroundLoop, Logger } from '#platform';
import { keyedDigest } from '#platform';

import type { Storage } from './storage.js';

export interface JobParts {
  /** Null without the operations role. */
  readonly api: ApiSettings | null;
  /** Null in a process that knows no partner: it leaves the jobs that need one to others. */
  readonly partner: Partner | null;
  readonly environment: Environment;
  readonly storage: Storage;
  readonly logger: Logger;
}

/** Jobs that ask the partner. */
function partnerWorks(api: ApiSettings, partner: Partner, { environment, storage, logger }: JobParts): JobWork[] {
  const timeoutMs = environment.wallet?.timeoutMs ?? 0;
  const fingerprint = (text: string): string => keyedDigest(storage.keys.mac, text).toString('hex');
  return [provisioningWork({ ...api, partner, timeoutMs, fingerprint, logger })];
}

/** What carries stored jobs on, or null in a process without the operations role. */
export function openJobs(parts: JobParts): BackgroundLoop | null {
  const { api, partner, logger } = parts;
  if (api === null) return null;
  const works: JobWork[] = [];
  return jobRunner({
    ...api,
    logger,
    works: partner === null ? works : [...works, ...partnerWorks(api, partner, parts)],
  });
}
