import type { HeardOutcome, RunNotes } from '../../checker/index.js';
import type { LoadedPrograms } from '../daemon/loaded-programs.js';
import type { PgliteEngine } from '../database/pglite-engine.js';
import type { Surroundings } from '../world/surroundings.js';
import type { CommitLog } from './commit-log.js';

/** Where the history of a world is read from. */
export interface HistorySources {
  readonly engine: PgliteEngine;
  readonly around: Surroundings;
  readonly programs: LoadedPrograms;
  readonly commits: CommitLog;
  /** Null: nobody listened. */
  readonly outcomes: readonly HeardOutcome[] | null;
  readonly ending: { readonly isAtRest: boolean; readonly isStopped: boolean; readonly replicas: number };
  /** Our name of the partner's program. */
  readonly nameOf: (programId: string | null) => string | null;
  /** The partner's id of our program. */
  readonly programIdOf: (name: string) => string;
}

const anchorToleranceMs = 60;
const jumpToleranceMs = 3_100;
/** Half of the longest round trip that a clock is read by. */
const slowToleranceMs = 1_000;

export function runNotes({ around, ending }: HistorySources): RunNotes {
  const { scenario, faultCounts } = around;
  const jumpMs = scenario.faults.includes('clock-jump') ? jumpToleranceMs : 0;
  const slowMs = scenario.faults.includes('db-slow') ? slowToleranceMs : 0;
  return {
    ...ending,
    wasRebuilt: false,
    clockToleranceMs: anchorToleranceMs + jumpMs + slowMs,
    partner: {
      enforcesUniqueness: scenario.enforcesUniqueness,
      othersWrite: false,
      hadPasses: scenario.hadPasses,
      othersUseOurValues: false,
    },
    faults: Object.fromEntries(faultCounts),
  };
}
