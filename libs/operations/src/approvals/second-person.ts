import { Inject, Injectable } from '@nestjs/common';

import type { ApprovalView } from '#contracts';
import type { AuditContext } from '#intents';
import { timestamp } from '#intents';
import type { SqlSession, SqlStatement } from '#platform';

import type { Actor } from '../access/operator.js';
import { auditContextOf, maySee } from '../access/operator.js';
import type { ApiSettings } from '../api-settings.js';
import { API_SETTINGS } from '../api-settings.js';
import { AcceptedRequest, ApiProblem } from '../problems/api-problem.js';
import { isoTime, isoTimeOrNull } from '../requests/read-request.js';
import type { Approval, ApprovalRequest } from './approval-store.js';
import { approvalsOpenMax, digestOf, proposeApproval, targetPath, TooManyProposedError } from './approval-store.js';

/** It is not done by one person alone. */
export class SecondPersonNeededError extends Error {
  override readonly name = 'SecondPersonNeededError';
}

/** Erasures are counted over so long: who asks for few at a time asks for many all the same. */
const erasuresCountedMs = 86_400_000;

/** One after the other, so that two do not both come just below the limit. Any fixed number would do. */
const lockStatement: SqlStatement = { name: 'lock_erasures', text: 'SELECT pg_advisory_xact_lock(7226409118)' };

const countStatement: SqlStatement = {
  name: 'count_new_erasures',
  text: `
SELECT count(*)::int AS erasures FROM (
  SELECT FROM job WHERE kind = 'erasure' AND created_at > $1::timestamptz LIMIT $2::int) one`,
};

export function toApprovalView(approval: Approval, now: number): ApprovalView {
  const { approvalId: id, kind, program, request, reason, state, askedBy, settledBy, settledReason } = approval;
  return {
    ...{ id, kind, program, reason, askedBy, settledBy, settledReason },
    target: targetPath(approval),
    request: { ...request },
    digest: digestOf(approval),
    // Nothing can be done with it any more, whether that has been written down yet or not.
    state: state === 'proposed' && approval.until <= now ? 'lapsed' : state,
    askedAt: isoTime(approval.askedAt),
    until: isoTime(approval.until),
    settledAt: isoTimeOrNull(approval.settledAt),
  };
}

function tooManyProposed(): ApiProblem {
  const title = 'Too many requests wait for a second person';
  const detail = `${approvalsOpenMax} wait already. Have some of them approved or refused.`;
  return new ApiProblem({ status: 409, code: 'too-many-approvals', title, detail });
}

/** What is said of it tells nothing to who may not know of its program. */
function anotherIsProposed({ approvalId, askedBy, program }: Approval, { programs }: Actor): ApiProblem {
  const title = 'Another request waits for the same';
  if (!maySee(programs, program)) return new ApiProblem({ status: 409, code: 'id-taken', title });
  const detail = `${approvalId} of ${askedBy} asks for it otherwise. Have it approved or refused first.`;
  return new ApiProblem({ status: 409, code: 'approval-differs', title, detail });
}

interface Proposed extends ApprovalRequest {
  readonly actor: Actor;
  readonly reason: string;
}

/** The two-person rule, where it is on (`OPS_TWO_PERSONS`). */
@Injectable()
export class SecondPerson {
  constructor(@Inject(API_SETTINGS) private readonly settings: ApiSettings) {}

  get isNeeded(): boolean {
    return this.rule !== null;
  }

  /** @throws {SecondPersonNeededError} where the rule is on */
  readonly admitNone = async (): Promise<void> => {
    if (this.isNeeded) throw new SecondPersonNeededError();
  };

  /** Asked in the transaction of an erasure. @throws {SecondPersonNeededError} where too many were asked for */
  readonly admitErasure = async (session: SqlSession): Promise<void> => {
    const { rule } = this;
    if (rule === null) return;
    await session.query(lockStatement);
    const since = timestamp(this.settings.clock.now() - erasuresCountedMs);
    const { rows } = await session.query<{ erasures: number }>(countStatement, [since, rule.erasuresMax + 1]);
    if ((rows[0]?.erasures ?? 0) > rule.erasuresMax) throw new SecondPersonNeededError();
  };

  /** Does it; where that takes a second person, stores it for one and answers so. @throws {AcceptedRequest} */
  async orPropose<T>(proposed: Proposed, act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof SecondPersonNeededError)) throw error;
    }
    return this.propose(proposed);
  }

  /** The same once more finds what waits. @throws {AcceptedRequest} once it is stored, {ApiProblem} where it is not */
  async propose({ actor, reason, ...asked }: Proposed): Promise<never> {
    const audit = auditContextOf(actor, reason, this.settings.clock);
    throw new AcceptedRequest(toApprovalView(await this.store(asked, { actor, audit }), audit.at));
  }

  private get rule(): ApiSettings['twoPersons'] {
    const { twoPersons } = this.settings;
    return twoPersons;
  }

  private async store(
    asked: ApprovalRequest,
    { actor, audit }: { readonly actor: Actor; readonly audit: AuditContext },
  ): Promise<Approval> {
    const { database, random } = this.settings;
    const until = audit.at + (this.rule?.windowMs ?? 0);
    try {
      const approval = await proposeApproval(database, { ...asked, approvalId: random.uuid(), until, audit });
      if (digestOf(approval) !== digestOf(asked)) throw anotherIsProposed(approval, actor);
      return approval;
    } catch (error) {
      throw error instanceof TooManyProposedError ? tooManyProposed() : error;
    }
  }
}
