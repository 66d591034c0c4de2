import type { ActingRole } from '../operator/operator-action.js';

/** Kinds of stored work on many records. */
export type JobKindName = 'reconciliation' | 'adoption' | 'provisioning' | 'erasure' | 'export' | 'rereading';

export type JobState = 'waiting' | 'running' | 'paused' | 'done' | 'failed' | 'cancelled';

/** Lines that one job may leave, at most. */
export const jobLinesMax = 100_000;

/** What somebody asked for that takes long: stored, so that it survives restarts. */
export interface Job {
  readonly jobId: string;
  readonly kind: JobKindName;
  readonly program: string | null;
  /** As it was asked for; its kind knows the shape. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly reason: string;
  readonly state: JobState;
  /** Where it goes on; null at its beginning. Its kind knows the shape. */
  readonly cursor: unknown;
  readonly progress: Readonly<Record<string, number>>;
  /** What came of it, at its end. */
  readonly report: unknown;
  /** Why it failed. */
  readonly error: string | null;
  /** Turns in a row that failed. */
  readonly failures: number;
  /** How many lines it has left. */
  readonly lines: number;
  /** Epoch ms. */
  readonly createdAt: number;
  readonly createdBy: string;
  /** What resuming or cancelling it takes. */
  readonly needsRole: ActingRole;
  readonly finishedAt: number | null;
}

/** SQL: the columns of a `Job`. */
export const jobColumns = `job_id AS "jobId", kind, program_id AS program, request, reason, state, cursor, progress, report,
  error, failures, lines, created_at AS "createdAt", created_by AS "createdBy",
  COALESCE(needs_role, 'admin') AS "needsRole", finished_at AS "finishedAt"`;
