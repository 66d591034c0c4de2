import { createHash } from 'node:crypto';

import type { ApprovalView } from '#contracts';
import type { IdentityPlace, JsonValue } from '#domain';
import { canonicalJson } from '#domain';
import type { AuditContext } from '#intents';
import { recordAction, timestamp } from '#intents';
import type { Clock, Database, Logger, Random, SqlSession, SqlStatement } from '#platform';
import { BackgroundLoop } from '#platform';

import { isOfPrograms } from '../access/operator.js';

/** What somebody asked for that takes a second person; its kind knows the shape of the request. */
export interface ApprovalRequest {
  readonly kind: ApprovalView['kind'];
  readonly program: string | null;
  /** The id of the intent or replay, or that which the job will have. */
  readonly target: string;
  /** The intent, `seq` 0 for all of a member's; null for what is about no single one. */
  readonly place: IdentityPlace | null;
  /** Nothing secret; what is personal only as an identifier that other tables hold, too. */
  readonly request: Readonly<Record<string, unknown>>;
}

export interface Approval extends ApprovalRequest {
  readonly approvalId: string;
  readonly reason: string;
  readonly state: ApprovalView['state'];
  /** Epoch ms. */
  readonly askedAt: number;
  readonly askedBy: string;
  /** Issuer and `sub`; null: by one of `OPS_TOKENS`. */
  readonly askedSubject: string | null;
  /** It lapses at this time, epoch ms. */
  readonly until: number;
  readonly settledAt: number | null;
  readonly settledBy: string | null;
  readonly settledReason: string | null;
}

/** SHA-256 over what is asked for, as hex: who approves says by it what they have seen. */
export function digestOf({ kind, program, target, request }: Omit<ApprovalRequest, 'place'>): string {
  const text = canonicalJson({ kind, program, target, request: request as JsonValue });
  return createHash('sha256').update(text).digest('hex');
}

/** SQL: the columns of an `Approval`. */
const approvalColumns = `approval_id AS "approvalId", kind, program_id AS program, target,
  CASE WHEN lane_id IS NOT NULL THEN jsonb_build_object('laneId', lane_id, 'seq', seq) END AS place, request, reason, state,
  asked_at AS "askedAt", asked_by AS "askedBy", asked_subject AS "askedSubject", until,
  settled_at AS "settledAt", settled_by AS "settledBy", settled_reason AS "settledReason"`;

/** Requests that may wait at a time. */
export const approvalsOpenMax = 100;

/** One proposal after the other, so that the limit holds. Any fixed number would do. */
const proposalLock = 7_226_409_117;

const lockStatement: SqlStatement = {
  name: 'lock_approvals',
  text: `SELECT pg_advisory_xact_lock(${proposalLock})`,
};

const lapseStatement: SqlStatement = {
  name: 'lapse_approvals',
  text: `
UPDATE approval SET state = 'lapsed', settled_at = $1::timestamptz
WHERE state = 'proposed' AND until <= $1::timestamptz
RETURNING ${approvalColumns}`,
};

const lapseReason = 'nobody approved it in time';

async function lapse(session: SqlSession, now: number): Promise<void> {
  const audit = { at: now, actor: 'loyaltyd', address: null, reason: lapseReason };
  const { rows } = await session.query<Approval>(lapseStatement, [timestamp(now)]);
  for (const approval of rows) {
    await recordAction(session, { audit, action: 'approval.lapse', ...tracedOf(approval) });
  }
}

/** What the audit shows of it. The id of an intent names a member: its place says the same. */
function tracedOf({ approvalId, kind, program, target, place, askedBy }: Approval): {
  readonly place: Approval['place'];
  readonly detail: Readonly<Record<string, unknown>>;
} {
  const named = kind === 'forced-intent' ? {} : { target: targetPath({ kind, target }) };
  return { place, detail: { approval: approvalId, kind, program, ...named, askedBy } };
}

/** Where the API has what it is about. */
export function targetPath({ kind, target }: Pick<ApprovalRequest, 'kind' | 'target'>): string {
  switch (kind) {
    case 'forced-intent':
      return `/intents/${target}`;
    case 'forced-replay':
      return `/replays/${target}`;
    case 'personal-export':
      return `/exports/${target}`;
    case 'erasure':
      return `/erasures/${target}`;
  }
}

/** How soon after its time it is written down that something has lapsed. */
const lapseLookMs = 15_000;

interface LapseTools {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Writes down what has waited for too long. Whether somebody may still approve it does not depend on that. */
export function approvalLapses({ database, ...tools }: LapseTools): BackgroundLoop {
  return new BackgroundLoop({
    ...tools,
    workOnce: async () => {
      await database.transaction('lapse_approvals', (session) => lapse(session, tools.clock.now()));
      return lapseLookMs;
    },
    close: async () => undefined,
    failureMessage: 'lapsed approvals were not written down',
  });
}

const insertStatement: SqlStatement = {
  name: 'insert_approval',
  text: `
INSERT INTO approval (approval_id, kind, program_id, target, request, reason, state, asked_at, asked_by, asked_subject, until,
  lane_id, seq)
VALUES ($1, $2, $3, $4, $5::jsonb, $6, 'proposed', $7::timestamptz, $8, $9, $10::timestamptz, $11, $12)
ON CONFLICT (kind, target) WHERE state = 'proposed' DO NOTHING
RETURNING ${approvalColumns}`,
};

const countOpenStatement: SqlStatement = {
  name: 'count_open_approvals',
  text: `SELECT count(*)::int AS open FROM approval WHERE state = 'proposed'`,
};

const findOpenStatement: SqlStatement = {
  name: 'find_open_approval',
  text: `SELECT ${approvalColumns} FROM approval WHERE kind = $1 AND target = $2 AND state = 'proposed'`,
};

interface Proposal extends ApprovalRequest {
  readonly approvalId: string;
  readonly until: number;
  readonly audit: AuditContext;
}

/** So many wait already. */
export class TooManyProposedError extends Error {
  override readonly name = 'TooManyProposedError';
}

async function propose(session: SqlSession, proposal: Proposal): Promise<Approval> {
  const { approvalId, kind, program, target, place, request, until, audit } = proposal;
  await session.query(lockStatement);
  await lapse(session, audit.at);
  const [made] = (
    await session.query<Approval>(insertStatement, [
      ...[approvalId, kind, program, target, JSON.stringify(request), audit.reason],
      ...[timestamp(audit.at), audit.actor, audit.subject ?? null, timestamp(until)],
      ...[place?.laneId ?? null, place?.seq ?? null],
    ])
  ).rows;
  if (made === undefined) {
    const [known] = (await session.query<Approval>(findOpenStatement, [kind, target])).rows;
    if (known === undefined) throw new Error('a proposal vanished while another was made');
    return known;
  }
  const { open } = (await session.query<{ open: number }>(countOpenStatement)).rows[0] ?? { open: 0 };
  if (open > approvalsOpenMax) throw new TooManyProposedError();
  await recordAction(session, { audit, action: 'approval.propose', ...tracedOf(made) });
  return made;
}

/**
 * Stores what somebody asks for until a second person approves it. Where something waits for the same target already, that is
 * returned instead, whatever it asks for.
 * @throws {TooManyProposedError}
 */
export async function proposeApproval(database: Database, proposal: Proposal): Promise<Approval> {
  return database.transaction('propose_approval', (session) => propose(session, proposal));
}

const lockApprovalStatement: SqlStatement = {
  name: 'lock_approval',
  text: `SELECT ${approvalColumns} FROM approval WHERE approval_id = $1 FOR UPDATE`,
};

/** Until the end of the transaction nobody else settles it. Null where there is none. */
export async function lockApproval(session: SqlSession, approvalId: string): Promise<Approval | null> {
  return (await session.query<Approval>(lockApprovalStatement, [approvalId])).rows[0] ?? null;
}

const settleStatement: SqlStatement = {
  name: 'settle_approval',
  text: `
UPDATE approval SET state = $2, settled_at = $3::timestamptz, settled_by = $4, settled_reason = $5
WHERE approval_id = $1`,
};

const settleActions = { approved: 'approval.approve', refused: 'approval.refuse', withdrawn: 'approval.withdraw' };

/** Settles what is locked and waits. */
export async function settleApproval(
  session: SqlSession,
  { approval, state, audit }: { approval: Approval; state: keyof typeof settleActions; audit: AuditContext },
): Promise<void> {
  const { at, actor, reason } = audit;
  await session.query(settleStatement, [approval.approvalId, state, timestamp(at), actor, reason]);
  await recordAction(session, { audit, action: settleActions[state], ...tracedOf(approval) });
}

const findStatement: SqlStatement = {
  name: 'find_approval',
  text: `SELECT ${approvalColumns} FROM approval WHERE approval_id = $1`,
};

/** Null where there is none of that id. */
export async function findApproval(database: Database, approvalId: string): Promise<Approval | null> {
  return (await database.execute<Approval>(findStatement, [approvalId])).rows[0] ?? null;
}

/** Approvals that are shown, the newest first: more than may wait at a time. */
const approvalsMax = 200;

const listStatement: SqlStatement = {
  name: 'list_approvals',
  text: `
SELECT ${approvalColumns} FROM approval WHERE ${isOfPrograms('$1')}
ORDER BY asked_at DESC, approval_id LIMIT ${approvalsMax}`,
};

/** @param programs only what is of these, and of no others besides; null: all */
export async function listApprovals(database: Database, programs: readonly string[] | null): Promise<Approval[]> {
  return (await database.execute<Approval>(listStatement, [programs])).rows;
}

/** What an approval is about: all of a member's intents where `seq` is null. */
export interface ApprovalSubject {
  readonly program: string;
  readonly memberId: string;
  readonly seq: number | null;
}

/** The lane of the member in these parameters. */
const laneOf = '(SELECT m.lane_id FROM member m WHERE m.program_id = $3 AND m.member_id = $4)';

/** Few wait at a time, and only these are looked at; a replay's items are found by their place. */
export const listAwaitedStatement: SqlStatement = {
  name: 'list_awaited_approvals',
  text: `
SELECT ${approvalColumns} FROM approval
WHERE state = 'proposed' AND until > $2::timestamptz AND ${isOfPrograms('$1')} AND (
  (lane_id = ${laneOf} AND ($5::int IS NULL OR seq IN (0, $5)))
  OR (kind = 'forced-replay' AND EXISTS (
    SELECT FROM replay_item i
    WHERE i.replay_id = target AND i.lane_id = ${laneOf} AND ($5::int IS NULL OR i.seq = $5))))
ORDER BY asked_at DESC, approval_id`,
};

/** What waits and is about that, the newest first: an intent, a replay that has it among its items, or all of its member. */
export async function listAwaited(
  database: Database,
  subject: ApprovalSubject,
  { programs, now }: { readonly programs: readonly string[] | null; readonly now: number },
): Promise<Approval[]> {
  const { program, memberId, seq } = subject;
  const parameters = [programs, timestamp(now), program, memberId, seq];
  return (await database.execute<Approval>(listAwaitedStatement, parameters)).rows;
}
