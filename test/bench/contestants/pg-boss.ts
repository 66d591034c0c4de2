import { setTimeout as sleep } from 'node:timers/promises';

import pg from 'pg';
import type { Db, Job as BossJob } from 'pg-boss';
import { PgBoss } from 'pg-boss';

import { memberId } from '../backlog/purchase-event.js';
import { settle } from '../infrastructure/bench-postgres.js';
import type { AnsweredJob } from './attempt-rows.js';
import { AttemptRows } from './attempt-rows.js';
import type { BareClient } from './bare-client.js';
import { bareClient } from './bare-client.js';
import type { Contestant, RoundFigures, RoundInput } from './contestant.js';
import type { Job, PeerBacklog } from './jobs.js';
import { JobOpener } from './jobs.js';
import { PeerFinish } from './peer-finish.js';

const jobsPerInsert = 2_000;

const pgBossQueue = 'send';

/** Nothing of the library's own housekeeping runs beside the work. */
const pgBossQuiet = { supervise: false, schedule: false } as const;

/**
 * The same backlog as jobs of pg-boss, keyed by member where its order counts. One insert never holds two jobs of a
 * member: they would have the same creation time, and then the library orders them by their random ids.
 */
export const fillPgBoss = async (url: string, { size, isOrdered, seal }: PeerBacklog): Promise<void> => {
  const boss = new PgBoss({ connectionString: url, ...pgBossQuiet });
  boss.on('error', (error) => console.error(error.message));
  await boss.start();
  await boss.createQueue(pgBossQueue, { policy: isOrdered ? 'key_strict_fifo' : 'standard', partition: true });
  for (let rank = 1; rank <= size.intentsPerMember; rank += 1) {
    for (let from = 0; from < size.members; from += jobsPerInsert) {
      const members = Array.from({ length: Math.min(jobsPerInsert, size.members - from) }, (_, index) => from + index);
      const jobs = members.map((member) => ({ data: seal({ member, rank }), singletonKey: memberId(member) }));
      await boss.insert(pgBossQueue, isOrdered ? jobs : jobs.map(({ data }) => ({ data })));
    }
  }
  await boss.stop();
  await settle(url);
};

interface PgBossSettings {
  readonly batchSize: number;
  /** Loops of fetch, send and complete, as `work` has them, but none waits for a polling interval. */
  readonly loops: number;
  /** Requests at once of each loop. */
  readonly requestsPerLoop: number;
  readonly max: number;
}

/** The best found among batches of 100 to 4,000 and 1 to 4 loops; a batch holds the first job of a member, no second. */
export const batchedSettings: PgBossSettings = { batchSize: 1_000, loops: 2, requestsPerLoop: 32, max: 10 };

const pollIntervalMs = 5;

type Batch = readonly BossJob<Job>[];

interface Sender {
  readonly client: BareClient;
  readonly opener: JobOpener;
}

const sendAll = async ({ client, opener }: Sender, jobs: Batch, requests: number): Promise<AnsweredJob[]> => {
  const rest = jobs.values();
  const answered: AnsweredJob[] = [];
  const lane = async (): Promise<void> => {
    for (const { data: job } of rest) {
      opener.open(job);
      answered.push({ job, posted: await client.postTransaction(job.member, job.rank) });
    }
  };
  await Promise.all(Array.from({ length: requests }, lane));
  return answered;
};

/** Takes a batch, and completes it once it is sent. */
interface BatchSource {
  fetch(batchSize: number): Promise<Batch>;
  complete(jobs: Batch, calls: readonly AnsweredJob[]): Promise<unknown>;
  close(): Promise<void>;
}

const idsOf = (jobs: Batch): string[] => jobs.map(({ id }) => id);

const plainSource = (boss: PgBoss): BatchSource => ({
  fetch: (batchSize) => boss.fetch<Job>(pgBossQueue, { batchSize }),
  complete: (jobs) => boss.complete(pgBossQueue, idsOf(jobs)),
  close: async () => undefined,
});

const inTransaction = async <T>(pool: pg.Pool, work: (session: pg.PoolClient, db: Db) => Promise<T>): Promise<T> => {
  const session = await pool.connect();
  let isCommitted = false;
  try {
    await session.query('BEGIN');
    const result = await work(session, { executeSql: (text, values = []) => session.query(text, values) });
    await session.query('COMMIT');
    isCommitted = true;
    return result;
  } finally {
    session.release(!isCommitted);
  }
};

/** Rows share the batch's own commits: begins that of its fetch, outcomes that of its completion. */
const recordingSource = (boss: PgBoss, input: RoundInput, max: number): BatchSource => {
  const { databaseUrl, encryptionKey } = input;
  const rows = new AttemptRows(encryptionKey);
  const pool = new pg.Pool({ connectionString: databaseUrl, max });
  return {
    fetch: (batchSize) =>
      inTransaction(pool, async (session, db) => {
        const jobs = await boss.fetch<Job>(pgBossQueue, { batchSize, db });
        const begun = jobs.map(({ data }) => data);
        if (begun.length > 0) await rows.begin(session, begun);
        return jobs;
      }),
    complete: (jobs, calls) =>
      inTransaction(pool, async (session, db) => {
        await rows.applied(session, calls);
        await boss.complete(pgBossQueue, idsOf(jobs), null, { db });
      }),
    close: () => pool.end(),
  };
};

const leftSql = "SELECT EXISTS (SELECT FROM pgboss.job WHERE name = 'send' AND state < 'completed') AS left";

const work = async (input: RoundInput, isShare: boolean): Promise<RoundFigures> => {
  const { batchSize, loops, requestsPerLoop, max } = batchedSettings;
  const client = bareClient(input.stubOrigin);
  const sender = { client, opener: new JobOpener(input.encryptionKey) };
  const boss = new PgBoss({ connectionString: input.databaseUrl, max, ...pgBossQuiet });
  boss.on('error', (error) => console.error(error.message));
  await boss.start();
  const source = input.hasAttemptRows === true ? recordingSource(boss, input, max) : plainSource(boss);
  const finish = new PeerFinish(input, isShare ? leftSql : null);
  finish.begin();
  const loop = async (): Promise<void> => {
    while (!finish.isOver) {
      const jobs = await source.fetch(batchSize);
      if (jobs.length === 0) {
        await sleep(pollIntervalMs);
        continue;
      }
      const calls = await sendAll(sender, jobs, requestsPerLoop);
      await source.complete(jobs, calls);
      finish.count(jobs.length);
    }
  };
  await Promise.all([finish.reached, ...Array.from({ length: loops }, loop)]);
  const figures = finish.figures();
  await source.close();
  await boss.stop();
  await client.close();
  return figures;
};

/** In batches; with or without order: the queue's policy has it or not. */
export const pgBoss: Contestant = (input) => work(input, false);

/** One of several on one database. */
export const pgBossShare: Contestant = (input) => work(input, true);
