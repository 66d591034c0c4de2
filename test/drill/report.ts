import type { Bar, JudgedHistory } from './chaos/report.js';
import type { TillsReport } from './traffic/tills.js';
import type { RestReport } from './verdict/at-rest.js';
import type { TruthFigures } from './verdict/audit.js';
import type { AuditReport } from './verdict/books.js';
import { retailersText } from '../judge/report.js';
import type { MachineReport } from '../support/process/program.js';

/** How the installation became well again. Seconds since it befell. */
export interface Recovery {
  readonly what: string;
  /** Everything was healthy again. */
  readonly healthySeconds: number;
  /** Another event had its effect at the partner. */
  readonly flowingSeconds: number;
}

export interface DrillReport {
  readonly ok: boolean;
  readonly command: string;
  readonly machine: MachineReport;
  readonly versions: Readonly<Record<string, string>>;
  readonly recoveries: readonly Recovery[];
  /** What was not played, and why. */
  readonly skipped: readonly string[];
  readonly events: TillsReport;
  readonly rest: RestReport;
  readonly truth: TruthFigures;
  readonly audit: AuditReport;
  readonly verdict: JudgedHistory;
  readonly bars: readonly Bar[];
}

const barText = ({ text, reached, holds }: Bar): string => `  ${holds ? 'holds' : 'FAILS'}  ${text} (${reached})`;

/** The report for people. */
export function drillTable({ ok, machine, versions, skipped, events, audit, verdict, bars }: DrillReport): string {
  const { first, violations } = verdict;
  const names = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return [
    [`${machine.processor}, ${machine.cores} cores`, ...names].join('; '),
    ...skipped.map((what) => `not played: ${what}`),
    `events acknowledged ${events.acknowledged}; owed ${audit.owed}, found ${audit.found}, lost ${audit.lost.length}, effects ${audit.effects}`,
    ...(first === null ? [] : [`first of ${violations.length} violations: ${JSON.stringify(first, null, 2)}`]),
    retailersText(verdict.retailer),
    `bars:\n${bars.map(barText).join('\n')}`,
    ok ? 'ok' : 'NOT ok',
  ].join('\n\n');
}
