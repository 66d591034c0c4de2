import type { Spread } from '../statistics.js';
import type {
  BarReport,
  BenchReport,
  ComparisonReport,
  FiguresReport,
  MeasureReport,
  SideReport,
  StatementReport,
} from './bench-report.js';
import type { Layer } from './layers.js';

type Row = readonly string[];

export const formatNumber = (value: number | null): string => (value === null ? '-' : value.toLocaleString('en-US'));
export const formatRange = ({ min, max }: Spread): string => `${formatNumber(min)} - ${formatNumber(max)}`;

/** Columns as wide as their widest cell, the first one to the left, the others to the right. */
export const alignColumns = (rows: readonly Row[]): string => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const line = (row: Row): string =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ');
  return rows.map(line).join('\n');
};

const sideRow = (side: SideReport, ratio: Spread | undefined): Row => [
  side.label,
  formatNumber(side.rate.median),
  formatRange(side.rate),
  ratio === undefined ? '' : `${formatNumber(ratio.median)} x`,
  formatNumber(side.cpuMicrosecondsPerUnit),
  formatNumber(side.serverCpuMicrosecondsPerUnit),
  formatNumber(side.walBytesPerUnit),
  formatNumber(side.statementsPerUnit),
];

const barLine = ({ text, reached, holds }: BarReport): string =>
  `  ${holds ? 'holds' : 'FAILS'}  ${text}: ${formatNumber(reached)}`;

const layersText = (name: string, layers: readonly Layer[]): string =>
  `  ${name}: ${layers.map(({ layer, share }) => `${layer} ${formatNumber(share)} %`).join(', ')}`;

const statementText = ({ text, calls, microsecondsPerUnit }: StatementReport): string =>
  `  ${formatNumber(calls)} x, ${microsecondsPerUnit.toFixed(1)} us a unit: ${text}`;

const comparisonText = ({ name, unit, ours, peers, ratios }: ComparisonReport): string => {
  const head = [name, unit, 'min - max', 'ours is', 'CPU us', 'server us', 'WAL bytes', 'statements'];
  const rows = [head, sideRow(ours, undefined), ...peers.map((peer) => sideRow(peer, ratios[peer.name]))];
  const settings = [ours, ...peers].map((side) => `  ${side.label}: ${side.settings}`);
  return [alignColumns(rows), ...settings].join('\n');
};

const figuresText = ({ name, unit, columns, rows }: FiguresReport): string =>
  alignColumns([
    [`${name}, ${unit}`, ...columns],
    ...rows.map(({ label, values }) => [label, ...values.map(formatNumber)]),
  ]);

const measureText = (report: MeasureReport): string => {
  const figures = report.kind === 'comparison' ? comparisonText(report) : figuresText(report);
  const { layers, statements } = report.kind === 'comparison' ? report : { layers: {}, statements: [] };
  return [
    figures,
    ...Object.entries(layers).map(([name, each]) => layersText(name, each)),
    ...statements.map(statementText),
    ...report.bars.map(barLine),
    ...report.notes.map((note) => `  ${note}`),
  ].join('\n');
};

/** The report for people. */
export const tableOf = ({ machine, postgres, measures, failures, seconds, ok }: BenchReport): string => {
  const { processor, cores, memoryGiB, system, node, packages } = machine;
  const versions = Object.entries(packages).map(([name, version]) => `${name} ${version}`);
  const settings = Object.entries(postgres).map(([name, value]) => `${name}=${value}`);
  return [
    `${processor}, ${cores} cores, ${memoryGiB} GiB, ${system}, Node ${node}`,
    versions.join(', '),
    `Postgres: ${settings.join(', ')}`,
    ...measures.map((measure) => `\n${measureText(measure)}`),
    ...failures.map(({ name, error }) => `\n${name} did not come to its end: ${error}`),
    `\n${ok ? 'ok' : 'NOT ok'} after ${Math.round(seconds)} s`,
  ].join('\n');
};
