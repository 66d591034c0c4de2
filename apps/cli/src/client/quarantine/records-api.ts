/** What the operations API answers where one record was dealt with. */
export interface SettledRecord {
  readonly id: number;
  /** Such as `recorded` or `discarded`. */
  readonly result: string;
  /** The intent that it became, or had become already. */
  readonly intent: string | null;
  /** Why no new intent came of it. */
  readonly reason: string | null;
}

/** What it answers to one request for many. */
export interface SettledBatch {
  readonly done: number;
  readonly failed: number;
  /** Somebody else dealt with them meanwhile. */
  readonly skipped?: number;
  /** Not tried yet. */
  readonly remaining: number;
  /** The first of those that failed. */
  readonly failures: readonly FailedRecord[];
  readonly nextCursor?: string | null;
}

export interface FailedRecord {
  readonly id: number;
  readonly detail: string;
}

export type Settling = 'resubmit' | 'discard';
