import type { Cell, CoverageLine } from '../coverage/coverage.js';
import { columns } from './columns.js';

/** The coverage table, for people. */
export function coverageTable(lines: readonly CoverageLine[]): string[] {
  const rows = lines.map(({ call, section, gateway, service, rows: tests, faults }) => [
    section,
    call,
    cellText(gateway),
    cellText(service),
    cellText(tests),
    faults === null ? 'no dials' : cellText(faults),
  ]);
  return columns([['section', 'operation', 'gateway', 'sandbox', 'contract tests', 'fault dials'], ...rows]);
}

function cellText({ good, all }: Cell): string {
  if (all === 0) return '-';
  return good === all ? String(all) : `${good} of ${all}`;
}
