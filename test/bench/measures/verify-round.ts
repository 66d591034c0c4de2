import { programName } from '../bench-parts.js';
import { runSql } from '../infrastructure/bench-postgres.js';
import type { PartnerStub } from '../stub/start-stub.js';
import type { FinishedRound } from './measure.js';

/** What our event store must show after a drained round: every intent begun before it was sent, then applied. */
export const verifyDrained = async ({ databaseUrl, done }: FinishedRound): Promise<void> => {
  const [row] = await runSql<{ begun: number; applied: number; events: number; busy: number }>(
    databaseUrl,
    `SELECT count(*) FILTER (WHERE type = 'AttemptBegun')::int AS begun,
       count(*) FILTER (WHERE type = 'AttemptApplied' AND sealed IS NOT NULL)::int AS applied,
       (SELECT count(*) FROM intent_event)::int AS events,
       (SELECT count(*) FROM lane WHERE due_at IS NOT NULL OR owner IS NOT NULL OR cur_seq <= tail_seq)::int AS busy
     FROM intent_history`,
  );
  const isRight = row?.begun === done && row.applied === done && row.events === done && row.busy === 0;
  if (!isRight) throw new Error(`the event store does not show ${done} deliveries: ${JSON.stringify(row)}`);
};

/** What a job queue with attempt rows must show: all that was done was applied, with its answer. */
export const verifyAttemptRows = async ({ databaseUrl, done }: FinishedRound): Promise<void> => {
  const text =
    "SELECT count(*)::int AS applied FROM attempt_event WHERE type = 'AttemptApplied' AND sealed IS NOT NULL";
  const [row] = await runSql<{ applied: number }>(databaseUrl, text);
  // Who stopped early may have recorded some that were not counted.
  if (row !== undefined && row.applied >= done) return;
  throw new Error(`the rows do not show ${done} attempts: ${JSON.stringify(row)}`);
};

interface StubExpectation {
  readonly done: number;
  /** Who stopped early may have calls under way that were not counted. */
  readonly mayBeMore: boolean;
  readonly isOrdered: boolean;
}

/** Every call came once, none is missing; in order, where order was promised. */
export const verifyStub = async (stub: PartnerStub, expectation: StubExpectation): Promise<void> => {
  const { done, mayBeMore, isOrdered } = expectation;
  const counts = await stub.counts();
  const { applied, duplicates, outOfOrder, unreadable } = counts;
  const seen = applied + outOfOrder;
  const isCount = mayBeMore ? seen >= done : seen === done;
  const wrong = duplicates + unreadable + (isOrdered ? outOfOrder : 0);
  if (isCount && wrong === 0) return;
  throw new Error(`the partner stub saw ${JSON.stringify(counts)}, expected ${JSON.stringify(expectation)}`);
};

/** So many are recorded, and nobody of another program was begun. */
export const verifyFirst = async ({ databaseUrl, done }: FinishedRound): Promise<void> => {
  const [row] = await runSql<{ applied: number; others: number }>(
    databaseUrl,
    `SELECT count(*) FILTER (WHERE e.type = 'AttemptApplied')::int AS applied,
       count(*) FILTER (WHERE l.program_id <> '${programName}')::int AS others
     FROM intent_history e JOIN lane l USING (lane_id)`,
  );
  if (row?.others === 0 && row.applied >= done) return;
  throw new Error(`the event store does not show ${done} deliveries: ${JSON.stringify(row)}`);
};
