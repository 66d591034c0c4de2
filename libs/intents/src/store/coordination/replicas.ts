import { PRIORITIES } from '#intents/core';
import type { Database, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';
import type { LaneLook } from '../lanes/claim-lanes.js';
import { floorTexts, nextDueLane } from '../lanes/claim-lanes.js';
import type { PauseTarget } from './pauses.js';
import { isInForce } from './pauses.js';

/**
 * The programs that a replica would work on, with since when it does; null: it does not. A replica that does not name a program
 * takes no part in sharing its limits.
 */
export type KnownPrograms = Readonly<Record<string, number | null>>;

/** The report of one replica to the others. Times in epoch ms. */
export interface ReplicaReport {
  readonly replicaId: string;
  readonly startedAt: number;
  readonly programs: KnownPrograms;
  /** What the partner made it obey since its last report. */
  readonly gates: readonly SharedGate[];
}

/** What all replicas obey for one program. Times in epoch ms; null: nothing. */
export interface SharedGate {
  readonly program: string;
  /** The partner asked for a cooldown until then (Retry-After). */
  readonly cooldownUntil: number | null;
  /** A circuit breaker has opened at that time, until then. */
  readonly breakerOpenedAt: number | null;
  readonly breakerUntil: number | null;
  /** Calls per second that a job has leased (`quota-lease.ts`): delivery leaves them free. Read only. */
  readonly leasedRate?: number | null;
}

/** Another replica that is alive. */
export interface OtherReplica {
  readonly replicaId: string;
  readonly programs: KnownPrograms;
}

/** What a replica learns with each report. */
export interface CoordinationState {
  readonly others: readonly OtherReplica[];
  /** Only those in force. */
  readonly gates: readonly SharedGate[];
  readonly pauses: readonly (PauseTarget & { readonly automatic: boolean })[];
}

/** The answer to a report. */
interface ReportAnswer extends CoordinationState {
  /** Whether there are pauses that are over by themselves, and whose end nobody has written down. */
  readonly arePausesOver: boolean;
  /** When the next lane of each program that was looked at comes due, epoch ms; Infinity: none is to come. */
  readonly nextDue: ReadonlyMap<string, number>;
}

/** A replica that has not reported for so long counts as gone: the others share its part of the limits. */
export const replicaTtlMs = 3_000;
/** Rows of replicas that never left are deleted after this time. */
const replicaKeptMs = 60_000;

/**
 * One round trip: says that we are there and reads what the others said. The reading part sees the tables as they were
 * before the writing one, hence without our own row.
 */
const reportReplicaStatement: SqlStatement = {
  name: 'report_replica',
  text: `
WITH here AS (
  INSERT INTO replica (replica_id, started_at, heartbeat_at, programs)
  VALUES ($1::uuid, $2::timestamptz, $3::timestamptz, $4::jsonb)
  ON CONFLICT (replica_id) DO UPDATE SET heartbeat_at = EXCLUDED.heartbeat_at, programs = EXCLUDED.programs
), gone AS (
  DELETE FROM replica WHERE replica_id IN (
    SELECT replica_id FROM replica WHERE heartbeat_at < $5::timestamptz AND replica_id <> $1::uuid
    FOR UPDATE SKIP LOCKED)
), reported AS (
  INSERT INTO program_gate AS g (program_id, rest_until, breaker_opened_at, breaker_until)
  SELECT * FROM unnest($7::text[], $8::timestamptz[], $9::timestamptz[], $10::timestamptz[]) AS t (program_id)
  ORDER BY t.program_id
  ON CONFLICT (program_id) DO UPDATE SET
    rest_until = GREATEST(g.rest_until, EXCLUDED.rest_until),
    breaker_opened_at = CASE WHEN EXCLUDED.breaker_until > g.breaker_until OR g.breaker_until IS NULL
      THEN EXCLUDED.breaker_opened_at ELSE g.breaker_opened_at END,
    breaker_until = GREATEST(g.breaker_until, EXCLUDED.breaker_until)
)
SELECT
  (SELECT COALESCE(json_agg(json_build_object('replicaId', replica_id, 'programs', programs)), '[]') FROM replica
   WHERE replica_id <> $1::uuid AND heartbeat_at > $6::timestamptz) AS others,
  (SELECT COALESCE(json_agg(json_build_object('program', program_id, 'cooldownUntil', extract(epoch FROM rest_until) * 1000,
     'breakerOpenedAt', extract(epoch FROM breaker_opened_at) * 1000,
     'breakerUntil', extract(epoch FROM breaker_until) * 1000,
     'leasedRate', CASE WHEN guest_until > $3::timestamptz THEN guest_rate END)), '[]') FROM program_gate
   WHERE rest_until > $3::timestamptz OR breaker_until > $3::timestamptz OR guest_until > $3::timestamptz) AS gates,
  (SELECT COALESCE(json_agg(json_build_object('program', program_id, 'operation', operation, 'factor', factor, 'automatic', automatic)),
     '[]') FROM pause WHERE ${isInForce('$3::timestamptz')}) AS pauses,
  EXISTS (SELECT FROM pause WHERE lifted_at IS NULL AND until_at <= $3::timestamptz) AS "arePausesOver",
  (SELECT COALESCE(json_object_agg(program, extract(epoch FROM due_at) * 1000), '{}')
   FROM unnest($11::text[], $12::timestamptz[], $13::timestamptz[], $14::timestamptz[]) AS look (program, high, normal, low)
   CROSS JOIN LATERAL (${nextDueLane('look.program', ['look.high', 'look.normal', 'look.low'])}) AS next) AS next_due`,
};

interface Row {
  readonly others: OtherReplica[];
  readonly gates: SharedGate[];
  readonly pauses: CoordinationState['pauses'];
  readonly arePausesOver: boolean;
  readonly next_due: Readonly<Record<string, number>>;
}

/**
 * Writes this replica's report and reads the others' reports and the pauses, in one statement. @param looks programs whose next
 * lane is asked for on the way: for a process with nothing to do it is one round trip less
 */
export async function reportReplica(
  database: Database,
  report: ReplicaReport,
  now: number,
  looks: readonly LaneLook[] = [],
): Promise<ReportAnswer> {
  const { replicaId, startedAt, programs, gates } = report;
  const at = (time: number | null): string | null => (time === null ? null : timestamp(time));
  const { rows } = await database.execute<Row>(reportReplicaStatement, [
    replicaId,
    timestamp(startedAt),
    timestamp(now),
    JSON.stringify(programs),
    timestamp(now - replicaKeptMs),
    timestamp(now - replicaTtlMs),
    gates.map(({ program }) => program),
    gates.map(({ cooldownUntil }) => at(cooldownUntil)),
    gates.map(({ breakerOpenedAt }) => at(breakerOpenedAt)),
    gates.map(({ breakerUntil }) => at(breakerUntil)),
    looks.map(({ program }) => program),
    ...PRIORITIES.map((priority) => looks.map(({ floors }) => floorTexts(floors)[priority] ?? '-infinity')),
  ]);
  const [row] = rows;
  if (row === undefined) throw new Error('a report without an answer');
  const { next_due: nextDue, ...state } = row;
  return { ...state, nextDue: new Map(looks.map(({ program }) => [program, nextDue[program] ?? Infinity])) };
}

const leaveReplicaStatement: SqlStatement = {
  name: 'leave_replica',
  text: 'DELETE FROM replica WHERE replica_id = $1::uuid',
};

/** Says goodbye: the others need not wait until this replica is taken for gone. */
export async function leaveReplica(database: Database, replicaId: string): Promise<void> {
  await database.execute(leaveReplicaStatement, [replicaId]);
}
