import type { MachineReport } from '../../report/machine.js';
import type { Spread } from '../../statistics.js';
import type { SandboxMeasureName } from '../run-sandbox-rounds.js';

export interface SandboxMeasureReport {
  readonly name: SandboxMeasureName;
  readonly label: string;
  /** Answers per second, each a 200. */
  readonly rate: Spread;
  /** `half`: from when a request was due. The others: from when it was sent, with every connection always waiting. */
  readonly latencyMs: { readonly p50: Spread; readonly p99: Spread; readonly max: Spread };
  /** Processors kept busy, medians; null where the system does not say. */
  readonly cores: {
    readonly sandbox: number | null;
    /** The sandbox's connections inside Postgres. */
    readonly postgres: number | null;
    readonly generator: number;
    /** Everything on the machine: what exceeds the sum of the others is Postgres' own work and strangers'. */
    readonly machine: number;
  };
}

export interface SandboxBarReport {
  readonly text: string;
  readonly bar: number;
  readonly reached: number;
  readonly holds: boolean;
}

/** What `--json` prints. */
export interface SandboxBenchReport {
  /** Both bars hold. */
  readonly holds: boolean;
  readonly bars: readonly SandboxBarReport[];
  readonly measures: readonly SandboxMeasureReport[];
  readonly machine: MachineReport;
  readonly postgres: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<'seconds' | 'connections' | 'rounds' | 'passes', number>>;
  readonly startedAt: string;
  readonly seconds: number;
}
