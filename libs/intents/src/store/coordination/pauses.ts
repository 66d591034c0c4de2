import type { Operation } from '#intents/core';
import type { Database, SqlSession, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';
import type { AuditContext } from '../operator/operator-action.js';
import { recordAction } from '../operator/operator-action.js';

/** What is paused; null stands for every program, and for every operation. */
export interface PauseTarget {
  readonly program: string | null;
  readonly operation: Operation | null;
}

/** A pause in force. */
export interface Pause extends PauseTarget {
  readonly pauseId: number;
  /** Epoch ms. */
  readonly since: number;
  /** The operator's name, or the name of the replica that set it by itself. */
  readonly by: string;
  readonly reason: string;
  /** Set by delivery itself, because the partner refused everybody. Only a person lifts it. */
  readonly automatic: boolean;
}

/** SQL: the columns of a `Pause`. */
const pauseColumns = `pause_id AS "pauseId", program_id AS program, operation, since, set_by AS by, reason, automatic`;

const setPauseStatement: SqlStatement = {
  name: 'set_pause',
  text: `
INSERT INTO pause (program_id, operation, since, set_by, reason, automatic)
VALUES ($1, $2, $3::timestamptz, $4, $5, $6)
ON CONFLICT (program_id, operation) WHERE lifted_at IS NULL DO UPDATE SET since = pause.since
RETURNING ${pauseColumns}, xmax = 0 AS "isNew"`,
};

/** `already-paused`: the same target was paused before; that pause stays as it is. */
interface SetPauseResult {
  readonly kind: 'paused' | 'already-paused';
  readonly pause: Pause;
}

/**
 * Stops a program, an operation or all: nothing new of it is begun by any replica from a second later on. Calls that
 * are under way end as they end. `reason` is stored in the clear: nothing personal may stand in it.
 */
export async function setPause(
  database: Pick<Database, 'execute'>,
  request: Omit<Pause, 'pauseId' | 'since'> & { readonly now: number },
): Promise<SetPauseResult> {
  const { program, operation, by, reason, automatic, now } = request;
  const { rows } = await database.execute<Pause & { readonly isNew: boolean }>(setPauseStatement, [
    program,
    operation,
    timestamp(now),
    by,
    reason,
    automatic,
  ]);
  const [row] = rows;
  if (row === undefined) throw new Error('a pause was neither set nor found');
  const { isNew, ...pause } = row;
  return { kind: isNew ? 'paused' : 'already-paused', pause };
}

const liftPauseStatement: SqlStatement = {
  name: 'lift_pause',
  text: `
UPDATE pause SET lifted_at = $3::timestamptz, lifted_by = $4, lifted_reason = $5
WHERE lifted_at IS NULL AND program_id IS NOT DISTINCT FROM $1::text AND operation IS NOT DISTINCT FROM $2::text
RETURNING ${pauseColumns}`,
};

/**
 * Ends the pause of exactly this target: lifting a program's pause leaves those of its operations alone. Replicas go on
 * within a second.
 * @returns the pause that was lifted; null when there was none
 */
export async function liftPause(
  database: Pick<Database, 'execute'>,
  request: PauseTarget & { readonly by: string; readonly reason: string; readonly now: number },
): Promise<Pause | null> {
  const { program, operation, by, reason, now } = request;
  const { rows } = await database.execute<Pause>(liftPauseStatement, [program, operation, timestamp(now), by, reason]);
  return rows[0] ?? null;
}

const listPausesStatement: SqlStatement = {
  name: 'list_pauses',
  text: `SELECT ${pauseColumns} FROM pause WHERE lifted_at IS NULL ORDER BY pause_id`,
};

/** Every pause in force, oldest first. */
export async function listPauses(database: Database): Promise<Pause[]> {
  return (await database.execute<Pause>(listPausesStatement)).rows;
}

/** Single statements, carried out within a transaction. */
export function within(session: SqlSession): Pick<Database, 'execute'> {
  return { execute: (statement, parameters) => session.query(statement, parameters) };
}

/**
 * Sets a pause for an operator and audits it. A target that is already paused stays as it is, without an audit entry.
 */
export async function pauseByOperator(
  database: Database,
  { program, operation }: PauseTarget,
  audit: AuditContext,
): Promise<SetPauseResult> {
  const { actor: by, reason, at: now } = audit;
  return database.transaction('pause_by_operator', async (session) => {
    const result = await setPause(within(session), { program, operation, by, reason, automatic: false, now });
    const detail = { program, operation };
    if (result.kind === 'paused') await recordAction(session, { audit, action: 'pause.set', place: null, detail });
    return result;
  });
}

/** Lifts a pause for an operator and audits it; null where exactly this target is not paused. */
export async function resumeByOperator(
  database: Database,
  { program, operation }: PauseTarget,
  audit: AuditContext,
): Promise<Pause | null> {
  const { actor: by, reason, at: now } = audit;
  return database.transaction('resume_by_operator', async (session) => {
    const lifted = await liftPause(within(session), { program, operation, by, reason, now });
    const detail = { program, operation };
    if (lifted !== null) await recordAction(session, { audit, action: 'pause.lift', place: null, detail });
    return lifted;
  });
}
