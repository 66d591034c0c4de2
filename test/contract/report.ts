import type { Finding } from './assumptions.js';
import type { Cell, CoverageLine } from './coverage.js';
import type { DrillResult } from './drills.js';
import type { RowResult } from './interpreter/session.js';
import type { UniqueProof } from './prove-unique.js';

/** What `--json` prints. Holds no secret. */
export interface ContractReport {
  /** Nothing is wrong. */
  readonly ok: boolean;
  /** Part of every value that was written. */
  readonly run: string;
  readonly baseUrl: string;
  readonly seconds: number;
  /** Two results a row: plain HTTP, and through the gateway. */
  readonly rows: readonly RowResult[];
  readonly assumptions: readonly Finding[];
  readonly uniqueEnforced: readonly UniqueProof[];
  /** Null where the service has no fault dials, or they were not asked for. */
  readonly faults: readonly DrillResult[] | null;
  readonly coverage: readonly CoverageLine[];
  /** Cells of the coverage table with nothing in them; they count as wrong in a whole run against the sandbox. */
  readonly emptyCells: readonly string[];
}

/** Rows as text, each column as wide as its widest cell and at most so wide; longer cells are cut. */
function columns(rows: readonly (readonly string[])[], charsMax: readonly number[] = []): string[] {
  const cut = rows.map((row) => row.map((cell, column) => shortened(cell, charsMax[column] ?? Infinity)));
  const widths = (cut[0] ?? []).map((_, column) => Math.max(...cut.map((row) => (row[column] ?? '').length)));
  return cut.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function shortened(text: string, charsMax: number): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > charsMax ? `${line.slice(0, charsMax - 3)}...` : line;
}

/** The coverage table, for people. */
export function coverageTable(lines: readonly CoverageLine[]): string[] {
  const rows = lines.map(({ call, section, gateway, service, rows: tests, faults, product }) => [
    section,
    call,
    cellText(gateway),
    cellText(service),
    cellText(tests),
    faults === null ? 'no dials' : cellText(faults),
    product === null ? 'no sources' : cellText(product),
  ]);
  return columns([
    ['section', 'operation', 'gateway', 'sandbox', 'contract tests', 'fault dials', 'daemon or command'],
    ...rows,
  ]);
}

function cellText({ good, all }: Cell): string {
  if (all === 0) return '-';
  return good === all ? String(all) : `${good} of ${all}`;
}

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
    ({ id, client, verdict, problems: what }) => `${verdictTexts[verdict]}  ${id} [${client}]: ${what.join('; ')}`,
  );
  return [...columns([['table', 'plain HTTP', 'gateway'], ...counts]), ...problems];
}

const verdictTexts = { passed: 'passed', failed: 'FAILED', 'not-run': 'not run', otherwise: 'NOT AS ASSUMED' } as const;

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
  const others = proofs.flatMap(({ transactionTypeId, refusals }) =>
    refusals.map(({ what, seen, readAs, ok }) => [transactionTypeId, what, ok ? readAs : readAs.toUpperCase(), seen]),
  );
  return [
    ...columns([['transaction type', 'attribute', 'statuses', 'verdict', 'so'], ...rows]),
    ...(others.length === 0 ? [] : columns([['transaction type', 'refused for', 'read as', 'seen'], ...others])),
  ];
}

function faultLines(drills: readonly DrillResult[]): string[] {
  const bad = drills.filter(({ problems }) => problems.length > 0);
  return [
    `${drills.length - bad.length} of ${drills.length} came out as they must`,
    ...bad.map(({ drill, call, problems }) => `FAILED  ${drill}, ${call}: ${problems.join('; ')}`),
  ];
}
