import type { KnownIdentity } from '#domain';
import type { SqlSession } from '#platform';

import type { IdentityToInsert } from './insert-identities.js';
import { insertIdentities } from './insert-identities.js';
import { insertIntents } from './insert-intents.js';
import type { PlacedIntent } from './insert-intents.js';
import { insertQuarantine } from './insert-quarantine.js';
import { BatchRaceError } from './batch-race-error.js';
import type { RecordIdentity } from './batch-identity.js';
import { businessDigest, identityOf } from './batch-identity.js';
import type { BatchResult, BatchToRecord, PreparedRecord } from './batch-to-record.js';
import { createMembers } from './create-members.js';
import { findIdentities } from './find-identities.js';
import type { Member, MemberName } from './find-members.js';
import { findMembers, memberKey } from './find-members.js';
import { lockLanes } from './lock-lanes.js';
import { lockOffset } from './lock-offset.js';
import { moveOffset } from './move-offset.js';
import { placeIntents } from './place-intents.js';
import type { BatchPlan } from './plan-batch.js';
import { planBatch } from './plan-batch.js';
import type { IngestKeys } from './ingest-keys.js';
import { splitConsumed } from './split-consumed.js';
import { cancelNotBegun } from './cancel-not-begun.js';
import { settleChangedEnrolments } from './settle-changed-enrolments.js';
import { parkNewborn } from './park-newborn.js';

function namesOf({ verdict }: PreparedRecord): MemberName[] {
  if (verdict.kind !== 'routed') return [];
  return [...verdict.intents, ...verdict.cancels];
}

function uniqueNames(records: readonly PreparedRecord[]): MemberName[] {
  const names = new Map(records.flatMap(namesOf).map((name) => [memberKey(name), name]));
  return [...names.values()];
}

/** One attempt at recording a batch: reads what is known, plans in memory, writes, all in one transaction. */
export class BatchTransaction {
  private readonly created: number[] = [];
  private members = new Map<string, Member>();

  constructor(
    private readonly batch: BatchToRecord,
    private readonly keys: IngestKeys,
  ) {}

  /** Keys of members that a rolled-back transaction created must not survive it. */
  forgetCreatedKeys(): void {
    this.keys.members.forget(this.created);
  }

  async run(session: SqlSession): Promise<BatchResult> {
    const { batch } = this;
    const stored = await lockOffset(session, batch.source);
    if (stored === null) throw new BatchRaceError('offset');
    const { consumed, fresh } = splitConsumed(batch.records, stored);
    if (stored >= batch.nextOffset) return { results: consumed, intents: 0, nextOffset: stored };
    await this.learnMembers(session, fresh);
    const identified = fresh.map((record) => ({ record, identity: identityOf(record, this.members, this.keys.mac) }));
    const known = await this.findKnown(session, identified);
    const plan = planBatch(identified, known);
    const intents = await this.write(session, plan, known);
    await moveOffset(session, batch.source, batch.nextOffset);
    return { results: [...consumed, ...plan.results], intents, nextOffset: batch.nextOffset };
  }

  private async learnMembers(session: SqlSession, records: readonly PreparedRecord[]): Promise<void> {
    const names = uniqueNames(records);
    if (names.length === 0) return;
    this.members = await findMembers(session, names, (laneId, wrapped) => {
      this.keys.members.learn(laneId, wrapped);
    });
  }

  private async findKnown(
    session: SqlSession,
    identified: readonly { readonly record: PreparedRecord; readonly identity: RecordIdentity | null }[],
  ): Promise<Map<string, KnownIdentity>> {
    const wanted = identified.flatMap(({ record, identity }) => {
      if (identity === null) return [];
      const business = identity.businessKey === null ? [] : [identity.businessKey];
      return [identity.eventKey, ...business, ...this.referredKeys(record)];
    });
    return wanted.length === 0 ? new Map() : findIdentities(session, wanted);
  }

  /** Keys of what a record refers to: a refund's purchase, a void's purchase, a revocation's grant. */
  private referredKeys({ verdict }: PreparedRecord): Buffer[] {
    if (verdict.kind !== 'routed') return [];
    const waits = verdict.intents.map((intent) => businessDigest(intent, intent.waitsFor, this.members));
    const cancels = verdict.cancels.map((cancel) =>
      cancel.target === 'everything-queued' ? null : businessDigest(cancel, cancel.target, this.members),
    );
    return [...waits, ...cancels].filter((key) => key !== null);
  }

  private async write(session: SqlSession, plan: BatchPlan, known: Map<string, KnownIdentity>): Promise<number> {
    const { batch, keys } = this;
    if (plan.cancels.length > 0 || plan.changedEnrolments.length > 0) {
      await lockLanes(
        session,
        [...this.members.values()].map((member) => member.laneId),
      );
    }
    const updates = await settleChangedEnrolments(session, { plan, now: batch.now }, keys.members);
    const toPlace = [...plan.intents, ...updates];
    await this.createMissing(
      session,
      toPlace.map((item) => item.intent),
    );
    const placed = await placeIntents(session, { intents: toPlace, members: this.members, known, now: batch.now });
    await insertIntents(session, { placed, batch }, keys.members);
    await parkNewborn(session, { placed, now: batch.now }, keys.members);
    await insertIdentities(session, this.identities(plan, placed));
    const request = { cancels: plan.cancels, members: this.members, known, placed, now: batch.now };
    await cancelNotBegun(session, request, keys.members);
    await insertQuarantine(session, { records: plan.quarantine, batch }, { key: keys.quarantine, random: keys.random });
    return placed.length;
  }

  private async createMissing(session: SqlSession, names: readonly MemberName[]): Promise<void> {
    const missing = new Map<string, MemberName>();
    for (const name of names) if (!this.members.has(memberKey(name))) missing.set(memberKey(name), name);
    const request = { names: [...missing.values()], now: this.batch.now };
    const created = await createMembers(session, request, this.keys.members);
    for (const member of created) {
      this.created.push(member.laneId);
      this.members.set(memberKey(member), member);
    }
  }

  private identities(plan: BatchPlan, placed: readonly PlacedIntent[]): IdentityToInsert[] {
    const owned = plan.intents.flatMap((item, index) => {
      const at = placed[index];
      if (at === undefined || !item.ownsBusinessKey) return [];
      const { eventKey, eventMac, businessKey, businessMac } = item.identity;
      const place = { laneId: at.laneId, seq: at.seq };
      const event = { key: eventKey, kind: 'event' as const, contentMac: eventMac, ...place };
      if (businessKey === null || businessMac === null) return [event];
      return [event, { key: businessKey, kind: 'business' as const, contentMac: businessMac, ...place }];
    });
    const noops = plan.noops.map((identity) => ({
      key: identity.eventKey,
      kind: 'event' as const,
      contentMac: identity.eventMac,
      laneId: null,
      seq: null,
    }));
    return [...owned, ...noops];
  }
}
