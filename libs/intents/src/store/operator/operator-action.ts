import { Injectable } from '@nestjs/common';

import type { IdentityPlace } from '#intents/core';
import type { SqlParameter, SqlSession, SqlStatement } from '#platform';
import { Database } from '#platform';

import { timestamp } from '../events/stored-event.js';
import { lanesOfMember } from '../lanes/lanes-of-member.js';

/**
 * In what role somebody has something done that is stored. Kept with it: to resume or cancel it takes the same role. What
 * was stored before this was kept, or by nobody in particular, takes an admin.
 */
export type ActingRole = 'operator' | 'admin';

/** In what role somebody acts. */
export type ActorRole = ActingRole | 'viewer';

/** Who acts, from where, and why: stored with every action of a person. */
export interface AuditContext {
  /** Epoch ms by the database's clock. */
  readonly at: number;
  readonly actor: string;
  /** Of a job: of who asked for it. Absent: the command line on the machine itself, or the daemon. */
  readonly role?: ActorRole;
  /** The address that the request came from; null for the command line on the machine itself. */
  readonly address: string | null;
  readonly reason: string;
  /** Who that is for good, where an identity provider says so: its issuer and `sub`, with a space between them. */
  readonly subject?: string;
  /** Of the request that it came with. */
  readonly requestId?: string;
  /** The programs that they may know of; absent: all. */
  readonly limitedTo?: readonly string[];
}

export interface RecordedAction {
  readonly audit: AuditContext;
  /** What was done, such as `intent.replay`. */
  readonly action: string;
  /** The intent it was done to, `seq` 0 for all of a member's; null for what is about no member. */
  readonly place: IdentityPlace | null;
  /** Nothing personal. */
  readonly detail?: Readonly<Record<string, unknown>>;
}

/**
 * The transaction id is taken before the number: the audit topic's reader knows by it when no smaller number can appear
 * any more (`final-position.ts`). An INSERT ... VALUES takes the number first.
 */
const recordOperatorActionStatement: SqlStatement = {
  name: 'record_operator_action',
  text: `
INSERT INTO operator_action (at, actor, address, action, reason, lane_id, seq, detail, subject, request_id, role)
SELECT $1::timestamptz, $2::text, $3::text, $4::text, $5::text, $6::bigint, $7::int, $8::jsonb, $9::text, $10::text, $11::text
FROM pg_current_xact_id()`,
};

function detailText({ audit: { limitedTo }, detail }: RecordedAction): string | null {
  if (detail === undefined && limitedTo === undefined) return null;
  return JSON.stringify({ ...detail, ...(limitedTo === undefined ? {} : { limitedTo }) });
}

/** Stores a person's action in the audit, in the transaction that carries it out. */
export async function recordAction(session: SqlSession, recorded: RecordedAction): Promise<void> {
  const { audit, action, place } = recorded;
  await session.query(recordOperatorActionStatement, [
    timestamp(audit.at),
    audit.actor,
    audit.address,
    action,
    audit.reason,
    place?.laneId ?? null,
    place?.seq ?? null,
    detailText(recorded),
    audit.subject ?? null,
    audit.requestId ?? null,
    audit.role ?? null,
  ]);
}

/** What a person did. */
export interface ListedAction {
  readonly actionId: number;
  /** Epoch ms. */
  readonly at: number;
  readonly actor: string;
  /** Null: the command line on the machine itself, or the daemon. */
  readonly role: ActorRole | null;
  readonly address: string | null;
  readonly action: string;
  readonly reason: string;
  /** The intent it was done to; all three are null for what is about no single one. */
  readonly program: string | null;
  readonly memberId: string | null;
  readonly seq: number | null;
  readonly detail: Readonly<Record<string, unknown>> | null;
  /** The only program that it is about: its member's, its job's, or the one it names; null: there is none. */
  readonly ofProgram: string | null;
  readonly subject: string | null;
  readonly requestId: string | null;
}

export interface ActionQuery {
  readonly actor: string | null;
  readonly action: string | null;
  /** Done to this member or an intent of theirs, in whatever program; absent or null: to anybody, or nobody. */
  readonly memberId?: string | null;
  /** Done at or after, epoch ms; absent or null: ever. */
  readonly from?: number | null;
  /** Done before, epoch ms; absent or null: until now. */
  readonly to?: number | null;
  /** Only actions about these, and about no others besides; null: all. */
  readonly programs: readonly string[] | null;
  /** The id that the page before ended with; null for the first. */
  readonly before: number | null;
  readonly limit: number;
}

/** `next` is null at the end. A page may be short, even empty, and yet not be the last. */
export interface ActionPage {
  readonly items: readonly ListedAction[];
  readonly next: number | null;
}

/** SQL: `ofProgram`. It is kept with what was done: a job may have gone by now, an id mean another. */
export const ofProgram = `COALESCE(m.program_id, a.detail->>'program')`;

/** SQL: what `ofProgram` is read from, beside `operator_action a`. */
export const besideAction = 'LEFT JOIN member m ON m.lane_id = a.lane_id';

/** SQL: the columns of a `ListedAction`. */
const actionColumns = `a.action_id AS "actionId", a.at, a.actor, a.role, a.address, a.action, a.reason, m.program_id AS program,
  m.member_id AS "memberId", a.seq, a.detail, a.subject, a.request_id AS "requestId", ${ofProgram} AS "ofProgram"`;

/** SQL: whether it is of one of the programs in the parameter; null: of any, or none. */
const isOfPrograms = (parameter: string): string =>
  `(${parameter}::text[] IS NULL OR ${ofProgram} = ANY (${parameter}::text[]))`;

/**
 * Actions that are looked at for one page: where little of them fits, the next page goes on. However many there are, one page
 * costs no more.
 */
export const actionsLookedMax = 2_000;

/** Where actions are looked for; what else is asked for is checked on them. */
type ActionPlan = 'member' | 'actor' | 'action' | 'newest';

const newestFirst = 'ORDER BY at DESC, action_id DESC';
/** An index has each plan in this order. `$1`, `$2`: the place before; `$3`: not before this time. */
const isLooked = '(at, action_id) < ($1::timestamptz, $2::bigint) AND at >= $3::timestamptz';
const lookedLimit = `${newestFirst} LIMIT ${actionsLookedMax}`;

const lookedBy: Readonly<Record<ActionPlan, string>> = {
  newest: `SELECT * FROM operator_action WHERE ${isLooked} ${lookedLimit}`,
  actor: `SELECT * FROM operator_action WHERE actor = $4 AND ${isLooked} ${lookedLimit}`,
  action: `SELECT * FROM operator_action WHERE action = $5 AND ${isLooked} ${lookedLimit}`,
  member: `SELECT o.* FROM (${lanesOfMember('$6', 'NULL::text')}) own CROSS JOIN LATERAL (
    SELECT * FROM operator_action WHERE lane_id = own.lane_id AND ${isLooked} ${lookedLimit}) o ${lookedLimit}`,
};

function planOf({ memberId = null, actor, action }: ActionQuery): ActionPlan {
  if (memberId !== null) return 'member';
  if (actor !== null) return 'actor';
  return action === null ? 'newest' : 'action';
}

/** What was found, the newest first, and in each row how far one has looked; one row without an action where there is none. */
const listText = (plan: ActionPlan): string => `
WITH looked AS MATERIALIZED (${lookedBy[plan]}),
found AS (
  SELECT ${actionColumns} FROM looked a ${besideAction}
  WHERE ($4::text IS NULL OR a.actor = $4) AND ($5::text IS NULL OR a.action = $5)
    AND ($6::text IS NULL OR m.member_id = $6) AND ${isOfPrograms('$7')}
  ORDER BY a.at DESC, a.action_id DESC LIMIT $8::int
)
SELECT f.*, (SELECT count(*) FROM looked) AS "lookedAt",
  (SELECT action_id FROM looked ORDER BY at, action_id LIMIT 1) AS "lookedTo"
FROM (SELECT 1) AS one LEFT JOIN found f ON true ORDER BY f.at DESC, f."actionId" DESC`;

const plans: readonly ActionPlan[] = ['member', 'actor', 'action', 'newest'];

/** By plan. */
export const listActionsStatements = Object.fromEntries(
  plans.map((plan) => [plan, { name: `list_actions_by_${plan}`, text: listText(plan) }]),
) as Readonly<Record<ActionPlan, SqlStatement>>;

interface FoundRow extends Omit<ListedAction, 'actionId'> {
  /** Null: nothing was found. */
  readonly actionId: number | null;
  readonly lookedAt: number;
  readonly lookedTo: number | null;
}

function toAction({ lookedAt: _at, lookedTo: _to, ...row }: FoundRow): ListedAction[] {
  const { actionId } = row;
  return actionId === null ? [] : [{ ...row, actionId }];
}

function pageOf(rows: readonly FoundRow[], limit: number): ActionPage {
  const items = rows.flatMap(toAction);
  if (items.length === limit) return { items, next: items.at(-1)?.actionId ?? null };
  const { lookedAt = 0, lookedTo = null } = rows[0] ?? {};
  return { items, next: lookedAt < actionsLookedMax ? null : lookedTo };
}

/** `$3` to `$8`. */
function soughtBy({ from = null, actor, action, memberId = null, programs, limit }: ActionQuery): SqlParameter[] {
  return [from === null ? '-infinity' : timestamp(from), actor, action, memberId, programs, limit];
}

/** When that action was done, or, where it has left meanwhile, the one before it: pages go by time. */
const actionTimeStatement: SqlStatement = {
  name: 'find_action_time',
  text: 'SELECT at FROM operator_action WHERE action_id <= $1::bigint ORDER BY action_id DESC LIMIT 1',
};

const lastActionStatement: SqlStatement = {
  name: 'find_last_action',
  text: 'SELECT max(action_id) AS "actionId" FROM operator_action',
};

/** Actions per answer. */
export const actionsAfterMax = 500;

const listActionsAfterStatement: SqlStatement = {
  name: 'list_actions_after',
  text: `
SELECT ${actionColumns}
FROM operator_action a ${besideAction} WHERE a.action_id > $1::bigint
ORDER BY a.action_id LIMIT ${actionsAfterMax}`,
};

/** The audit: what people did. An action that changes something is recorded within its transaction: `recordAction`. */
@Injectable()
export class AuditRepository {
  constructor(private readonly database: Database) {}

  /** Stores that a person is about to see something, before it is shown: nothing is seen without an audit entry. */
  async recordAccess(recorded: RecordedAction): Promise<void> {
    await this.database.transaction('leave_trace', (session) => recordAction(session, recorded));
  }

  /** What people did, the newest first. */
  async list(query: ActionQuery): Promise<ActionPage> {
    const place = await this.placeOf(query);
    if (place === null) return { items: [], next: null };
    const parameters = [...place, ...soughtBy(query)];
    const { rows } = await this.database.execute<FoundRow>(listActionsStatements[planOf(query)], parameters);
    return pageOf(rows, query.limit);
  }

  /** The highest id there is; 0: nobody has done anything. */
  async lastId(): Promise<number> {
    const { rows } = await this.database.execute<{ actionId: number | null }>(lastActionStatement);
    return rows[0]?.actionId ?? 0;
  }

  /** What people did after the action with that id, the oldest first; at most `actionsAfterMax`. */
  async listAfter(actionId: number): Promise<ListedAction[]> {
    return (await this.database.execute<ListedAction>(listActionsAfterStatement, [actionId])).rows;
  }

  /** Behind which place a page begins; null: nothing is behind it. */
  private async placeOf({ before, to = null }: ActionQuery): Promise<readonly [string, number] | null> {
    if (before === null) return [to === null ? 'infinity' : timestamp(to), 0];
    const { rows } = await this.database.execute<{ at: number }>(actionTimeStatement, [before]);
    const [last] = rows;
    return last === undefined ? null : [timestamp(last.at), before];
  }
}
