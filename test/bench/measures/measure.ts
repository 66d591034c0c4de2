import type { Bar } from './bar.js';
import type { BenchPlan } from '../bench-plan.js';
import type { BenchPostgres } from '../infrastructure/bench-postgres.js';
import type { MeasureReport } from '../report/measure-report.js';
import type { Entrant } from '../rounds/entrant.js';

/** What is compared with what. The first entrant is ours. */
export interface Measure {
  readonly name: string;
  readonly unit: string;
  readonly entrants: readonly Entrant[];
  readonly bars: readonly Bar[];
  readonly notes: readonly string[];
  /** Counted rounds, where they are not the plan's. */
  readonly rounds?: number;
  /** Before each round. */
  readonly beforeRound: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

export interface MeasureTools {
  readonly plan: BenchPlan;
  readonly postgres: BenchPostgres;
  /** Base64 */
  readonly encryptionKey: string;
  /** Folder for V8 profiles of the contestants, or null. */
  readonly profileFolder: string | null;
  readonly say: (text: string) => void;
}

/** Runs a measure to its end and leaves nothing behind. */
export type RunMeasure = (tools: MeasureTools) => Promise<MeasureReport>;
