import type { RunnerOptions } from 'graphile-worker';
import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import pg from 'pg';

import { runSql, settle } from '../infrastructure/bench-postgres.js';
import type { AnsweredJob } from './attempt-rows.js';
import { AttemptRows } from './attempt-rows.js';
import type { BareClient } from './bare-client.js';
import { bareClient } from './bare-client.js';
import type { Contestant, RoundFigures, RoundInput } from './contestant.js';
import { GroupCommit } from './group-commit.js';
import type { Job, PeerBacklog } from './jobs.js';
import { JobOpener, jobsOf } from './jobs.js';
import { PeerFinish } from './peer-finish.js';

const jobsPerStatement = 5_000;

/** The library's own `add_jobs`, many at once; `run_at` one after the other, for that is its order. */
const addJobs = `
SELECT count(*) FROM graphile_worker.add_jobs(ARRAY(
  SELECT ROW('send', payload::json, CASE WHEN $3 THEN 'm_' || (payload::json ->> 'member') END,
    timestamptz '2026-01-01' + ($1::int + number) * interval '1 ms', 1::smallint, NULL, 0::smallint, NULL)::graphile_worker.job_spec
  FROM unnest($2::text[]) WITH ORDINALITY AS w (payload, number) ORDER BY number))`;

/** The same backlog as jobs of graphile-worker: one named queue per member, or no queues. */
export const fillGraphile = async (url: string, { size, isOrdered, seal }: PeerBacklog): Promise<void> => {
  const { members, intentsPerMember } = size;
  const utils = await makeWorkerUtils({ connectionString: url, logger: new Logger(() => () => undefined) });
  await utils.migrate();
  await utils.release();
  await runSql(url, "INSERT INTO graphile_worker._private_tasks (identifier) VALUES ('send') ON CONFLICT DO NOTHING");
  const total = members * intentsPerMember;
  for (let from = 0; from < total; from += jobsPerStatement) {
    const jobs = jobsOf(from, Math.min(total, from + jobsPerStatement), members).map(seal);
    await runSql(url, addJobs, [from, jobs.map((job) => JSON.stringify(job)), isOrdered]);
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

/** The job as it is: that it was taken is committed before, for all that one fetch took, and nothing more. */
const plainly = async ({ client }: Sender): Promise<Send> => {
  return async ({ member, rank }) => {
    await client.postTransaction(member, rank);
  };
};

/** Attempt rows of all jobs that are under way share their commits, by a group commit of our own. */
const inGroups = async ({ input, client, pool }: Sender): Promise<Send> => {
  const rows = new AttemptRows(input.encryptionKey);
  const begins = new GroupCommit<Job>((jobs) => rows.begin(pool, jobs));
  const outcomes = new GroupCommit<AnsweredJob>((calls) => rows.applied(pool, calls));
  return async (job) => {
    await begins.add(job);
    const posted = await client.postTransaction(job.member, job.rank);
    await outcomes.add({ job, posted });
  };
};

const leftSql = 'SELECT EXISTS (SELECT FROM graphile_worker._private_jobs) AS left';

interface Way {
  readonly settings: WorkerOptions;
  readonly sending: (sender: Sender) => Promise<Send>;
  readonly isShare: boolean;
}

const work = async (input: RoundInput, { settings, sending, isShare }: Way): Promise<RoundFigures> => {
  const client = bareClient(input.stubOrigin);
  const pgPool = poolOf(input.databaseUrl, settings.maxPoolSize);
  const sendJob = await sending({ input, client, pool: pgPool });
  const opener = new JobOpener(input.encryptionKey);
  const finish = new PeerFinish(input, isShare ? leftSql : null);
  const send = async (payload: unknown): Promise<void> => {
    finish.begin();
    opener.open(payload as Job);
    await sendJob(payload as Job);
    finish.count(1);
  };
  const worker = { pollInterval: pollIntervalMs, logger: silent, ...settings };
  const runner = await run({ preset: { worker }, pgPool, taskList: { send }, noHandleSignals: true });
  await finish.reached;
  const figures = finish.figures();
  await runner.stop();
  await pgPool.end();
  await client.close();
  return figures;
};

/** With its local queue and batched completion, and with or without named queues: the jobs have them or not. */
export const graphile: Contestant = (input) =>
  work(input, { settings: tunedSettings, sending: plainly, isShare: false });

/** One of several on one database. */
export const graphileShare: Contestant = (input) =>
  work(input, { settings: tunedSettings, sending: plainly, isShare: true });

/** With attempt rows in group commits. */
export const graphileRows: Contestant = (input) =>
  work(input, { settings: groupedSettings, sending: inGroups, isShare: false });
