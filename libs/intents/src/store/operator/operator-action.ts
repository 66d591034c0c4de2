import { Injectable } from '@nestjs/common';

import type { IdentityPlace } from '#intents/core';
import type { SqlSession, SqlStatement } from '#platform';
import { Database } from '#platform';

import { timestamp } from '../events/stored-event.js';

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

interface ActionQuery {
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

/** SQL: `ofProgram`. It is kept with what was done: a job may have gone by now, an id mean another. */
export const ofProgram = `COALESCE(m.program_id, a.detail->>'program')`;

/** SQL: what `ofProgram` is read from, beside `operator_action a`. */
export const besideAction = 'LEFT JOIN member m ON m.lane_id = a.lane_id';

/** SQL: the columns of a `ListedAction`, and where they are. */
const listedActions = `a.action_id AS "actionId", a.at, a.actor, a.role, a.address, a.action, a.reason, m.program_id AS program,
  m.member_id AS "memberId", a.seq, a.detail, a.subject, a.request_id AS "requestId", ${ofProgram} AS "ofProgram"
FROM operator_action a ${besideAction}`;

/** SQL: whether it is of one of the programs in the parameter; null: of any, or none. */
const isOfPrograms = (parameter: string): string =>
  `(${parameter}::text[] IS NULL OR ${ofProgram} = ANY (${parameter}::text[]))`;

const listActionsStatement: SqlStatement = {
  name: 'list_actions',
  text: `
SELECT ${listedActions}
WHERE a.action_id < $1::bigint AND ($2::text IS NULL OR a.actor = $2) AND ($3::text IS NULL OR a.action = $3)
  AND ${isOfPrograms('$5')} AND ($6::text IS NULL OR m.member_id = $6)
  AND ($7::timestamptz IS NULL OR a.at >= $7) AND ($8::timestamptz IS NULL OR a.at < $8)
ORDER BY a.action_id DESC LIMIT $4::int`,
};

/** Actions per answer. */
const actionsAfterMax = 500;

const listActionsAfterStatement: SqlStatement = {
  name: 'list_actions_after',
  text: `
SELECT ${listedActions}
WHERE a.action_id > $1::bigint AND ${isOfPrograms('$2')}
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
  async list(query: ActionQuery): Promise<ListedAction[]> {
    const { before, actor, action, memberId = null, from = null, to = null, programs, limit } = query;
    const times = [from, to].map((at) => (at === null ? null : timestamp(at)));
    const parameters = [before ?? Number.MAX_SAFE_INTEGER, actor, action, limit, programs, memberId, ...times];
    return (await this.database.execute<ListedAction>(listActionsStatement, parameters)).rows;
  }

  /** What people did after the action with that id, the oldest first; at most `actionsAfterMax`. */
  async listAfter(after: { readonly actionId: number } & Pick<ActionQuery, 'programs'>): Promise<ListedAction[]> {
    const { actionId, programs } = after;
    return (await this.database.execute<ListedAction>(listActionsAfterStatement, [actionId, programs])).rows;
  }
}
