import type { Operation } from '#intents/core';
import type { Database, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';
import { isInForce } from './pauses.js';

/** A job that does not renew its quota within this time loses it: as long as a job's own lease. */
export const quotaLeaseMs = 60_000;

/**
 * One job at a time may lease a part of a program's limit. The answer also carries the partner's cooldown and the pauses
 * of people.
 */
const acquireQuotaStatement: SqlStatement = {
  name: 'visit_program',
  text: `
WITH here AS (
  INSERT INTO program_gate AS g (program_id, guest_job, guest_rate, guest_since, guest_until)
  VALUES ($1, $2, $3, $4::timestamptz, $5::timestamptz)
  ON CONFLICT (program_id) DO UPDATE SET guest_job = $2, guest_rate = $3, guest_until = $5::timestamptz,
    guest_since = CASE WHEN g.guest_job = $2 AND g.guest_rate = $3 AND g.guest_until >= $4::timestamptz THEN g.guest_since
      ELSE $4::timestamptz END
  WHERE g.guest_job IS NULL OR g.guest_job = $2 OR g.guest_until < $4::timestamptz
  RETURNING guest_since, rest_until, breaker_until
)
SELECT guest_since AS since, GREATEST(rest_until, breaker_until) AS "closedUntil",
  EXISTS (SELECT FROM pause p WHERE ${isInForce('$4::timestamptz')} AND p.factor IS NULL
    AND (p.operation IS NULL OR p.operation = $6) AND (p.program_id IS NULL OR p.program_id = $1)) AS "isPaused"
FROM here`,
};

const releaseQuotaStatement: SqlStatement = {
  name: 'leave_program',
  text: `UPDATE program_gate SET guest_job = NULL, guest_rate = NULL, guest_since = NULL, guest_until = NULL
WHERE program_id = $1 AND guest_job = $2`,
};

const reportCooldownStatement: SqlStatement = {
  name: 'tell_rest',
  text: `
INSERT INTO program_gate AS g (program_id, rest_until) VALUES ($1, $2::timestamptz)
ON CONFLICT (program_id) DO UPDATE SET rest_until = GREATEST(g.rest_until, EXCLUDED.rest_until)`,
};

const readGateStatement: SqlStatement = {
  name: 'read_gate',
  text: `
SELECT (SELECT GREATEST(rest_until, breaker_until) FROM program_gate WHERE program_id = $1) AS "closedUntil",
  EXISTS (SELECT FROM pause p WHERE ${isInForce('$2::timestamptz')} AND p.operation IS NULL AND p.factor IS NULL
    AND (p.program_id IS NULL OR p.program_id = $1)) AS "isPaused"`,
};

/** Whether a program's partner may be called, without leasing anything of its limit. @param now epoch ms */
export async function readGate(database: Database, program: string, now: number): Promise<Omit<QuotaLease, 'since'>> {
  const { rows } = await database.execute<Omit<QuotaLease, 'since'>>(readGateStatement, [program, timestamp(now)]);
  return rows[0] ?? { closedUntil: null, isPaused: false };
}

export interface QuotaRequest {
  readonly program: string;
  readonly job: string;
  /** Calls per second that delivery leaves to the job. */
  readonly ratePerSecond: number;
  /** What its calls are, beside reading: a pause of that holds it, too. */
  readonly operation?: Operation;
  readonly now: number;
}

/** Times in epoch ms. */
export interface QuotaLease {
  /** Since when delivery can know of the lease. */
  readonly since: number;
  /** The partner asked for a cooldown (Retry-After), or a breaker is open; null: neither. */
  readonly closedUntil: number | null;
  /** An operator has paused all that the program does, or what is asked for. */
  readonly isPaused: boolean;
}

/** Leases a part of a program's limit, or renews the lease. @returns null while another job holds it */
export async function acquireQuota(database: Database, request: QuotaRequest): Promise<QuotaLease | null> {
  const { program, job, ratePerSecond, operation = null, now } = request;
  const parameters = [program, job, ratePerSecond, timestamp(now), timestamp(now + quotaLeaseMs), operation];
  return (await database.execute<QuotaLease>(acquireQuotaStatement, parameters)).rows[0] ?? null;
}

/** Delivery has all of the program's limit again. */
export async function releaseQuota(database: Database, request: Pick<QuotaRequest, 'program' | 'job'>): Promise<void> {
  await database.execute(releaseQuotaStatement, [request.program, request.job]);
}

/** The partner asked a job to slow down (Retry-After): delivery and all jobs wait until then. */
export async function reportCooldown(database: Database, program: string, until: number): Promise<void> {
  await database.execute(reportCooldownStatement, [program, timestamp(until)]);
}
