import type { EffectOperation } from '../http/operation.js';

/** One applied effect (contracts.md section 9). `seq` is dense and rises in the order in which effects took effect. */
export interface LedgerEntry {
  readonly seq: number;
  readonly operation: EffectOperation;
  readonly brandId: string;
  /** Null where the operation is one of the whole brand. */
  readonly programId: string | null;
  /** Null, as `passId`, where the operation changed no pass; a schedule keeps the unique id it was asked for. */
  readonly uniqueId: string | null;
  readonly passId: number | null;
  /**
   * The workflow, transaction type or reward of the path, or what was created or changed: an attribute, a template, a
   * schedule, a brand. Null for a direct issue.
   */
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
