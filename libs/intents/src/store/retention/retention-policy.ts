export const dayMs = 86_400_000;

/** How long what is kept; days, 0: for ever. */
export interface RetentionPolicy {
  /** Delivered and cancelled intents, since the last that happened to them. */
  readonly intentDays: number;
  /** Identities of events and business keys of which no intent is left. */
  readonly dedupDays: number;
  /** Records set aside, since somebody has dealt with them. */
  readonly quarantineDays: number;
  /** The bytes of records that were set aside before they were mapped, since then; never for ever. */
  readonly unmappedDays: number;
  /** Jobs, since they were over. */
  readonly jobDays: number;
  /** The audit, but for what was done to an intent or a job that is still there. */
  readonly auditDays: number;
  /** Digests by which erased members are recognised, since the erasure. */
  readonly erasedDays: number;
  /** False: no dead letter is published any more; one that waits in vain leaves with its record. */
  readonly hasDeadLetters: boolean;
}
