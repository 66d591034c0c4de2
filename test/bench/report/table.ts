import type { Spread } from '../statistics.js';
import { rounded } from '../statistics.js';
import type {
  BarReport,
  BenchReport,
  ComparisonReport,
  FiguresReport,
  FiguresTable,
  MeasureReport,
  SideReport,
  StatementReport,
} from './bench-report.js';
import type { Layer } from './layers.js';

type Row = readonly string[];

export const formatNumber = (value: number | null): string => (value === null ? '-' : value.toLocaleString('en-US'));
export const formatRange = ({ min, max }: Pick<Spread, 'min' | 'max'>): string =>
  `${formatNumber(min)} - ${formatNumber(max)}`;

/** Columns as wide as their widest cell, the first one to the left, the others to the right. */
export const alignColumns = (rows: readonly Row[]): string => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const line = (row: Row): string =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ');
  return rows.map(line).join('\n');
};

const microseconds = 1e6;

/** Units per second that so many cores can give at most, if none ever waits; null where not all costs are known. */
export const bestRateOf = ({ allCpuMicrosecondsPerUnit: all }: SideReport, cores: number): number | null =>
  all === null ? null : rounded((cores * microseconds) / all);

/** One row for each side: its rate, what it costs, and what the machine could give at these costs. */
export const sideRows = ({ unit, ours, peers, ratios }: ComparisonReport, cores: number): readonly Row[] => {
  const head = [
    unit,
    'min - max',
    'the first is',
    'CPU, us',
    'server CPU, us',
    'stub CPU, us',
    'all CPU, us',
    `${cores} cores at best`,
    'WAL, bytes',
    'statements',
  ];
  const rowOf = (side: SideReport): Row => {
    const ratio = ratios[side.name];
    return [
      side.label,
      formatNumber(side.rate.median),
      formatRange(side.rate),
      ratio === undefined ? '' : `${formatNumber(ratio.median)} x`,
      formatNumber(side.cpuMicrosecondsPerUnit),
      formatNumber(side.serverCpuMicrosecondsPerUnit),
      formatNumber(side.stubCpuMicrosecondsPerUnit),
      formatNumber(side.allCpuMicrosecondsPerUnit),
      formatNumber(bestRateOf(side, cores)),
      formatNumber(side.walBytesPerUnit),
      formatNumber(side.statementsPerUnit),
    ];
  };
  return [['', ...head], ...[ours, ...peers].map(rowOf)];
};

const barLine = ({ text, reached, spread, holds }: BarReport): string =>
  `  ${holds ? 'holds' : 'FAILS'}  ${text}: ${formatNumber(reached)}${spread === null ? '' : ` (${formatRange(spread)})`}`;

const layersText = (name: string, layers: readonly Layer[]): string =>
  `  ${name}: ${layers.map(({ layer, share }) => `${layer} ${formatNumber(share)} %`).join(', ')}`;

const statementText = ({ text, calls, microsecondsPerUnit }: StatementReport): string =>
  `  ${formatNumber(calls)} x, ${microsecondsPerUnit.toFixed(1)} us a unit: ${text}`;

const comparisonText = (report: ComparisonReport, cores: number): string => {
  const [head = [], ...rows] = sideRows(report, cores);
  const settings = [report.ours, ...report.peers].map((side) => `  ${side.label}: ${side.settings}`);
  return [alignColumns([[report.name, ...head.slice(1)], ...rows]), ...settings].join('\n');
};

const figuresRows = (name: string, { unit, columns, rows }: FiguresTable): string =>
  alignColumns([
    [`${name}, ${unit}`, ...columns],
    ...rows.map(({ label, values }) => [label, ...values.map(formatNumber)]),
  ]);

const figuresText = (report: FiguresReport): string =>
  [report, ...(report.further === undefined ? [] : [report.further])]
    .map((table) => figuresRows(report.name, table))
    .join('\n');

const measureText = (report: MeasureReport, cores: number): string => {
  const figures = report.kind === 'comparison' ? comparisonText(report, cores) : figuresText(report);
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
    ...measures.map((measure) => `\n${measureText(measure, cores)}`),
    ...failures.map(({ name, error }) => `\n${name} did not come to its end: ${error}`),
    `\n${ok ? 'ok' : 'NOT ok'} after ${Math.round(seconds)} s`,
  ].join('\n');
};
