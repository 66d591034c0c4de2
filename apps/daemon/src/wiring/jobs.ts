import type { Partner } from '#gateway';
import type { CellIdentity } from '#intents';
import type { ApiSettings, JobWork } from '#operations';
import { adoptionWork, reconciliationWork } from '#operations';
import type { Logger } from '#platform';

export interface JobParts {
  readonly api: ApiSettings;
  /** Null in a process that knows no partner: it leaves the jobs that need one to others. */
  readonly partner: Partner | null;
  readonly cell: CellIdentity;
  readonly logger: Logger;
}

/** What this process can do for stored jobs. */
export function jobWorks({ api, partner, cell, logger }: JobParts): JobWork[] {
  const works: JobWork[] = [];
  if (partner === null) return works;
  const reading = { ...api, partner, cell, logger };
  return [...works, adoptionWork(reading), reconciliationWork(reading)];
}
