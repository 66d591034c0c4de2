import type { EffectOperation } from '../http/operation.js';

/** One applied effect (contracts.md section 9). `seq` is dense and rises in the order in which effects took effect. */
export interface LedgerEntry {
  readonly seq: number;
  readonly operation: EffectOperation;
  readonly brandId: string;
  readonly programId: string;
  readonly uniqueId: string;
  readonly passId: number;
  /** The workflow, transaction type or reward of the path; null for a direct issue. */
  readonly targetId: string | null;
  /** The unique attribute's value, or null. */
  readonly key: string | null;
  readonly requestId: string;
  /** ISO 8601. */
  readonly arrivedAt: string;
  /** ISO 8601. */
  readonly appliedAt: string;
  readonly body: unknown;
}
