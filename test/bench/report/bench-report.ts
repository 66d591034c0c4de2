import type { BenchPlan } from '../bench-plan.js';
import type { MachineReport } from './machine.js';
import type { MeasureReport } from './measure-report.js';

/** A measure that did not come to its end. */
export interface FailedMeasure {
  readonly name: string;
  readonly error: string;
}

/** What `--json` prints. */
export interface BenchReport {
  /** Everything ran and every bar holds. */
  readonly ok: boolean;
  /** That made it. */
  readonly command: string;
  readonly startedAt: string;
  readonly seconds: number;
  readonly machine: MachineReport;
  readonly postgres: Readonly<Record<string, string>>;
  readonly plan: BenchPlan;
  readonly measures: readonly MeasureReport[];
  readonly failures: readonly FailedMeasure[];
}
