import type { Program } from '#contracts';
import type { Operation } from '#intents/core';
import { releaseQuota, replicaTtlMs, acquireQuota } from '#intents';
import type { Clock, Database } from '#platform';
import { sleepUnlessAborted } from '#platform';

import type { Job } from '../jobs/job-repository.js';

/** A turn ends after this time at the latest, but for the call under way: well within a job's lease. */
export const readingTurnMs = 5_000;
/** Part of a program's `limits.requestsPerSecond` that jobs may have; delivery keeps the rest. */
const requestShareMax = 0.1;
/** How long a job keeps away while another one reads there, or the program is paused. */
export const awayMs = 5_000;

/** A program by its name. */
export interface NamedProgram {
  readonly name: string;
  readonly program: Program;
}

/** Calls per second that a reading job may make, within what delivery leaves of the program's limit. */
export function readingRate({ limits: { requestsPerSecond: limit } }: Program, callsPerSecondMax: number): number {
  return Math.min(callsPerSecondMax, limit === null ? Infinity : limit * requestShareMax);
}

interface AdmissionRequest extends NamedProgram {
  readonly job: Job;
  /** As many calls as jobs of its kind would make; a job may have been asked to make fewer. */
  readonly callsPerSecond: number;
  /** What its calls are, where they do not only read. */
  readonly operation?: Operation;
}

/** Whether a job may call the partner now. `come-back`: not before `at`, epoch ms. */
export type Admission =
  { readonly kind: 'come-back'; readonly at: number } | { readonly kind: 'admitted'; readonly callsPerSecond: number };

/**
 * Lets one job at a time read at a program's partner, beside live delivery: at a small rate, which every delivering
 * process leaves free of its own limit, and not while the partner wants rest or the program is paused.
 */
export class ReadingAdmission {
  /** When the next call of a job is due, by our monotonic clock. Few: jobs that this process works on. */
  private readonly nextCallAt = new Map<string, number>();

  constructor(
    private readonly tools: { readonly database: Database; readonly clock: Clock; readonly stopping: AbortSignal },
  ) {}

  async admit({ job, name, program, callsPerSecond, ...asked }: AdmissionRequest): Promise<Admission> {
    const { database, clock } = this.tools;
    const now = clock.now();
    const limit = program.limits.requestsPerSecond;
    const rate = readingRate(program, Math.min(callsPerSecond, job.ratePerSecond ?? Infinity));
    const visit = { program: name, job: job.jobId, ratePerSecond: rate, now, ...asked };
    const lease = await acquireQuota(database, visit);
    if (lease === null || lease.isPaused) return { kind: 'come-back', at: now + awayMs };
    // Every delivering process must have heard of the job, or have stopped beginning.
    const knownFrom = limit === null ? now : lease.since + replicaTtlMs;
    const at = Math.max(knownFrom, lease.closedUntil ?? now);
    return at > now ? { kind: 'come-back', at } : { kind: 'admitted', callsPerSecond: rate };
  }

  /** Waits for a call's turn. @returns false where that would take longer, or the process stops: it may not call */
  async awaitTurn(job: Job, callsPerSecond: number, withinMs: number): Promise<boolean> {
    const { clock, stopping } = this.tools;
    const waitMs = this.dueInMs(job);
    if (waitMs > withinMs) return false;
    if (waitMs > 0) await sleepUnlessAborted(clock, waitMs, stopping);
    if (stopping.aborted) return false;
    this.nextCallAt.set(job.jobId, clock.monotonic() + 1_000 / callsPerSecond);
    return true;
  }

  /** How long until the job's next call is due. */
  dueInMs({ jobId }: Job): number {
    return Math.max(0, (this.nextCallAt.get(jobId) ?? 0) - this.tools.clock.monotonic());
  }

  /** The job is done with the partner. */
  async leave({ jobId }: Job, program: string): Promise<void> {
    this.nextCallAt.delete(jobId);
    await releaseQuota(this.tools.database, { program, job: jobId });
  }
}
