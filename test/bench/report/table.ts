import type { Spread } from '../statistics.js';
import type { BenchReport } from './bench-report.js';
import type { BarReport, MeasureReport, SideReport } from './judge.js';

type Row = readonly string[];

const number = (value: number | null): string => (value === null ? '-' : value.toLocaleString('en-US'));
const range = ({ min, max }: Spread): string => `${number(min)} - ${number(max)}`;

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
  number(side.rate.median),
  range(side.rate),
  ratio === undefined ? '' : `${number(ratio.median)} x`,
  number(side.cpuMicrosecondsPerUnit),
  number(side.walBytesPerUnit),
  number(side.statementsPerUnit),
];

const barLine = ({ text, reached, holds, decides }: BarReport): string =>
  `  ${holds ? 'holds' : 'FAILS'}  ${text}: ${number(reached)}${decides ? '  (decides)' : ''}`;

const measureText = ({ name, unit, ours, peers, ratios, bars, notes }: MeasureReport): string => {
  const head = [name, unit, 'min - max', 'ours is', 'CPU us', 'WAL bytes', 'statements'];
  const rows = [head, sideRow(ours, undefined), ...peers.map((peer) => sideRow(peer, ratios[peer.name]))];
  const settings = [ours, ...peers].map((side) => `  ${side.label}: ${side.settings}`);
  return [alignColumns(rows), ...settings, ...bars.map(barLine), ...notes.map((note) => `  ${note}`)].join('\n');
};

/** The report for people. */
export const tableOf = ({ machine, postgres, measures, seconds, ok }: BenchReport): string => {
  const { processor, cores, memoryGiB, system, node, packages } = machine;
  const versions = Object.entries(packages).map(([name, version]) => `${name} ${version}`);
  const settings = Object.entries(postgres).map(([name, value]) => `${name}=${value}`);
  return [
    `${processor}, ${cores} cores, ${memoryGiB} GiB, ${system}, Node ${node}`,
    versions.join(', '),
    `Postgres: ${settings.join(', ')}`,
    ...measures.map((measure) => `\n${measureText(measure)}`),
    `\n${ok ? 'ok' : 'NOT ok'} after ${Math.round(seconds)} s`,
  ].join('\n');
};
