import type { PauseTarget } from './pause.js';

/**
 * The programs that a replica would work on, with since when it does; null: it does not. Whoever does not name a program
 * takes no part in sharing its limits.
 */
export type KnownPrograms = Readonly<Record<string, number | null>>;

/** What one replica tells the others. Times in epoch ms. */
export interface ReplicaReport {
  readonly replicaId: string;
  readonly startedAt: number;
  readonly programs: KnownPrograms;
  /** What the partner made it obey since its last report. */
  readonly gates: readonly SharedGate[];
}

/** What all replicas obey for one program. Times in epoch ms; null: nothing. */
export interface SharedGate {
  readonly program: string;
  /** The partner asked for a rest until then (Retry-After). */
  readonly restUntil: number | null;
  /** A circuit breaker has opened at that time, until then. */
  readonly breakerOpenedAt: number | null;
  readonly breakerUntil: number | null;
  /** Calls per second of a job that reads there: delivery makes room for them. Read only. */
  readonly guestRate?: number | null;
}

/** Another replica that is alive. */
export interface OtherReplica {
  readonly replicaId: string;
  readonly programs: KnownPrograms;
}

/** What a replica learns with each report. */
export interface CoordinationState {
  readonly others: readonly OtherReplica[];
  /** Only those in force. */
  readonly gates: readonly SharedGate[];
  readonly pauses: readonly (PauseTarget & { readonly automatic: boolean })[];
}
