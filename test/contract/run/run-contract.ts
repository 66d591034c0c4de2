import { coverageOf, emptyCells } from '../coverage/coverage.js';
import type { RowResult } from '../interpreter/row-result.js';
import type { ContractReport } from '../report/contract-report.js';
import { type ContractParts, ContractRun } from './contract-run.js';

/** @param say told of the progress */
export async function runContract(parts: ContractParts, say: (text: string) => void): Promise<ContractReport> {
  const startedAt = Date.now();
  const { plan, target, run } = parts;
  const suite = new ContractRun(parts);
  say(`${plan.specification.rows.length} rows of the specification, by plain HTTP and through the gateway ...`);
  const rows = await bothClients(suite, target.isSandbox);
  say(`${plan.assumptions.assumptions.length} assumptions of the dialect ...`);
  const assumptions = await suite.findings();
  const uniqueEnforced = plan.selection === 'read' ? [] : await suite.proofs();
  const isWhole = target.isSandbox && plan.selection === null;
  if (isWhole) say('every fault on every operation ...');
  const faults = isWhole ? await suite.drills() : null;
  const coverage = coverageOf({ specification: plan.specification, results: rows, drills: faults });
  const emptied = isWhole ? emptyCells(coverage) : [];
  return {
    ok: isFine({ rows, assumptions, uniqueEnforced, faults, emptyCells: emptied }, isWhole),
    run,
    baseUrl: target.baseUrl,
    seconds: (Date.now() - startedAt) / 1_000,
    rows,
    assumptions,
    uniqueEnforced,
    faults,
    coverage,
    emptyCells: emptied,
  };
}

type Judged = Pick<ContractReport, 'rows' | 'assumptions' | 'uniqueEnforced' | 'faults' | 'emptyCells'>;

/** In a whole run against the sandbox nothing may be left out. */
export function isFine(
  { rows, assumptions, uniqueEnforced, faults, emptyCells: empty }: Judged,
  isWhole: boolean,
): boolean {
  return [
    rows.every(({ verdict }) => verdict === 'passed' || (verdict === 'not-run' && !isWhole)),
    assumptions.every(({ verdict }) => verdict !== 'wrong'),
    uniqueEnforced.every(({ ok }) => ok),
    (faults ?? []).every(({ problems }) => problems.length === 0),
    empty.length === 0,
  ].every((isRight) => isRight);
}

/** A sandbox of our own takes both at once. */
async function bothClients(suite: ContractRun, atOnce: boolean): Promise<RowResult[]> {
  const plain = suite.plainRows();
  if (!atOnce) await plain;
  return (await Promise.all([plain, suite.gatewayRows()])).flat();
}
