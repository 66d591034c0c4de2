import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';

import type { Clock, Logger, Random } from '#platform';
import { BackgroundLoop, errorFields, SafeError } from '#platform';

import { OperationsObserver } from '../access/operations-observer.js';
import type { ItemProgress, JobItemState } from './job-items.js';
import { JobItemRepository, settleInactive } from './job-items.js';
import type { Job, JobKindName, JobTurn } from './job-repository.js';
import { jobLinesMax, JobRepository, jobRetryMs } from './job-repository.js';
import type { Allowance } from './pace.js';
import { judgeCanary, RateBudgets } from './pace.js';

/** How jobs of one kind are carried on. Each kind is a provider that extends this: `JobRunners` finds it by that. */
export abstract class JobWork {
  abstract readonly kind: JobKindName;
  /** A process that is gone loses its jobs after so long; absent: `jobLeaseMs`. */
  readonly leaseMs?: number;

  /**
   * Makes a turn: some seconds of work at most (the lease is 60 s). A turn that fails, or whose outcome is not kept, is
   * made again: what it does outside `alongside` must bear that.
   * @param allowance absent: `unlimited`
   * @throws {JobFailedError} where no further turn would help
   */
  abstract turn(job: Job, allowance?: Allowance): Promise<JobTurn>;

  /** The process stops: a turn that only reads at the partner ends at once. */
  stop?(): void;
}

/** The job cannot be done. The message is shown to operators: nothing personal. */
export class JobFailedError extends SafeError {
  override readonly name = 'JobFailedError';
}

interface TurnTools {
  readonly items: JobItemRepository;
  /** Called with items that have come to an end, for metrics. */
  readonly onJobItems?: (state: JobItemState, count: number) => void;
}

/** Notes what came of the items that were sent. Null of a job that has none. */
async function settledItems({ jobId, selection }: Job, { items, onJobItems }: TurnTools): Promise<ItemProgress | null> {
  if (selection === null) return null;
  for (const [state, count] of await items.settle(jobId)) onJobItems?.(state, count);
  return items.progress(jobId);
}

/**
 * A turn of a job, as far as its rate and its canary let it go. What is judged of a job without items are its calls, each of
 * which has come to its end.
 * @param rate how many its rate lets it begin
 */
export async function pacedTurn(work: JobWork, job: Job, rate: number, tools: TurnTools): Promise<JobTurn> {
  const items = await settledItems(job, tools);
  const counts = items ?? { begun: job.canary.settled, ...job.canary };
  const verdict = job.isCanary ? judgeCanary(counts) : null;
  if (verdict?.kind === 'stop') return { isDone: false, stoppedBecause: verdict.because };
  return work.turn(job, { rate, canary: verdict?.allowance ?? Infinity, items });
}

/** How often one looks for jobs that have something to do, unless woken or one of ours comes due before. */
const idleMs = 5_000;

interface LoopTools {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

interface JobRunnerTools extends TurnTools, LoopTools {
  readonly jobs: JobRepository;
  /** Jobs of other kinds are left to others. */
  readonly work: JobWork;
}

/** Carries on the jobs of one kind, each in one process at a time: none keeps those of another kind waiting. */
export function jobRunner(tools: JobRunnerTools): BackgroundLoop {
  const { jobs: store, clock, random, logger, work } = tools;
  const { leaseMs } = work;
  const owner = random.uuid();
  const kinds = [work.kind];
  /** When jobs that this process has carried on have something to do again. */
  const due = new Map<string, number>();
  const budgets = new RateBudgets(clock);
  const turnOf = async (job: Job): Promise<JobTurn> => {
    const { ratePerSecond } = job;
    const budget = ratePerSecond === null ? null : budgets.of(job.jobId);
    const turn = await pacedTurn(work, job, budget?.available(ratePerSecond ?? 0) ?? Infinity, tools);
    budget?.spend(turn.begun ?? 0);
    if (job.lines + (turn.lines?.length ?? 0) > jobLinesMax) throw new JobFailedError('it found more than can be kept');
    return turn;
  };
  const fail = async ({ jobId, kind }: Job, error: unknown): Promise<void> => {
    const isFinal = error instanceof JobFailedError;
    // Other messages may quote what they choked on.
    const text =
      error instanceof SafeError ? error.message : `failed: ${error instanceof Error ? error.name : 'unknown'}`;
    logger.warn({ job: jobId, kind, ...errorFields(error) }, 'a turn of a job failed');
    await store.fail({ jobId, owner, error: text, isFinal, now: clock.now() });
    if (!isFinal) due.set(jobId, clock.now() + jobRetryMs);
  };
  const carryOn = async (job: Job): Promise<void> => {
    try {
      const turn = await turnOf(job);
      await store.save({ jobId: job.jobId, owner, now: clock.now(), turn });
      if (!turn.isDone && turn.stoppedBecause === undefined) due.set(job.jobId, turn.againAt ?? clock.now());
    } catch (error) {
      await fail(job, error);
    }
  };
  const workOnce = async (): Promise<number> => {
    const now = clock.now();
    const jobs = await store.lease({
      owner,
      kinds,
      now,
      ...(leaseMs === undefined ? {} : { leaseMs }),
    });
    for (const [jobId, at] of due) if (at <= now) due.delete(jobId);
    for (const job of jobs) await carryOn(job);
    await settleInactive(tools, work.kind);
    return jobs.length > 0 ? 0 : Math.min(idleMs, Math.max(1, Math.min(...due.values()) - now));
  };
  return new BackgroundLoop({
    ...tools,
    workOnce,
    close: async () => undefined,
    failureMessage: 'jobs were not carried on',
  });
}

/** Carries out jobs: a loop for each kind that is provided in this process. */
@Injectable()
export class JobRunners {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly jobs: JobRepository,
    private readonly items: JobItemRepository,
    private readonly observer: OperationsObserver,
  ) {}

  /** Not yet started. To be called when every provider is made (`onModuleInit` or later): a kind may be in any module. */
  open(tools: LoopTools): { readonly loop: BackgroundLoop; readonly work: JobWork }[] {
    const { clock, random, logger } = tools;
    const { jobs, items } = this;
    const onJobItems: OperationsObserver['jobItems'] = (state, count) => {
      this.observer.jobItems(state, count);
    };
    const provided = this.discovery.getProviders().map(({ instance }): unknown => instance);
    const works = provided.filter((instance) => instance instanceof JobWork);
    return works.map((work) => ({
      loop: jobRunner({ jobs, items, clock, random, logger, onJobItems, work }),
      work,
    }));
  }
}
