import type { Operation } from '#domain';

/** What is paused; null stands for every program, and for every operation. */
export interface PauseTarget {
  readonly program: string | null;
  readonly operation: Operation | null;
}

/** A pause in force. */
export interface Pause extends PauseTarget {
  readonly pauseId: number;
  /** Epoch ms. */
  readonly since: number;
  /** Who set it: an operator's name, or that of the replica that did it by itself. */
  readonly by: string;
  readonly reason: string;
  /** Set by delivery itself, because the partner refused everybody. Only a person lifts it. */
  readonly automatic: boolean;
}

/** SQL: the columns of a `Pause`. */
export const pauseColumns = `pause_id AS "pauseId", program_id AS program, operation, since, set_by AS by, reason, automatic`;
