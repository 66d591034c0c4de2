import type { Environment } from '#contracts';
import type { Partner } from '#gateway';
import type { ApiSettings, JobWork } from '#operations';
import {
  adoptionWork,
  erasureWork,
  exportWork,
  provisioningWork,
  reconciliationWork,
  rereadingWork,
} from '#operations';
import type { Logger } from '#platform';

import { fingerprinter } from './fingerprint.js';
import type { Storage } from './storage.js';

export interface JobParts {
  readonly api: ApiSettings;
  /** Null in a process that knows no partner: it leaves the jobs that need one to others. */
  readonly partner: Partner | null;
  readonly environment: Environment;
  readonly storage: Storage;
  readonly logger: Logger;
  /** The process stops: what only reads at the partner ends at once. */
  readonly stopping: AbortSignal;
}

/** What this process can do for stored jobs. */
export function jobWorks(parts: JobParts): JobWork[] {
  const { api, partner } = parts;
  const alone = [erasureWork(api), exportWork(api), rereadingWork(api)];
  return [...alone, ...(partner === null ? [] : partnerWorks({ ...parts, partner }))];
}

function partnerWorks(parts: JobParts & { readonly partner: Partner }): JobWork[] {
  const { api, partner, environment, storage, logger, stopping } = parts;
  const timeoutMs = environment.wallet?.timeoutMs ?? 0;
  const reading = { ...api, partner, cell: environment.cell, logger, stopping };
  return [
    adoptionWork(reading),
    reconciliationWork(reading),
    provisioningWork({ ...api, partner, timeoutMs, fingerprint: fingerprinter(storage), logger }),
  ];
}
