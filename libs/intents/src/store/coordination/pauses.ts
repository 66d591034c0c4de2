import { Injectable } from '@nestjs/common';

import type { Factor, Operation } from '#intents/core';
import type { SqlSession, SqlStatement } from '#platform';
import { Database } from '#platform';

import { timestamp } from '../events/stored-event.js';
import type { AuditContext } from '../operator/operator-action.js';
import { recordAction } from '../operator/operator-action.js';

/** What is paused; null stands for every program, for every operation, and for all calls of the operation. */
export interface PauseTarget {
  readonly program: string | null;
  readonly operation: Operation | null;
  /** Only the operation's calls with this factor; absent or null: all. */
  readonly factor?: Factor | null;
}

/** A pause in force. */
export interface Pause extends PauseTarget {
  readonly pauseId: number;
  /** Epoch ms. */
  readonly since: number;
  /** The operator's name, or the name of the replica that set it by itself. */
  readonly by: string;
  readonly reason: string;
  /** Set by delivery itself, because the partner failed all such calls. Delivery lifts it when it serves them again. */
  readonly automatic: boolean;
}

/** SQL: the columns of a `Pause`. */
const pauseColumns = `pause_id AS "pauseId", program_id AS program, operation, factor, since, set_by AS by, reason, automatic`;

const setPauseStatement: SqlStatement = {
  name: 'set_pause',
  text: `
INSERT INTO pause (program_id, operation, since, set_by, reason, automatic, factor)
VALUES ($1, $2, $3::timestamptz, $4, $5, $6, $7)
ON CONFLICT (program_id, operation, factor) WHERE lifted_at IS NULL DO UPDATE SET since = pause.since
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
  const { program, operation, factor = null, by, reason, automatic, now } = request;
  const { rows } = await database.execute<Pause & { readonly isNew: boolean }>(setPauseStatement, [
    program,
    operation,
    timestamp(now),
    by,
    reason,
    automatic,
    factor,
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
  AND (factor IS NOT DISTINCT FROM $6::text OR $6::text IS NULL AND operation IS NOT NULL AND automatic AND NOT $7::boolean)
  AND (automatic OR NOT $7::boolean)
RETURNING ${pauseColumns}`,
};

interface LiftPause extends PauseTarget {
  readonly by: string;
  readonly reason: string;
  /** Epoch ms. */
  readonly now: number;
  /** Leaves a pause that a person has set. */
  readonly onlyAutomatic?: boolean;
}

async function liftPause(database: Pick<Database, 'execute'>, request: LiftPause): Promise<Pause | null> {
  const { program, operation, factor = null, by, reason, now, onlyAutomatic = false } = request;
  const { rows } = await database.execute<Pause>(liftPauseStatement, [
    program,
    operation,
    timestamp(now),
    by,
    reason,
    factor,
    onlyAutomatic,
  ]);
  return rows.find((pause) => pause.factor === factor) ?? rows[0] ?? null;
}

const listPausesStatement: SqlStatement = {
  name: 'list_pauses',
  text: `SELECT ${pauseColumns} FROM pause WHERE lifted_at IS NULL ORDER BY pause_id`,
};

/** Single statements, carried out within a transaction. */
export function within(session: SqlSession): Pick<Database, 'execute'> {
  return { execute: (statement, parameters) => session.query(statement, parameters) };
}

/** The pauses of programs, operations and their factors. Every replica follows within a second. */
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
   * Ends the pause of exactly this target, and of an operation also what delivery holds of it by a factor: lifting a program's
   * pause leaves those of its operations alone.
   * @returns the pause that was lifted; null when there was none
   */
  async lift(request: LiftPause): Promise<Pause | null> {
    return liftPause(this.database, request);
  }

  /** As `set`, with an audit entry; a target that is already paused stays as it is, without one. */
  async setByOperator(
    { program, operation, factor = null }: PauseTarget,
    audit: AuditContext,
  ): Promise<SetPauseResult> {
    const { actor: by, reason, at: now } = audit;
    return this.database.transaction('pause_by_operator', async (session) => {
      const result = await setPause(within(session), {
        ...{ program, operation, factor, by, reason, automatic: false, now },
      });
      const detail = { program, operation, ...(factor === null ? {} : { factor }) };
      if (result.kind === 'paused') await recordAction(session, { audit, action: 'pause.set', place: null, detail });
      return result;
    });
  }

  /** As `lift`, with an audit entry where there was a pause. */
  async liftByOperator({ program, operation, factor = null }: PauseTarget, audit: AuditContext): Promise<Pause | null> {
    const { actor: by, reason, at: now } = audit;
    return this.database.transaction('resume_by_operator', async (session) => {
      const lifted = await liftPause(within(session), { program, operation, factor, by, reason, now });
      const detail = { program, operation, ...(factor === null ? {} : { factor }) };
      if (lifted !== null) await recordAction(session, { audit, action: 'pause.lift', place: null, detail });
      return lifted;
    });
  }
}
