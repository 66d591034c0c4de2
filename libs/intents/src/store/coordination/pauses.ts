import { Injectable } from '@nestjs/common';

import type { Factor, IdentityPlace, Operation } from '#intents/core';
import { isMemberFactor } from '#intents/core';
import type { SqlSession, SqlStatement } from '#platform';
import { Database } from '#platform';

import { timestamp } from '../events/stored-event.js';
import type { AuditContext } from '../operator/operator-action.js';
import { recordAction } from '../operator/operator-action.js';

/** What is paused; null stands for every program, for every operation, and for all calls. */
export interface PauseTarget {
  readonly program: string | null;
  readonly operation: Operation | null;
  /** Only the calls with this factor, of one program; absent or null: all. A member is held with every operation. */
  readonly factor?: Factor | null;
}

/** A pause in force. */
export interface Pause extends PauseTarget {
  readonly pauseId: number;
  /** Epoch ms. */
  readonly since: number;
  /** It is over by itself then, epoch ms; null: it is to be lifted. */
  readonly until: number | null;
  /** The operator's name, or the name of the replica that set it by itself. */
  readonly by: string;
  readonly reason: string;
  /** Set by delivery itself, because the partner failed nearly all such calls. Delivery lifts it when it serves them again. */
  readonly automatic: boolean;
}

/** SQL: the columns of a `Pause`. */
const pauseColumns = `pause_id AS "pauseId", program_id AS program, operation, factor, since, until_at AS until, set_by AS by, reason, automatic`;

/** SQL: whether a pause is in force. @param now a timestamptz */
export const isInForce = (now: string): string => `(lifted_at IS NULL AND (until_at IS NULL OR until_at > ${now}))`;

const setPauseStatement: SqlStatement = {
  name: 'set_pause',
  text: `
INSERT INTO pause (program_id, operation, since, set_by, reason, automatic, factor, until_at)
VALUES ($1, $2, $3::timestamptz, $4, $5, $6, $7, $8::timestamptz)
ON CONFLICT (program_id, operation, factor) WHERE lifted_at IS NULL DO UPDATE SET since = pause.since
RETURNING ${pauseColumns}, xmax = 0 AS "isNew"`,
};

/** `already-paused`: the same target was paused before; that pause stays as it is. */
interface SetPauseResult {
  readonly kind: 'paused' | 'already-paused';
  readonly pause: Pause;
}

/** A pause to be set now (epoch ms). `reason` is stored in the clear: nothing personal may be in it. */
type NewPause = Omit<Pause, 'pauseId' | 'since' | 'until'> & { readonly until?: number | null; readonly now: number };

async function setPause(database: Pick<Database, 'execute'>, request: NewPause): Promise<SetPauseResult> {
  const { program, operation, factor = null, by, reason, automatic, now, until = null } = request;
  const { rows } = await database.execute<Pause & { readonly isNew: boolean }>(setPauseStatement, [
    program,
    operation,
    timestamp(now),
    by,
    reason,
    automatic,
    factor,
    until === null ? null : timestamp(until),
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
  text: `SELECT ${pauseColumns} FROM pause WHERE ${isInForce('$1::timestamptz')} ORDER BY pause_id`,
};

/** Pauses whose end is noted by one transaction, at most. */
const overMax = 100;

/** That of one target, or of any where the last parameter says so: each once, whoever else looks at the same time. */
const endOverStatement: SqlStatement = {
  name: 'end_pauses_over',
  text: `
UPDATE pause SET lifted_at = until_at, lifted_by = $2, lifted_reason = $3
WHERE pause_id IN (SELECT pause_id FROM pause WHERE lifted_at IS NULL AND until_at <= $1::timestamptz
  AND ($7::boolean OR program_id IS NOT DISTINCT FROM $4::text AND operation IS NOT DISTINCT FROM $5::text
    AND factor IS NOT DISTINCT FROM $6::text)
  ORDER BY pause_id LIMIT ${overMax} FOR UPDATE SKIP LOCKED)
RETURNING ${pauseColumns}`,
};

/** Who ends what is over. */
const ownName = 'loyaltyd';
const overReason = 'its time was over';

/** Writes down the end of what is over by itself, as a lift: of a target, or of all. @returns how many */
async function endOver(session: SqlSession, now: number, target: PauseTarget | null): Promise<number> {
  const { rows } = await session.query<Pause>(endOverStatement, [
    ...[timestamp(now), ownName, overReason],
    ...[target?.program ?? null, target?.operation ?? null, target?.factor ?? null, target === null],
  ]);
  for (const pause of rows) {
    const audit = { at: now, actor: ownName, address: null, reason: overReason };
    await recordPauseAction(session, { audit, action: 'pause.lift', target: pause, more: untilOf(pause.until) });
  }
  return rows.length;
}

interface PauseAction {
  readonly audit: AuditContext;
  readonly action: 'pause.set' | 'pause.lift';
  readonly target: PauseTarget;
  readonly more: Readonly<Record<string, unknown>>;
}

const untilOf = (until: number | null): { readonly until?: string } =>
  until === null ? {} : { until: new Date(until).toISOString() };

/** A member is named by their lane: an erasure forgets them there. */
async function recordPauseAction(session: SqlSession, { audit, action, target, more }: PauseAction): Promise<void> {
  const { program, operation, factor = null } = target;
  const place = await placeOf(session, target);
  const named = factor === null ? {} : { factor: place === null ? factor : 'member' };
  await recordAction(session, { audit, action, place, detail: { program, operation, ...named, ...more } });
}

const findMemberStatement: SqlStatement = {
  name: 'find_paused_member',
  isRead: true,
  text: `SELECT lane_id AS "laneId" FROM member WHERE program_id = $1 AND member_id = $2`,
};

/** Of whose pause it is; null: it is of no single member, or of one whom nobody knows. */
async function placeOf(session: SqlSession, { program, factor = null }: PauseTarget): Promise<IdentityPlace | null> {
  if (program === null || factor === null || !isMemberFactor(factor)) return null;
  const memberId = factor.slice(factor.indexOf(':') + 1);
  const { rows } = await session.query<{ readonly laneId: number }>(findMemberStatement, [program, memberId]);
  return rows[0] === undefined ? null : { laneId: rows[0].laneId, seq: 0 };
}

/** Single statements, carried out within a transaction. */
export function within(session: SqlSession): Pick<Database, 'execute'> {
  return { execute: (statement, parameters) => session.query(statement, parameters) };
}

/** What a person lifts, with what of it stays held instead. */
export interface LiftByOperator {
  readonly target: PauseTarget;
  /** Factors of the target's operation, or of each: held from now on, instead of all of it. */
  readonly but: readonly Factor[];
  /** When those are over by themselves, epoch ms; null: they are to be lifted. */
  readonly until: number | null;
}

/** What was lifted, and what is held instead. */
export interface LiftedPause {
  readonly lifted: Pause;
  readonly held: readonly Pause[];
}

/** `no-such-member`: in that program there is none of that id. `too-many`: people hold as much as they may at once. */
type SetByOperatorResult =
  | SetPauseResult
  | { readonly kind: 'no-such-member'; readonly pause: null }
  | { readonly kind: 'too-many'; readonly pause: null };

/** Pauses in force by people at once, at most: every process reads them all each second. */
export const pausesByPeopleMax = 500;

const countByPeopleStatement: SqlStatement = {
  name: 'count_pauses_by_people',
  isRead: true,
  text: `SELECT count(*)::int AS count FROM pause WHERE NOT automatic AND ${isInForce('$1::timestamptz')}`,
};

/** The pauses of programs, operations and their factors. Every replica follows within a second. */
@Injectable()
export class PauseRepository {
  constructor(private readonly database: Database) {}

  /** Every pause in force, oldest first. @param now epoch ms */
  async list(now: number): Promise<Pause[]> {
    return (await this.database.execute<Pause>(listPausesStatement, [timestamp(now)])).rows;
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

  /** Writes down, and into the audit, the end of pauses that are over by themselves; they hold nothing since. @returns how many */
  async endOver(now: number): Promise<number> {
    return this.database.transaction('end_pauses_over', (session) => endOver(session, now, null));
  }

  /** As `set`, with an audit entry; a target that is already paused stays as it is, without one. */
  async setByOperator(
    target: PauseTarget & { readonly until: number | null },
    audit: AuditContext,
  ): Promise<SetByOperatorResult> {
    return this.database.transaction('pause_by_operator', async (session) => {
      if (isMemberFactor(target.factor ?? null) && (await placeOf(session, target)) === null) {
        return { kind: 'no-such-member', pause: null };
      }
      const { rows } = await session.query<{ readonly count: number }>(countByPeopleStatement, [timestamp(audit.at)]);
      if ((rows[0]?.count ?? 0) >= pausesByPeopleMax) return { kind: 'too-many', pause: null };
      return setWithAudit(session, target, audit);
    });
  }

  /** As `lift`, and what is to stay held is so from the same moment, with one audit entry where there was a pause; else nothing is done. */
  async liftByOperator({ target, but, until }: LiftByOperator, audit: AuditContext): Promise<LiftedPause | null> {
    const { actor: by, reason, at: now } = audit;
    const { program, operation } = target;
    return this.database.transaction('resume_by_operator', async (session) => {
      await endOver(session, now, target);
      const lifted = await liftPause(within(session), { ...target, by, reason, now });
      if (lifted === null) return null;
      const held: Pause[] = [];
      for (const factor of but) {
        const hold = { program, operation, factor };
        await endOver(session, now, hold);
        const { pause } = await setPause(within(session), { ...hold, by, reason, automatic: false, now, until });
        held.push(pause);
      }
      const more = but.length === 0 ? {} : { but, ...untilOf(until) };
      await recordPauseAction(session, { audit, action: 'pause.lift', target, more });
      return { lifted, held };
    });
  }
}

async function setWithAudit(
  session: SqlSession,
  { until, ...target }: PauseTarget & { readonly until: number | null },
  audit: AuditContext,
): Promise<SetPauseResult> {
  const { actor: by, reason, at: now } = audit;
  await endOver(session, now, target);
  const result = await setPause(within(session), { ...target, by, reason, automatic: false, now, until });
  if (result.kind === 'paused') {
    await recordPauseAction(session, { audit, action: 'pause.set', target, more: untilOf(until) });
  }
  return result;
}
