import type { ExposureBucket, InvariantId, RunFigures, Violation } from '../../checker/index.js';
import type { MachineReport } from '../../support/process/program.js';
import type { NemesisReport } from '../nemesis/nemesis.js';
import type { TillsReport } from '../traffic/tills.js';
import type { RestReport } from '../verdict/at-rest.js';
import type { AuditReport } from '../verdict/audit.js';
import type { TruthFigures } from '../verdict/figures.js';
import type { FleetReport } from '../verdict/fleet-report.js';

/** One thing that must hold. */
export interface Bar {
  readonly text: string;
  readonly reached: string;
  readonly holds: boolean;
  /** The run is long enough for it to decide. */
  readonly decides: boolean;
}

/** What the checker found. */
export interface JudgedHistory {
  readonly figures: RunFigures;
  readonly broken: Readonly<Partial<Record<InvariantId, number>>>;
  readonly exposures: Readonly<Partial<Record<ExposureBucket, number>>>;
  readonly first: Violation | null;
  /** At most 50 of each invariant. */
  readonly violations: readonly Violation[];
  /** Records in the source topics. */
  readonly recordsInLog: number;
}

export interface FaultsReport extends NemesisReport {
  /** Calls that each kind of misbehaviour of the partner struck. */
  readonly partnerCalls: Readonly<Record<string, number>>;
  readonly commitAnswersLost: number;
}

/** What `--json` prints. */
export interface ChaosReport {
  /** Every bar that decides holds. */
  readonly ok: boolean;
  readonly command: string;
  readonly seed: number;
  readonly startedAt: string;
  /** Traffic and faults. */
  readonly seconds: number;
  readonly secondsInAll: number;
  readonly machine: MachineReport;
  readonly kafka: { readonly version: string; readonly origin: string; readonly isReal: boolean };
  readonly postgres: string;
  readonly daemons: number;
  readonly eventsPerSecond: number;
  readonly faults: FaultsReport;
  readonly events: TillsReport;
  readonly truth: TruthFigures;
  readonly fleet: FleetReport;
  readonly rest: RestReport;
  readonly audit: AuditReport;
  readonly verdict: JudgedHistory;
  readonly bars: readonly Bar[];
  /** Logs and dumps of both databases, kept when a bar does not hold. */
  readonly evidence: string | null;
}
