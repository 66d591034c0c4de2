import type pg from 'pg';

import { evidencePlace } from '#intents';

import { runSql } from '../infrastructure/bench-postgres.js';
import type { PostedTransaction } from './bare-client.js';
import type { Job } from './jobs.js';
import { JobOpener, laneOf } from './jobs.js';

/**
 * Event rows that loyaltyd writes for each attempt, which `verifyDrained` proves: AttemptBegun, committed before the call,
 * and the outcome with the sealed answer after it. With 1 there is no AttemptBegun: that an attempt was begun is then
 * kept, as durably, in a row that its outcome takes away.
 */
export const eventRowsPerAttempt = 1 as number;

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

const insertEvents = `
INSERT INTO attempt_event (lane_id, seq, version, attempt, epoch, type, at, data, sealed)
SELECT lane_id, seq, version, 1, 1, $4, $5, NULL, sealed
FROM unnest($1::bigint[], $2::int[], $3::int[], $6::bytea[]) AS w (lane_id, seq, version, sealed)`;

/** The same for one attempt: by arrays it costs Postgres a tenth more. */
const insertEvent = `
INSERT INTO attempt_event (lane_id, seq, version, attempt, epoch, type, at, data, sealed)
VALUES ($1, $2, $3, 1, 1, $4, $5, NULL, $6)`;

const openAttempts = `
INSERT INTO attempt_open (lane_id, seq, since)
SELECT lane_id, seq, $3 FROM unnest($1::bigint[], $2::int[]) AS w (lane_id, seq)`;

/** Takes the same parameters, and the rows that say that these attempts are open. */
const closeAndInsertEvents = `
WITH closed AS (
  DELETE FROM attempt_open o USING unnest($1::bigint[], $2::int[]) AS w (lane_id, seq)
  WHERE o.lane_id = w.lane_id AND o.seq = w.seq
)${insertEvents}`;

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

interface Line {
  readonly job: Job;
  readonly sealed: Buffer | null;
}

interface Insert {
  readonly name: string;
  readonly text: string;
  readonly type: string;
  /** Of the row among those of its attempt, from 1. */
  readonly place: number;
}

/** One call and what the partner said, as the gateway reports it. */
const evidenceOf = ({ path, body, answer }: PostedTransaction): string => {
  const headers = { 'content-type': 'application/json', 'content-length': `${answer.length}` };
  const response = { status: 200, headers, body: answer, truncated: false };
  return JSON.stringify({ phase: 'answered', request: { method: 'POST', path, body }, response });
};

/**
 * Writes what loyaltyd writes for each attempt: rows of the same columns, bytes, indexes and encryption (record-steps.ts and
 * answer-settler.ts), one statement for as many attempts as the caller brings.
 */
export class AttemptRows {
  private readonly opener: JobOpener;

  constructor(
    encryptionKey: string,
    private readonly rowsPerAttempt: number,
  ) {
    this.opener = new JobOpener(encryptionKey);
  }

  /** To be committed before the calls. */
  async begin(session: Executor, jobs: readonly Job[]): Promise<void> {
    if (this.rowsPerAttempt > 1) {
      const lines = jobs.map((job) => ({ job, sealed: null }));
      await this.insert(session, lines, { name: 'begin', text: insertEvents, type: 'AttemptBegun', place: 1 });
    } else {
      const values = [jobs.map(laneOf), jobs.map(({ rank }) => rank), new Date().toISOString()];
      await session.query({ name: 'open', text: openAttempts, values });
    }
  }

  /** To be committed once the partner has answered. */
  async applied(session: Executor, calls: readonly AnsweredJob[]): Promise<void> {
    const lines = calls.map(({ job, posted }) => ({ job, sealed: this.seal(job, evidenceOf(posted)) }));
    const text = this.rowsPerAttempt > 1 ? insertEvents : closeAndInsertEvents;
    await this.insert(session, lines, { name: 'applied', text, type: 'AttemptApplied', place: this.rowsPerAttempt });
  }

  private async insert(session: Executor, lines: readonly Line[], { name, text, type, place }: Insert): Promise<void> {
    const lanes = lines.map(({ job }) => laneOf(job));
    const seqs = lines.map(({ job }) => job.rank);
    const versions = seqs.map((seq) => (seq - 1) * this.rowsPerAttempt + place);
    const sealed = lines.map((line) => line.sealed);
    const at = new Date().toISOString();
    const isOne = lines.length === 1 && text === insertEvents;
    await session.query(
      isOne
        ? { name: `${name}_one`, text: insertEvent, values: [lanes[0], seqs[0], versions[0], type, at, sealed[0]] }
        : { name, text, values: [lanes, seqs, versions, type, at, sealed] },
    );
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
