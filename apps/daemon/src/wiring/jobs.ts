import type { Partner } from '#gateway';
import type { ApiSettings, JobWork } from '#operations';
import { erasureWork, exportWork } from '#operations';

export interface JobParts {
  readonly api: ApiSettings;
  /** Null in a process that knows no partner: it leaves the jobs that need one to others. */
  readonly partner: Partner | null;
}

/** What this process can do for stored jobs. */
export function jobWorks({ api, partner }: JobParts): JobWork[] {
  const works: JobWork[] = [erasureWork(api), exportWork(api)];
  return partner === null ? works : [...works];
}
