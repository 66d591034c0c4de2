import { Injectable } from '@nestjs/common';

import type { Operation } from '#intents/core';
import type { SqlSession, SqlStatement } from '#platform';
import { Database } from '#platform';

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

/** A pause to be set now (epoch ms). `reason` is stored in the clear: nothing personal may be in it. */
type NewPause = Omit<Pause, 'pauseId' | 'since'> & { readonly now: number };

async function setPause(database: Pick<Database, 'execute'>, request: NewPause): Promise<SetPauseResult> {
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

interface LiftPause extends PauseTarget {
  readonly by: string;
  readonly reason: string;
  /** Epoch ms. */
  readonly now: number;
}

async function liftPause(database: Pick<Database, 'execute'>, request: LiftPause): Promise<Pause | null> {
  const { program, operation, by, reason, now } = request;
  const { rows } = await database.execute<Pause>(liftPauseStatement, [program, operation, timestamp(now), by, reason]);
  return rows[0] ?? null;
}

const listPausesStatement: SqlStatement = {
  name: 'list_pauses',
  text: `SELECT ${pauseColumns} FROM pause WHERE lifted_at IS NULL ORDER BY pause_id`,
};

/** Single statements, carried out within a transaction. */
export function within(session: SqlSession): Pick<Database, 'execute'> {
  return { execute: (statement, parameters) => session.query(statement, parameters) };
}

/** The pauses of programs and operations. Every replica follows within a second. */
@Injectable()
export class PauseRepository {
  constructor(private readonly database: Database) {}

  /** Every pause in force, oldest first. */
  async list(): Promise<Pause[]> {
    return (await this.database.execute<Pause>(listPausesStatement)).rows;
  }

  /** Stops a program, an operation or all: nothing new of it is begun. Calls under way end as they end. */
  async set(request: NewPause): Promise<SetPauseResult> {
    return setPause(this.database, request);
  }

  /**
   * Ends the pause of exactly this target: lifting a program's pause leaves those of its operations alone.
   * @returns the pause that was lifted; null when there was none
   */
  async lift(request: LiftPause): Promise<Pause | null> {
    return liftPause(this.database, request);
  }

  /** As `set`, with an audit entry; a target that is already paused stays as it is, without one. */
  async setByOperator({ program, operation }: PauseTarget, audit: AuditContext): Promise<SetPauseResult> {
    const { actor: by, reason, at: now } = audit;
    return this.database.transaction('pause_by_operator', async (session) => {
      const result = await setPause(within(session), { program, operation, by, reason, automatic: false, now });
      const detail = { program, operation };
      if (result.kind === 'paused') await recordAction(session, { audit, action: 'pause.set', place: null, detail });
      return result;
    });
  }

  /** As `lift`, with an audit entry where there was a pause. */
  async liftByOperator({ program, operation }: PauseTarget, audit: AuditContext): Promise<Pause | null> {
    const { actor: by, reason, at: now } = audit;
    return this.database.transaction('resume_by_operator', async (session) => {
      const lifted = await liftPause(within(session), { program, operation, by, reason, now });
      const detail = { program, operation };
      if (lifted !== null) await recordAction(session, { audit, action: 'pause.lift', place: null, detail });
      return lifted;
    });
  }
}
