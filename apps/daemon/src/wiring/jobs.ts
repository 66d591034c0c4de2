import type { Partner } from '#gateway';
import type { ApiSettings, JobWork } from '#operations';
import { erasureWork, exportWork, jobRunner } from '#operations';
import type { BackgroundLoop, Logger } from '#platform';

export interface JobParts {
  /** Null without the operations role. */
  readonly api: ApiSettings | null;
  /** Null in a process that knows no partner: it leaves the jobs that need one to others. */
  readonly partner: Partner | null;
  readonly logger: Logger;
}

/** What carries stored jobs on, or null in a process without the operations role. */
export function openJobs({ api, partner, logger }: JobParts): BackgroundLoop | null {
  if (api === null) return null;
  const works: JobWork[] = [erasureWork(api), exportWork(api)];
  return jobRunner({ ...api, logger, works: partner === null ? works : [...works] });
}
