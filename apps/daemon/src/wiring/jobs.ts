import type { Partner } from '#gateway';
import type { ApiSettings, JobWork } from '#operations';

export interface JobParts {
  readonly api: ApiSettings;
  /** Null in a process that knows no partner: it leaves the jobs that need one to others. */
  readonly partner: Partner | null;
}

/** What this process can do for stored jobs. */
export function jobWorks({ partner }: JobParts): JobWork[] {
  const works: JobWork[] = [];
  return partner === null ? works : [...works];
}
