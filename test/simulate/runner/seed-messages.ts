import type { RunFigures, Verdict } from '../../checker/index.js';
import type { Fault } from '../world/fault.js';

/** What a worker is asked to run. */
export interface SeedQuestion {
  readonly seed: number;
  readonly without: readonly Fault[];
  readonly plant: string | null;
}

/** What became of one seed. */
export interface SeedAnswer {
  readonly seed: number;
  readonly problems: readonly string[];
  readonly traceHash: string;
  readonly steps: number;
  readonly virtualMs: number;
  readonly faults: Readonly<Record<string, number>>;
  readonly figures: RunFigures | null;
  readonly exposures: Verdict['exposures'];
}
