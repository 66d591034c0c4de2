import type pg from 'pg';

import { evidencePlace } from '#intents';

import { runSql } from '../infrastructure/bench-postgres.js';
import type { PostedTransaction } from './bare-client.js';
import type { Job } from './jobs.js';
import { JobOpener, laneOf } from './jobs.js';

/** The columns and indexes of `intent_event` (test/schema.sql). */
const createTables = `
CREATE SEQUENCE attempt_pos_seq;
CREATE TABLE attempt_event (
  pos bigint NOT NULL DEFAULT nextval('attempt_pos_seq'),
  lane_id bigint NOT NULL,
  seq int NOT NULL,
  version int NOT NULL,
  attempt int NOT NULL,
  epoch int NOT NULL,
  type text NOT NULL,
  at timestamptz NOT NULL,
  data jsonb,
  sealed bytea,
  xid xid8 NOT NULL DEFAULT pg_current_xact_id()
) PARTITION BY RANGE (pos);
CREATE INDEX attempt_event_of_intent ON attempt_event (lane_id, seq, version);
CREATE INDEX attempt_event_pos ON attempt_event (pos);
CREATE TABLE attempt_event_p1 PARTITION OF attempt_event FOR VALUES FROM (MINVALUE) TO (50000000);
CREATE TABLE attempt_event_default PARTITION OF attempt_event DEFAULT;
CREATE TABLE attempt_open (
  lane_id bigint NOT NULL,
  seq int NOT NULL,
  since timestamptz NOT NULL,
  PRIMARY KEY (lane_id, seq)
)`;

const openAttempts = `
INSERT INTO attempt_open (lane_id, seq, since)
SELECT lane_id, seq, $3 FROM unnest($1::bigint[], $2::int[]) AS w (lane_id, seq)`;

/** The rows that say that these attempts are open go, as the outcomes come. */
const closeAttempts = `
WITH closed AS (
  DELETE FROM attempt_open o USING unnest($1::bigint[], $2::int[]) AS w (lane_id, seq)
  WHERE o.lane_id = w.lane_id AND o.seq = w.seq
)
INSERT INTO attempt_event (lane_id, seq, version, attempt, epoch, type, at, data, sealed)
SELECT lane_id, seq, seq, 1, 1, 'AttemptApplied', $3, NULL, sealed
FROM unnest($1::bigint[], $2::int[], $4::bytea[]) AS w (lane_id, seq, sealed)`;

/** Sets up the tables in a peer's database. */
export const createAttemptTables = async (url: string): Promise<void> => {
  await runSql(url, createTables);
};

/** Where the statements go: a pool, or the session of a transaction. */
type Executor = Pick<pg.Pool | pg.PoolClient, 'query'>;

export interface AnsweredJob {
  readonly job: Job;
  readonly posted: PostedTransaction;
}

/** One call and what the partner said, as the gateway reports it. */
const evidenceOf = ({ path, body, answer }: PostedTransaction): string => {
  const headers = { 'content-type': 'application/json', 'content-length': `${answer.length}` };
  const response = { status: 200, headers, body: answer, truncated: false };
  return JSON.stringify({ phase: 'answered', request: { method: 'POST', path, body }, response });
};

const namesOf = (jobs: readonly Job[]): [number[], number[], string] => [
  jobs.map(laneOf),
  jobs.map(({ rank }) => rank),
  new Date().toISOString(),
];

/**
 * Writes what loyaltyd writes for each attempt: before the call that it was begun, after it a row of the same columns, bytes,
 * indexes and encryption (record-steps.ts and answer-settler.ts), one statement for as many as the caller brings.
 */
export class AttemptRows {
  private readonly opener: JobOpener;

  constructor(encryptionKey: string) {
    this.opener = new JobOpener(encryptionKey);
  }

  /** To be committed before the calls. */
  async begin(session: Executor, jobs: readonly Job[]): Promise<void> {
    await session.query({ name: 'open', text: openAttempts, values: namesOf(jobs) });
  }

  /** To be committed once the partner has answered. */
  async applied(session: Executor, calls: readonly AnsweredJob[]): Promise<void> {
    const sealed = calls.map(({ job, posted }) => this.seal(job, evidenceOf(posted)));
    const values = [...namesOf(calls.map(({ job }) => job)), sealed];
    await session.query({ name: 'applied', text: closeAttempts, values });
  }

  private seal(job: Job, evidence: string): Buffer {
    const laneId = laneOf(job);
    const key = this.opener.keyOf(job);
    return this.opener.keys.sealFor(
      evidencePlace({ laneId, seq: job.rank, type: 'AttemptApplied', attempt: 1, epoch: 1, version: 0, key }),
      evidence,
    );
  }
}
