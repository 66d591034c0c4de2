import type { PassStatus } from '../passes/status.js';
import type { Seed } from '../seed/seed.js';

/** The statuses that the seed's passes are given. */
export function presetStatuses(seed: Seed): PassStatus[] {
  return seed.brands.flatMap(({ programs }) =>
    programs.flatMap(({ passes }) => passes.map(({ status: passStatus }) => passStatus)),
  );
}
