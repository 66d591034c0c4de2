import type { Bar, JudgedHistory } from '../../chaos/report/chaos-report.js';
import type { TillsReport } from '../../chaos/traffic/tills.js';
import type { RestReport } from '../../chaos/verdict/at-rest.js';
import type { AuditReport } from '../../chaos/verdict/audit.js';
import type { TruthFigures } from '../../chaos/verdict/figures.js';
import type { FleetReport } from '../../chaos/verdict/fleet-report.js';
import type { MachineReport } from '../../support/process/program.js';
import type { RestartReport } from '../rounds/restart.js';
import type { LinesReport } from '../verdict/judge-lines.js';
import type { Growth } from '../verdict/judge-memory.js';
import type { Leftovers } from '../verdict/leftovers.js';
import type { NotInjected } from '../verdict/not-injected.js';
import type { MinuteReport } from './minutes.js';

/** What was measured and judged. */
export interface SoakFindings {
  readonly minutes: number;
  readonly rounds: number;
  readonly daemons: number;
  readonly kafka: { readonly version: string; readonly origin: string; readonly isReal: boolean };
  /** How often each thing was done to the run. */
  readonly injected: Readonly<Record<string, number>>;
  readonly restarts: readonly RestartReport[];
  readonly fleet: FleetReport;
  readonly events: TillsReport;
  readonly rest: RestReport;
  /** Seconds. */
  readonly longestStall: number;
  /** Looks at how things stand that failed. */
  readonly looksFailed: number;
  /** Of all daemons, when everything was at rest. */
  readonly connectionsAtRest: number;
  readonly leftovers: Leftovers;
  readonly memory: readonly Growth[];
  readonly descriptors: readonly Growth[];
  readonly lines: LinesReport;
  readonly truth: TruthFigures;
  readonly notInjected: NotInjected;
  readonly audit: AuditReport;
  readonly verdict: JudgedHistory;
}

/** What `--json` prints. */
export interface SoakReport extends SoakFindings {
  /** Every bar that decides holds. */
  readonly ok: boolean;
  readonly command: string;
  readonly seed: number;
  readonly startedAt: string;
  readonly secondsInAll: number;
  readonly machine: MachineReport;
  readonly postgres: string;
  readonly byMinute: readonly MinuteReport[];
  readonly bars: readonly Bar[];
  /** Logs and dumps of both databases, kept when a bar does not hold. */
  readonly evidence: string | null;
}
