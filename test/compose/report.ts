import type { Bar, JudgedHistory } from '../chaos/report.js';
import type { TillsReport } from '../chaos/traffic/tills.js';
import type { RestReport } from '../chaos/verdict/at-rest.js';
import type { AuditReport, TruthFigures } from '../chaos/verdict/audit.js';
import { retailersText } from '../judge/report.js';
import type { MachineReport } from '../support/process/program.js';

/** How the stack came back by itself. Seconds since it befell. */
export interface Recovery {
  readonly what: string;
  /** The containers were healthy again. */
  readonly healthySeconds: number;
  /** Another event had its effect at the partner. */
  readonly flowingSeconds: number;
}

export interface DrillReport {
  readonly ok: boolean;
  readonly command: string;
  readonly seconds: number;
  readonly machine: MachineReport;
  readonly engine: string;
  readonly compose: string;
  readonly recoveries: readonly Recovery[];
  readonly events: TillsReport;
  readonly rest: RestReport;
  readonly truth: TruthFigures;
  readonly audit: AuditReport;
  readonly verdict: JudgedHistory;
  readonly bars: readonly Bar[];
}

const barText = ({ text, reached, holds }: Bar): string => `  ${holds ? 'holds' : 'FAILS'}  ${text} (${reached})`;

/** The report for people. */
export function drillTable({
  ok,
  seconds,
  machine,
  engine,
  compose,
  events,
  audit,
  verdict,
  bars,
}: DrillReport): string {
  const { first, violations } = verdict;
  return [
    `${machine.processor}, ${machine.cores} cores; Docker Engine ${engine}, Compose ${compose}`,
    `events acknowledged ${events.acknowledged}; owed ${audit.owed}, found ${audit.found}, lost ${audit.lost.length}, effects ${audit.effects}`,
    ...(first === null ? [] : [`first of ${violations.length} violations: ${JSON.stringify(first, null, 2)}`]),
    retailersText(verdict.retailer),
    `bars:\n${bars.map(barText).join('\n')}`,
    `${ok ? 'ok' : 'NOT ok'} after ${seconds} s`,
  ].join('\n\n');
}
