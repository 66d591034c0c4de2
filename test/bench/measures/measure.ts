import type { BenchPlan } from '../bench-plan.js';
import type { BenchPostgres } from '../infrastructure/bench-postgres.js';
import type { Entrant } from '../rounds/entrant.js';

/** A promise about a ratio or a rate. */
export interface Bar {
  readonly text: string;
  readonly atLeast: number;
  /** The entrant whose rate ours is divided by; null: our rate itself. */
  readonly against: string | null;
  /** Whether the benchmark's exit code depends on it today; the others are aims. */
  readonly decides: boolean;
}

/** What is compared with what. The first entrant is ours. */
export interface Measure {
  readonly name: string;
  readonly unit: string;
  readonly entrants: readonly Entrant[];
  readonly bars: readonly Bar[];
  readonly notes: readonly string[];
  /** Before each round. */
  readonly beforeRound: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

export interface MeasureTools {
  readonly plan: BenchPlan;
  readonly postgres: BenchPostgres;
  /** Base64 */
  readonly encryptionKey: string;
  readonly say: (text: string) => void;
}
