import type { CancelRequest, IdentityPlace, MemberEffects, RoutedIntent } from '#domain';
import { judgeIdentities } from '#domain';
import type { IdentityVerdict, KnownIdentity } from '#domain';

import type { RecordIdentity } from './batch-identity.js';
import { claimedIdentity } from './batch-identity.js';
import type { PreparedRecord, RecordResult } from './batch-to-record.js';
import type { MemberName } from './find-members.js';
import type { RecordToQuarantine } from './insert-quarantine.js';

/** An intent that will be recorded, before it has a place. */
export interface IntentToPlace {
  readonly intent: RoutedIntent;
  readonly record: PreparedRecord;
  readonly identity: RecordIdentity;
  /** Only a record's first intent carries its identity. */
  readonly ownsIdentity: boolean;
}

/** A changed enrolment: what it becomes depends on how the first one stands. */
export interface ChangedEnrolment {
  readonly of: IdentityPlace | null;
  readonly record: PreparedRecord;
  readonly identity: RecordIdentity;
  readonly intent: RoutedIntent;
  readonly asUpdate: RoutedIntent | null;
  /** Where its result stands in the plan's. */
  readonly resultIndex: number;
}

/** A record's wish to cancel something that was recorded before. */
export interface CancelToDo {
  readonly cancel: CancelRequest;
  readonly record: PreparedRecord;
  readonly identity: RecordIdentity;
}

/** Everything one transaction is going to write. */
export interface BatchPlan {
  readonly results: RecordResult[];
  readonly intents: IntentToPlace[];
  readonly cancels: CancelToDo[];
  readonly memberEffects: { readonly member: MemberName; readonly effects: MemberEffects }[];
  readonly changedEnrolments: ChangedEnrolment[];
  readonly quarantine: RecordToQuarantine[];
  /** Identities of records that lead to no intent. */
  readonly noops: RecordIdentity[];
}

export interface IdentifiedRecord {
  readonly record: PreparedRecord;
  readonly identity: RecordIdentity | null;
}

type Routed = Extract<PreparedRecord['verdict'], { kind: 'routed' }>;

function planRouted(plan: BatchPlan, item: { record: PreparedRecord; identity: RecordIdentity }, routed: Routed): void {
  const { record, identity } = item;
  routed.intents.forEach((intent, index) => {
    plan.intents.push({ intent, record, identity, ownsIdentity: index === 0 });
  });
  plan.cancels.push(...routed.cancels.map((cancel) => ({ cancel, record, identity })));
  const member = routed.intents[0] ?? routed.cancels[0];
  if (routed.memberEffects !== null && member !== undefined) {
    plan.memberEffects.push({ member, effects: routed.memberEffects });
  }
  if (routed.intents.length === 0) plan.noops.push(identity);
  plan.results.push({ kind: 'recorded' });
}

function planFresh(plan: BatchPlan, item: { record: PreparedRecord; identity: RecordIdentity }): void {
  const { verdict } = item.record;
  if (verdict.kind === 'routed') {
    planRouted(plan, item, verdict);
    return;
  }
  plan.noops.push(item.identity);
  plan.results.push({ kind: 'ignored', reason: verdict.kind === 'ignored' ? verdict.reason : 'not-mapped' });
}

function planChangedEnrolment(
  plan: BatchPlan,
  item: { record: PreparedRecord; identity: RecordIdentity },
  of: IdentityPlace | null,
): void {
  const { verdict } = item.record;
  const intent = verdict.kind === 'routed' ? verdict.intents[0] : undefined;
  if (verdict.kind !== 'routed' || intent === undefined) return;
  const resultIndex = plan.results.length;
  plan.changedEnrolments.push({ ...item, of, intent, asUpdate: verdict.enrolmentAsUpdate, resultIndex });
  plan.noops.push(item.identity);
  plan.results.push({ kind: 'recorded' });
}

function planJudged(
  plan: BatchPlan,
  item: { record: PreparedRecord; identity: RecordIdentity },
  verdict: IdentityVerdict,
): void {
  switch (verdict.kind) {
    case 'new':
      planFresh(plan, item);
      return;
    case 'duplicate-event':
      plan.results.push({ kind: 'ignored', reason: 'duplicate-event' });
      return;
    case 'duplicate-business-key':
      plan.noops.push(item.identity);
      plan.results.push({ kind: 'ignored', reason: 'duplicate-business-key' });
      return;
    case 'conflict':
      plan.quarantine.push({ original: item.record.original, reason: 'conflict', detail: verdict.detail });
      plan.results.push({ kind: 'quarantined', reason: 'conflict' });
      return;
    case 'enrolment-changed':
      planChangedEnrolment(plan, item, verdict.of);
  }
}

function planUnidentified(plan: BatchPlan, { original, verdict }: PreparedRecord): void {
  if (verdict.kind === 'quarantine') {
    plan.quarantine.push({ original, reason: verdict.reason, detail: verdict.detail });
    plan.results.push({ kind: 'quarantined', reason: verdict.reason });
    return;
  }
  plan.results.push({ kind: 'ignored', reason: verdict.kind === 'ignored' ? verdict.reason : 'not-mapped' });
}

/** Decides in memory what the transaction will write. Deterministic: a repeated transaction decides the same. */
export function planBatch(records: readonly IdentifiedRecord[], known: ReadonlyMap<string, KnownIdentity>): BatchPlan {
  const plan: BatchPlan = {
    results: [],
    intents: [],
    cancels: [],
    memberEffects: [],
    changedEnrolments: [],
    quarantine: [],
    noops: [],
  };
  const claimed = records.flatMap(({ identity }) => (identity === null ? [] : [claimedIdentity(identity)]));
  const verdicts = judgeIdentities(claimed, known).values();
  for (const { record, identity } of records) {
    if (identity === null) planUnidentified(plan, record);
    else planJudged(plan, { record, identity }, verdicts.next().value ?? { kind: 'duplicate-event' });
  }
  return plan;
}
