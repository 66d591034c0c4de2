import type { RunnerOptions } from 'graphile-worker';
import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import pg from 'pg';

import type { BacklogSize } from '../backlog/fill-store.js';
import { runSql, settle } from '../infrastructure/bench-postgres.js';
import type { AnsweredJob, Job } from './attempt-rows.js';
import { AttemptRows } from './attempt-rows.js';
import type { BareClient } from './bare-client.js';
import { bareClient } from './bare-client.js';
import type { Contestant, RoundFigures, RoundInput } from './contestant.js';
import { Stopwatch } from './contestant.js';
import { GroupCommit } from './group-commit.js';

const jobsPerStatement = 5_000;

/** The library's own `add_jobs`, many at once; `run_at` one after the other, for that is its order. */
const addJobsIn = (queue: string): string => `
SELECT count(*) FROM graphile_worker.add_jobs(ARRAY(
  SELECT ROW('send', json_build_object('member', g % $3, 'rank', g / $3 + 1), ${queue},
    timestamptz '2026-01-01' + g * interval '1 ms', 1::smallint, NULL, 0::smallint, NULL)::graphile_worker.job_spec
  FROM generate_series($1::int, $2::int) AS g ORDER BY g))`;

const addOrderedJobs = addJobsIn("'m_' || (g % $3)");
const addUnorderedJobs = addJobsIn('NULL');

/** The same backlog as jobs of graphile-worker: one named queue per member, or no queues. */
export const fillGraphile = async (url: string, size: BacklogSize, isOrdered: boolean): Promise<void> => {
  const { members, intentsPerMember } = size;
  const utils = await makeWorkerUtils({ connectionString: url, logger: new Logger(() => () => undefined) });
  await utils.migrate();
  await utils.release();
  await runSql(url, "INSERT INTO graphile_worker._private_tasks (identifier) VALUES ('send') ON CONFLICT DO NOTHING");
  const total = members * intentsPerMember;
  for (let from = 0; from < total; from += jobsPerStatement) {
    await runSql(url, isOrdered ? addOrderedJobs : addUnorderedJobs, [
      from,
      Math.min(total, from + jobsPerStatement) - 1,
      members,
    ]);
  }
  await settle(url);
};

type WorkerOptions = NonNullable<NonNullable<RunnerOptions['preset']>['worker']> & { readonly maxPoolSize: number };

/**
 * The best found with the local queue (0.18.0 keeps a named queue serial there; 0.17 did not) and batched completion,
 * among 24 to 64 jobs at once, local queues of 100 to 4,000, pools of 10 to 66.
 */
export const tunedSettings = {
  concurrentJobs: 64,
  maxPoolSize: 20,
  localQueue: { size: 1_000 },
  completeJobBatchDelay: 0,
  failJobBatchDelay: 0,
} as const;

const silent = new Logger(() => () => undefined);
const pollIntervalMs = 100;

/** With the listeners that the library asks for. */
const poolOf = (connectionString: string, max: number): pg.Pool => {
  const pool = new pg.Pool({ connectionString, max });
  const onError = (error: Error): void => console.error(error.message);
  return pool.on('error', onError).on('connect', (client) => void client.on('error', onError));
};

/** The best found for group commits of attempt rows, among 64 to 1,024 jobs at once: a larger group costs each job less. */
export const groupedSettings = { ...tunedSettings, concurrentJobs: 1_024, localQueue: { size: 4_000 } } as const;

interface Sender {
  readonly input: RoundInput;
  readonly client: BareClient;
  readonly pool: pg.Pool;
}

/** Does one job. */
type Send = (job: Job) => Promise<void>;

/** The job as it is: nothing is recorded before its call. */
const plainly = async ({ client }: Sender): Promise<Send> => {
  return async ({ member, rank }) => {
    await client.postTransaction(member, rank);
  };
};

/** Attempt rows of all jobs that are under way share their commits, by a group commit of our own. */
const inGroups = async ({ input, client, pool }: Sender): Promise<Send> => {
  const rows = await AttemptRows.open(input.databaseUrl, input.encryptionKey, input.attemptRows ?? 0);
  const begins = new GroupCommit<Job>((jobs) => rows.begin(pool, jobs));
  const outcomes = new GroupCommit<AnsweredJob>((calls) => rows.applied(pool, calls));
  return async (job) => {
    await begins.add(job);
    const posted = await client.postTransaction(job.member, job.rank);
    await outcomes.add({ job, posted });
  };
};

const work = async (input: RoundInput, settings: WorkerOptions, sending = plainly): Promise<RoundFigures> => {
  const client = bareClient(input.stubOrigin);
  const pgPool = poolOf(input.databaseUrl, settings.maxPoolSize);
  const sendJob = await sending({ input, client, pool: pgPool });
  const wanted = input.members * input.intentsPerMember;
  const finished = Promise.withResolvers<undefined>();
  let done = 0;
  const clock: { watch: Stopwatch | null } = { watch: null };
  const send = async (payload: unknown): Promise<void> => {
    // From the first job on: connecting and looking for migrations are not counted.
    clock.watch ??= new Stopwatch();
    await sendJob(payload as Job);
    done += 1;
    if (done === wanted) finished.resolve(undefined);
  };
  const timer = setTimeout(() => finished.resolve(undefined), input.secondsMax * 1_000);
  const worker = { pollInterval: pollIntervalMs, logger: silent, ...settings };
  const runner = await run({ preset: { worker }, pgPool, taskList: { send }, noHandleSignals: true });
  await finished.promise;
  const figures = (clock.watch ?? new Stopwatch()).read(done);
  clearTimeout(timer);
  await runner.stop();
  await pgPool.end();
  await client.close();
  return figures;
};

/** With its local queue and batched completion, and with or without named queues: the jobs have them or not. */
export const graphileTuned: Contestant = (input) => work(input, tunedSettings);

/** The same with attempt rows in group commits. */
export const graphileGrouped: Contestant = (input) => work(input, groupedSettings, inGroups);
