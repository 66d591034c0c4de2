import type { Database, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';

/** Who does not come back within this time has left: as long as a job's lease. */
export const visitMs = 60_000;

/**
 * One guest per program: whoever comes while another is there is told so. How the partner's wishes and people's pauses
 * stand is told with it.
 */
const statement: SqlStatement = {
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
  EXISTS (SELECT FROM pause p WHERE p.lifted_at IS NULL AND p.operation IS NULL
    AND (p.program_id IS NULL OR p.program_id = $1)) AS "isPaused"
FROM here`,
};

const leaveStatement: SqlStatement = {
  name: 'leave_program',
  text: `UPDATE program_gate SET guest_job = NULL, guest_rate = NULL, guest_since = NULL, guest_until = NULL
WHERE program_id = $1 AND guest_job = $2`,
};

const restStatement: SqlStatement = {
  name: 'tell_rest',
  text: `
INSERT INTO program_gate AS g (program_id, rest_until) VALUES ($1, $2::timestamptz)
ON CONFLICT (program_id) DO UPDATE SET rest_until = GREATEST(g.rest_until, EXCLUDED.rest_until)`,
};

export interface ProgramVisit {
  readonly program: string;
  readonly job: string;
  /** Calls per second that delivery is to leave to the guest. */
  readonly ratePerSecond: number;
  readonly now: number;
}

/** How a guest is received. Times in epoch ms. */
export interface Reception {
  /** Since when delivery can know of the guest. */
  readonly since: number;
  /** The partner asked for a rest, or a breaker is open; null: neither. */
  readonly closedUntil: number | null;
  /** Somebody has paused all that the program does. */
  readonly isPaused: boolean;
}

/** Comes to read at a program's partner, or stays. @returns null while another job does so */
export async function visitProgram(database: Database, visit: ProgramVisit): Promise<Reception | null> {
  const { program, job, ratePerSecond, now } = visit;
  const parameters = [program, job, ratePerSecond, timestamp(now), timestamp(now + visitMs)];
  return (await database.execute<Reception>(statement, parameters)).rows[0] ?? null;
}

/** Delivery has all of the program's limit again. */
export async function leaveProgram(database: Database, visit: Pick<ProgramVisit, 'program' | 'job'>): Promise<void> {
  await database.execute(leaveStatement, [visit.program, visit.job]);
}

/** The partner asked a guest for a rest: everybody obeys. */
export async function tellRest(database: Database, program: string, until: number): Promise<void> {
  await database.execute(restStatement, [program, timestamp(until)]);
}
