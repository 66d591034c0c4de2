import type { MachineReport } from '../../support/process/program.js';
import type { BenchPlan } from '../bench-plan.js';
import type { StatementCost } from '../infrastructure/statements.js';
import type { Spread } from '../statistics.js';
import type { Layer } from './layers.js';

export type Limit = { readonly atLeast: number } | { readonly atMost: number };

/** A promise about one figure. */
export type Bar = Limit & {
  readonly text: string;
  /** Whose figure; default: the first entrant's. */
  readonly of?: string;
  /**
   * Default: the rate. `cpu`: microseconds of its own process on top of what `against` needs. `allCpu`: of all processes.
   * `serverCpu`: microseconds of Postgres. `wal`: bytes. All but the rate: per unit.
   */
  readonly figure?: 'rate' | 'cpu' | 'allCpu' | 'serverCpu' | 'wal' | 'statements';
  /** The entrants whose best rate, or least `allCpu`, ours is divided by, round by round; none: our figure itself. */
  readonly against: readonly string[];
};

/** One side's figures over the counted rounds. */
export interface SideReport {
  readonly name: string;
  readonly label: string;
  readonly settings: string;
  /** Units per second. */
  readonly rate: Spread;
  /** Processor time of its own process for one unit, microseconds, median. */
  readonly cpuMicrosecondsPerUnit: number;
  /** Of the whole database server, or of a server of its own, median; null without one, and where it runs elsewhere. */
  readonly serverCpuMicrosecondsPerUnit: number | null;
  /** Of the partner stub, median; null without one. */
  readonly stubCpuMicrosecondsPerUnit: number | null;
  /** Of all these together, median; null where one of them runs elsewhere. */
  readonly allCpuMicrosecondsPerUnit: number | null;
  /** Bytes of write-ahead log for one unit, median; null without a database. */
  readonly walBytesPerUnit: number | null;
  /** Statements for one unit, median; null where they are not counted. */
  readonly statementsPerUnit: number | null;
}

/** What a statement of ours cost the server in the last round. */
export interface StatementReport extends StatementCost {
  /** Planned and executed. */
  readonly microsecondsPerUnit: number;
  readonly walBytesPerUnit: number;
  /** `EXPLAIN (ANALYZE, BUFFERS, WAL)` of one execution in the uncounted round; null where none was seen. */
  readonly plan: string | null;
}

export type BarReport = Limit & {
  readonly text: string;
  /** Median of the rounds. */
  readonly reached: number;
  /** Of the rounds; null where there was one. */
  readonly spread: Pick<Spread, 'min' | 'max'> | null;
  readonly holds: boolean;
};

/** Several ways to do the same, in alternating rounds. */
export interface ComparisonReport {
  readonly kind: 'comparison';
  readonly name: string;
  readonly unit: string;
  readonly ours: SideReport;
  readonly peers: readonly SideReport[];
  /** Our rate divided by each peer's, round by round. */
  readonly ratios: Readonly<Record<string, Spread>>;
  readonly bars: readonly BarReport[];
  readonly notes: readonly string[];
  /** Where each side's processor time went, by its name; none without `--profile`. */
  readonly layers: Readonly<Record<string, readonly Layer[]>>;
  /** Ours, the dearest first; none without `--profile`. */
  readonly statements: readonly StatementReport[];
}

/** One side's processor time, by layer. */
export interface Budget {
  readonly label: string;
  readonly microsecondsPerUnit: number;
  readonly layers: readonly Layer[];
}

export interface FiguresTable {
  readonly unit: string;
  /** The heads of the values. */
  readonly columns: readonly string[];
  readonly rows: readonly FiguresRow[];
}

/** What one run of ours showed. */
export interface FiguresReport extends FiguresTable {
  readonly kind: 'figures';
  readonly name: string;
  /** What was measured in the same run and has other columns. Default: nothing. */
  readonly further?: FiguresTable;
  /** Where one unit's processor time goes, where that was looked at. */
  readonly budget?: Budget;
  readonly bars: readonly BarReport[];
  readonly notes: readonly string[];
}

export interface FiguresRow {
  readonly label: string;
  readonly values: readonly number[];
}

export type MeasureReport = ComparisonReport | FiguresReport;

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
