import { Body, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import type { z } from 'zod';

import type { ApprovalList, ApprovalView } from '#contracts';
import { approvalConsentSchema, approvalListQuerySchema, approvalRefusalSchema } from '#contracts';
import type { AuditContext } from '#intents';
import { actOnIntent, lastCorrection } from '#intents';
import type { SqlSession } from '#platform';
import { joinedDatabase } from '#platform';

import { ApiController } from '../access/access.guard.js';
import type { Actor } from '../access/operator.js';
import { auditContextOf, ByActor, maySee } from '../access/operator.js';
import type { ApiSettings } from '../api-settings.js';
import { API_SETTINGS } from '../api-settings.js';
import type { ForcedAction } from '../intents/intent-actions.controller.js';
import { IntentLookup, intentNames, noSuchIntent, refusedAction } from '../intents/intent-lookup.js';
import { JobService } from '../jobs/job-service.js';
import { findMember } from '../members/member-store.js';
import { noSuchMember } from '../members/members.controller.js';
import { ApiProblem } from '../problems/api-problem.js';
import { noSuchReplay, wrongState } from '../replays/replay-request.js';
import type { RequestedPace } from '../replays/replay-request.js';
import { countCorrections, findReplay, startReplay } from '../replays/replay-store.js';
import { isoTimeOrNull, ZodPipe } from '../requests/read-request.js';
import type { Approval, ApprovalSubject } from './approval-store.js';
import { digestOf, findApproval, listApprovals, listAwaited, lockApproval, settleApproval } from './approval-store.js';
import { toApprovalView } from './second-person.js';

/**
 * Carries out what was asked for, in the transaction of its approval. Requests are written by us only, so the shapes are ours.
 * @throws {ApiProblem} which undoes both
 */
type Deed = (approval: Approval, settings: ApiSettings, audit: AuditContext) => Promise<void>;

function standsOtherwise(): ApiProblem {
  const detail = 'It does not stand any more as it did when this was asked for. Refuse it, and look again.';
  return new ApiProblem({ status: 409, code: 'approval-outdated', title: 'Something has happened since', detail });
}

const forceIntent: Deed = async ({ place, request }, settings, audit) => {
  // Of a release before it names no correction.
  const {
    as,
    since,
    correction = null,
  } = request as unknown as Partial<ForcedAction> & Pick<ForcedAction, 'as' | 'since'>;
  const intents = new IntentLookup(settings);
  if (place === null) throw noSuchIntent();
  if ((await lastCorrection(settings.database, place)) !== correction) throw standsOtherwise();
  if (isoTimeOrNull((await intents.show(place)).since) !== since) throw standsOtherwise();
  const action = as === null ? ({ kind: 'replay' } as const) : ({ kind: 'resolve', as } as const);
  const forced = { place, action: { ...action, isForced: true }, audit, role: 'admin' } as const;
  const result = await actOnIntent(settings.database, forced, settings.keys);
  if (result.kind === 'refused') throw refusedAction(result.reason);
};

/** What it sends was frozen when it was asked for; nothing of it may have got another content since. */
const forceReplay: Deed = async (approval, { database }, audit) => {
  const { target: replayId } = approval;
  const { corrections, ...pace } = approval.request as unknown as RequestedPace & { readonly corrections?: number };
  if ((await countCorrections(database, replayId)) !== (corrections ?? 0)) throw standsOtherwise();
  const started = await startReplay(database, { replayId, ...pace, audit, role: 'admin' });
  if (started !== null) return;
  const found = await findReplay(database, replayId);
  throw found === null ? noSuchReplay() : wrongState(found.state);
};

const beginExport: Deed = async ({ target: id, program, request }, settings, audit) => {
  const order = { id, program, request, detail: request };
  await new JobService(settings, 'export').createFor({ audit, role: 'admin' }, order);
};

const beginErasure: Deed = async (approval, settings, audit) => {
  const { target: id, program, request } = approval;
  const memberId = String(request['memberId']);
  const member = await findMember(settings.database, { program: program ?? '', memberId });
  if (member === null) throw noSuchMember();
  const order = { id, program, request };
  await new JobService(settings, 'erasure').createFor({ audit, role: 'admin' }, order);
};

const deeds: Readonly<Record<Approval['kind'], Deed>> = {
  'forced-intent': forceIntent,
  'forced-replay': forceReplay,
  'personal-export': beginExport,
  erasure: beginErasure,
};

function noSuchApproval(): ApiProblem {
  return new ApiProblem({ status: 404, code: 'no-such-approval', title: 'There is no such approval' });
}

/** Whether there is one that who asks may know of. */
function isKnownTo(approval: Approval | null, { programs }: Actor): approval is Approval {
  return approval !== null && maySee(programs, approval.program);
}

/** @throws {ApiProblem} where it does not wait any more */
function requireOpen(approval: Approval, now: number): void {
  const { state } = toApprovalView(approval, now);
  if (state === 'proposed') return;
  const title = 'It does not wait for anybody any more';
  throw new ApiProblem({ status: 409, code: 'approval-state', title, detail: `It is ${state}.` });
}

/**
 * Names of tokens are unique, and a provider's issuer and `sub` are who somebody is. Between the two only the name can be
 * compared: one person with two credentials of different names is not told apart from two.
 */
function isOwn({ askedBy, askedSubject }: Approval, { name, subject }: Actor): boolean {
  return askedSubject === null || subject === undefined ? askedBy === name : askedSubject === subject;
}

function ownRequest(): ApiProblem {
  const detail = 'You have asked for it: another person must approve it. You may withdraw it.';
  return new ApiProblem({ status: 403, code: 'own-request', title: 'You may not do this', detail });
}

/** @throws {ApiProblem} where something else would be done than what was looked at */
function requireSeen(approval: Approval, digest: string): void {
  if (digestOf(approval) === digest) return;
  const detail = 'The digest is of another request. Look at this one again.';
  throw new ApiProblem({ status: 409, code: 'approval-differs', title: 'You have seen something else', detail });
}

/** In the name of who asked for it, by the request of who approves it. */
function deedContextOf(
  { approvalId: id, askedBy, askedSubject, reason }: Approval,
  consent: AuditContext,
): AuditContext {
  const { at, actor: by, requestId } = consent;
  return {
    ...{ at, actor: askedBy, address: null, reason, approval: { id, by } },
    ...(askedSubject === null ? {} : { subject: askedSubject }),
    ...(requestId === undefined ? {} : { requestId }),
  };
}

type ApprovalListQuery = z.output<typeof approvalListQuerySchema>;

/** What a list is limited to; null: to nothing. @throws {ApiProblem} where no intent can have that id */
function subjectOf({ intent, program, memberId }: ApprovalListQuery): ApprovalSubject | null {
  if (intent === undefined) {
    return program === undefined || memberId === undefined ? null : { program, memberId, seq: null };
  }
  const [name] = intentNames(intent);
  if (name === undefined) throw noSuchIntent();
  return name;
}

const ok = 200;

/** What waits for a second person. */
@ApiController('approvals')
export class ApprovalsController {
  constructor(@Inject(API_SETTINGS) private readonly settings: ApiSettings) {}

  @Get()
  async list(
    @Query(new ZodPipe(approvalListQuerySchema)) query: ApprovalListQuery,
    @ByActor() { programs }: Actor,
  ): Promise<ApprovalList> {
    const { database, clock } = this.settings;
    const now = clock.now();
    const subject = subjectOf(query);
    const approvals =
      subject === null
        ? await listApprovals(database, programs)
        : await listAwaited(database, subject, { programs, now });
    return { items: approvals.map((approval) => toApprovalView(approval, now)) };
  }

  @Get(':id')
  async one(@Param('id') id: string, @ByActor() actor: Actor): Promise<ApprovalView> {
    const { database, clock } = this.settings;
    const approval = await findApproval(database, id);
    if (!isKnownTo(approval, actor)) throw noSuchApproval();
    return toApprovalView(approval, clock.now());
  }

  /** The deed and its approval are one transaction: whoever comes second, or too late, changes nothing. */
  @Post(':id/approve')
  @HttpCode(ok)
  async approve(
    @Param('id') id: string,
    @Body(new ZodPipe(approvalConsentSchema)) { digest, reason }: z.output<typeof approvalConsentSchema>,
    @ByActor() actor: Actor,
  ): Promise<ApprovalView> {
    const { settings } = this;
    const audit = auditContextOf(actor, reason, settings.clock);
    await this.settle(id, { actor, at: audit.at }, async (session, approval) => {
      if (isOwn(approval, actor)) throw ownRequest();
      requireSeen(approval, digest);
      await settleApproval(session, { approval, state: 'approved', audit });
      const joined = { ...settings, database: joinedDatabase(session) };
      await deeds[approval.kind](approval, joined, deedContextOf(approval, audit));
    });
    return this.one(id, actor);
  }

  @Post(':id/refuse')
  @HttpCode(ok)
  async refuse(
    @Param('id') id: string,
    @Body(new ZodPipe(approvalRefusalSchema)) { reason }: z.output<typeof approvalRefusalSchema>,
    @ByActor() actor: Actor,
  ): Promise<ApprovalView> {
    const audit = auditContextOf(actor, reason, this.settings.clock);
    await this.settle(id, { actor, at: audit.at }, async (session, approval) => {
      const state = isOwn(approval, actor) ? 'withdrawn' : 'refused';
      await settleApproval(session, { approval, state, audit });
    });
    return this.one(id, actor);
  }

  private async settle(
    id: string,
    { actor, at }: { readonly actor: Actor; readonly at: number },
    work: (session: SqlSession, approval: Approval) => Promise<void>,
  ): Promise<void> {
    await this.settings.database.transaction('settle_approval', async (session) => {
      const approval = await lockApproval(session, id);
      if (!isKnownTo(approval, actor)) throw noSuchApproval();
      requireOpen(approval, at);
      await work(session, approval);
    });
  }
}
