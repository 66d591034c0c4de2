import type { Finding } from '../assumptions/finding.js';
import type { DrillResult } from '../faults/drill-result.js';
import type { RowResult } from '../interpreter/row-result.js';
import type { UniqueProof } from '../unique/prove-unique.js';
import { columns } from './columns.js';
import type { ContractReport } from './contract-report.js';
import { coverageTable } from './coverage-table.js';

const cellCharsMax = [40, 24, 60, 12, 60];

/** The report for people. */
export function reportText(report: ContractReport): string {
  const { ok, run, baseUrl, seconds, rows, assumptions, uniqueEnforced, faults, coverage, emptyCells } = report;
  return [
    `${baseUrl}, run ${run}`,
    ...section('Rows of the specification', rowLines(rows)),
    ...section('Assumptions of the dialect', assumptionLines(assumptions)),
    ...section('Claims of uniqueEnforced', uniqueLines(uniqueEnforced)),
    ...section('Faults', faults === null ? [] : faultLines(faults)),
    ...section('Coverage', [...coverageTable(coverage), ...emptyCells.map((cell) => `EMPTY  ${cell}`)]),
    '',
    `${ok ? 'ok' : 'NOT ok'} after ${seconds.toFixed(1)} s`,
  ].join('\n');
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', title, ...lines.map((line) => `  ${line}`)];
}

function rowLines(results: readonly RowResult[]): string[] {
  const tables = [...Map.groupBy(results, ({ id }) => id.split(' / ').slice(0, 2).join(' / '))];
  const counts = tables.map(([table, rows]) => [table, passedOf(rows, 'plain'), passedOf(rows, 'gateway')]);
  const told = results.filter(({ verdict }) => verdict !== 'passed');
  const problems = told.map(
    ({ id, client, verdict, problems: what }) =>
      `${verdict === 'failed' ? 'FAILED' : 'not run'}  ${id} [${client}]: ${what.join('; ')}`,
  );
  return [...columns([['table', 'plain HTTP', 'gateway'], ...counts]), ...problems];
}

function passedOf(results: readonly RowResult[], client: RowResult['client']): string {
  const own = results.filter((result) => result.client === client);
  return `${own.filter(({ verdict }) => verdict === 'passed').length} of ${own.length}`;
}

function assumptionLines(findings: readonly Finding[]): string[] {
  if (findings.length === 0) return [];
  const rows = findings.map(({ entry, assumed, seen, verdict, set }) => [
    entry,
    JSON.stringify(assumed),
    seen,
    verdict === 'wrong' ? 'WRONG' : verdict,
    set ?? '',
  ]);
  return columns([['entry', 'assumed', 'seen', 'verdict', 'what to set'], ...rows], cellCharsMax);
}

function uniqueLines(proofs: readonly UniqueProof[]): string[] {
  if (proofs.length === 0) return [];
  const rows = proofs.map(({ transactionTypeId, attribute, statuses, verdict, says, ok }) => [
    transactionTypeId,
    attribute ?? '(none)',
    statuses.map((status) => status ?? 'none').join(', '),
    ok ? verdict : verdict.toUpperCase(),
    says,
  ]);
  return columns([['transaction type', 'attribute', 'statuses', 'verdict', 'so'], ...rows]);
}

function faultLines(drills: readonly DrillResult[]): string[] {
  const bad = drills.filter(({ problems }) => problems.length > 0);
  return [
    `${drills.length - bad.length} of ${drills.length} came out as they must`,
    ...bad.map(({ drill, call, problems }) => `FAILED  ${drill}, ${call}: ${problems.join('; ')}`),
  ];
}
