import type { Finding } from '../assumptions/finding.js';
import type { CoverageLine } from '../coverage/coverage.js';
import type { DrillResult } from '../faults/drill-result.js';
import type { RowResult } from '../interpreter/row-result.js';
import type { UniqueProof } from '../unique/prove-unique.js';

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
