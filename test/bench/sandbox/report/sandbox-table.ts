import { alignColumns } from '../../report/table.js';
import type { Spread } from '../../statistics.js';
import type { SandboxBarReport, SandboxBenchReport, SandboxMeasureReport } from './sandbox-bench-report.js';

const number = (value: number | null): string => (value === null ? '-' : value.toLocaleString('en-US'));
const range = ({ min, max }: Spread): string => `${number(min)} - ${number(max)}`;

const figures = ['/s', 'min - max', 'p50 ms', 'p99 ms', 'min - max', 'max ms'];
const head = ['', ...figures, 'sandbox', 'postgres', 'generator', 'machine'];

const row = ({ label, rate, latencyMs: { p50, p99, max }, cores }: SandboxMeasureReport): string[] => [
  label,
  number(rate.median),
  range(rate),
  number(p50.median),
  number(p99.median),
  range(p99),
  number(max.max),
  number(cores.sandbox),
  number(cores.postgres),
  number(cores.generator),
  number(cores.machine),
];

const barLine = ({ text, bar, reached, holds }: SandboxBarReport): string =>
  `  ${holds ? 'holds' : 'FAILS'}  ${text} ${number(bar)}: ${number(reached)}`;

/** The report for people. */
export const sandboxTableOf = ({ machine, postgres, settings, ...report }: SandboxBenchReport): string => {
  const { processor, cores, memoryGiB, system, node } = machine;
  const { rounds, seconds, connections, passes } = settings;
  return [
    `${processor}, ${cores} cores, ${memoryGiB} GiB, ${system}, Node ${node}`,
    `Postgres: ${Object.entries(postgres)
      .map(([name, value]) => `${name}=${value}`)
      .join(', ')}`,
    `${rounds} rounds of ${seconds} s, ${connections} connections, ${passes} passes; last columns: processors kept busy`,
    '',
    alignColumns([head, ...report.measures.map(row)]),
    ...report.bars.map(barLine),
    '',
    `${report.holds ? 'ok' : 'NOT ok'} after ${Math.round(report.seconds)} s`,
  ].join('\n');
};
