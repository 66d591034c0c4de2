/** An entry of the partner's own ledger (contracts.md section 9): something that really took effect. */
export interface Effect {
  /** Rises in the order in which effects took effect. */
  readonly seq: number;
  /** The ledger's name; for what we ask it is the operation's. */
  readonly operation: string;
  readonly program: string;
  readonly uniqueId: string | null;
  readonly key: string | null;
  readonly target: string | null;
  /** As `AskedEffect.content`. */
  readonly content: string | null;
  readonly arrivedAt: number;
  readonly appliedAt: number;
  readonly requestId: string | null;
  /** Of the pass it was about; absent: nobody knows. */
  readonly passId?: number | null;
}

/** A request that reached the partner, whatever became of it. */
export interface PartnerRequest {
  /** An operation, or `lookup`, `list`, `token`. */
  readonly operation: string;
  /** Null where the request names none (a token). */
  readonly program: string | null;
  readonly uniqueId: string | null;
  readonly key: string | null;
  readonly target: string | null;
  readonly content: string | null;
  readonly arrivedAt: number;
  /** When the answer left, or the connection broke; null: never. */
  readonly endedAt: number | null;
  /** When the answer reached who had asked; null: it never did. Absent: nobody knows. */
  readonly heardAt?: number | null;
  /** Null: there was no answer. */
  readonly status: number | null;
  /** Of the answer; null: it named none. */
  readonly retryAfterMs: number | null;
  /** It was answered a success that shows no effect of it, or somebody else's pass, whatever became of it. */
  readonly isFeigned?: boolean;
  readonly requestId: string | null;
}
