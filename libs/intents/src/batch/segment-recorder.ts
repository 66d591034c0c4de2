import type { KnownIdentity, PartnerCommand, RoutedIntent } from '#domain';
import { withUntoldOptOuts } from '#domain';
import type { SqlSession } from '#platform';

import { awaitErasure } from '../erasure/await-erasure.js';
import { identityOf } from './batch-identity.js';
import type { RecordIdentity } from './batch-identity.js';
import type { PreparedRecord, RecordingContext, RecordResult } from './batch-to-record.js';
import type { CancelOutcome } from './cancel-not-begun.js';
import { cancelNotBegun, ignoredCancel } from './cancel-not-begun.js';
import { correctEnrolments } from './correct-enrolments.js';
import { eraseMember } from './erase-member.js';
import { findIdentities } from './find-identities.js';
import { memberKey } from './find-members.js';
import type { IngestKeys } from './ingest-keys.js';
import { identitiesToInsert } from './identities-to-insert.js';
import { insertIdentities } from './insert-identities.js';
import { insertIntents } from './insert-intents.js';
import type { PlacedIntent } from './insert-intents.js';
import type { RecordToQuarantine } from './insert-quarantine.js';
import type { IdentifiedRecord, JudgedRecord } from './judge-records.js';
import { isChangedEnrolment, judgeRecords, withStandings } from './judge-records.js';
import { followEnrolments, withLastEnrolments } from './last-enrolments.js';
import { lockLanes } from './lock-lanes.js';
import type { MemberBook } from './member-book.js';
import type { PendingWrites } from './pending-writes.js';
import { parkNewborn } from './park-newborn.js';
import { placeIntents } from './place-intents.js';
import type { BatchPlan, IntentToPlace } from './plan-batch.js';
import { planBatch } from './plan-batch.js';
import { raiseGeneration } from './raise-generation.js';
import type { ProfileBook } from './profile-book.js';
import { cancelledLanes, referredKeys } from './referred-keys.js';
import { hasConsequences } from './segment-records.js';

/** What became of some records. */
export interface RecordedRecords {
  /** One per record, in their order. */
  readonly results: readonly RecordResult[];
  readonly placed: readonly PlacedIntent[];
}

export interface SegmentTools {
  readonly context: RecordingContext;
  readonly keys: IngestKeys;
  /** Has learnt who the records' members are. */
  readonly members: MemberBook;
  readonly profiles: ProfileBook;
  readonly writes: PendingWrites;
  /** Given what cannot become intents. */
  readonly setAside: (session: SqlSession, records: readonly RecordToQuarantine[]) => Promise<void>;
}

/** Records one segment of a batch: reads what is known, plans in memory, writes. */
export class SegmentRecorder {
  constructor(
    private readonly session: SqlSession,
    private readonly tools: SegmentTools,
  ) {}

  async record(records: readonly PreparedRecord[]): Promise<RecordedRecords> {
    const { members, keys, profiles, writes, context, setAside } = this.tools;
    const identified = records.map((record) => ({ record, identity: identityOf(record, members.all, keys.mac) }));
    const known = await this.findKnown(identified);
    const judged = await this.judge(identified, known);
    const plan = planBatch(judged, profiles);
    writes.add(followEnrolments(this.session, { judged, results: plan.results }, members));
    const cancels = await this.cancel(plan, known);
    const intents = await this.erase(plan);
    const corrections = { corrections: plan.corrections, members: members.all, now: context.now };
    await correctEnrolments(this.session, corrections, keys.members);
    const items = [...intents, ...cancels.instead];
    const placed = await this.place(items, known);
    writes.add(insertIdentities(this.session, identitiesToInsert(plan, items, placed), this.now));
    writes.add(setAside(this.session, plan.quarantine));
    await this.changeMembers(plan, placed);
    return { results: cancels.isIgnored === null ? plan.results : [cancels.isIgnored], placed };
  }

  private get now(): number {
    return this.tools.context.now;
  }

  /** Lanes are locked before something is decided on how their intents stand. */
  private async judge(
    identified: readonly IdentifiedRecord[],
    known: ReadonlyMap<string, KnownIdentity>,
  ): Promise<JudgedRecord[]> {
    const judged = judgeRecords(identified, known);
    const isChanging = judged.some(isChangedEnrolment);
    const records = identified.map(({ record }) => record);
    if (isChanging || records.some(hasConsequences)) {
      const { all, laneIds } = this.tools.members;
      await lockLanes(this.session, [...laneIds, ...cancelledLanes(records, all, known)]);
    }
    return isChanging ? withStandings(this.session, judged) : judged;
  }

  private async findKnown(identified: readonly IdentifiedRecord[]): Promise<ReadonlyMap<string, KnownIdentity>> {
    const wanted = identified.flatMap(({ record, identity }) =>
      identity === null ? [] : [...ownKeys(identity), ...referredKeys(record, this.tools.members.all)],
    );
    if (wanted.length === 0) return new Map<string, KnownIdentity>();
    return withLastEnrolments(await findIdentities(this.session, wanted), this.tools.members.all);
  }

  /** A segment with cancels holds one record only, so its result is the record's. */
  private async cancel(
    plan: BatchPlan,
    known: ReadonlyMap<string, KnownIdentity>,
  ): Promise<{ readonly instead: IntentToPlace[]; readonly isIgnored: RecordResult | null }> {
    const { members, keys } = this.tools;
    const outcomes: CancelOutcome[] = [];
    const context = { members: members.all, known, now: this.now };
    for (const { cancel } of plan.cancels) {
      outcomes.push(await cancelNotBegun(this.session, { cancel, context }, keys.members));
    }
    const hasNoIntents = plan.intents.length === 0;
    const instead = plan.cancels.flatMap(({ record, identity }, index) => {
      const outcome = outcomes[index];
      const intent: RoutedIntent | null = outcome?.kind === 'too-late' ? outcome.instead : null;
      return intent === null ? [] : [{ intent, record, identity, ownsIdentity: hasNoIntents && index === 0 }];
    });
    const isCancelOnly = plan.cancels.length > 0 && hasNoIntents && plan.memberEffects.length === 0;
    const reason = isCancelOnly ? ignoredCancel(outcomes) : null;
    return { instead, isIgnored: reason === null ? null : { kind: 'ignored', reason } };
  }

  private async place(items: readonly IntentToPlace[], known: ReadonlyMap<string, KnownIdentity>): Promise<Placed> {
    const { members, keys, writes, context } = this.tools;
    const { session, now } = this;
    await members.createMissing(
      session,
      items.map((item) => item.intent),
    );
    const placed = await placeIntents(session, { intents: items, members: members.all, known, now });
    writes.add(insertIntents(session, { placed, context }, keys.members));
    await parkNewborn(session, { placed, now }, keys.members);
    return placed;
  }

  /**
   * Before the record's own intents are placed: they are sealed with another key than what is erased.
   * @returns what is to be placed: it also says what the erased had still to say
   */
  private async erase(plan: BatchPlan): Promise<IntentToPlace[]> {
    const { members, profiles, keys } = this.tools;
    let { intents } = plan;
    for (const { member: name, effects } of plan.memberEffects) {
      const member = members.all.get(memberKey(name));
      if (member === undefined || !effects.erase) continue;
      const { erasedSeq, untold } = await eraseMember(this.session, { member, now: this.now }, keys.members);
      members.erased(member, erasedSeq);
      profiles.forget(member);
      intents = intents.map((item) => telling(item, untold));
    }
    return intents;
  }

  private async changeMembers(plan: BatchPlan, placed: Placed): Promise<void> {
    const { members } = this.tools;
    for (const { member, effects } of plan.memberEffects) {
      const known = members.all.get(memberKey(member));
      if (known === undefined) continue;
      if (effects.erase) await this.awaitErasure(known.laneId, placed);
      else if (effects.raisesGeneration) {
        members.changed({ ...known, generation: await raiseGeneration(this.session, known.laneId) });
      }
    }
  }

  private async awaitErasure(laneId: number, placed: Placed): Promise<void> {
    const untilSeq = placed.findLast((item) => item.laneId === laneId)?.seq;
    if (untilSeq !== undefined) await awaitErasure(this.session, { laneId, untilSeq, now: this.now });
  }
}

type Placed = Awaited<ReturnType<typeof placeIntents>>;

function telling(item: IntentToPlace, untold: readonly PartnerCommand[]): IntentToPlace {
  const { command } = item.intent;
  if (command === null || untold.length === 0) return item;
  return { ...item, intent: { ...item.intent, command: withUntoldOptOuts(command, untold) } };
}

function ownKeys({ eventKey, businessKey }: RecordIdentity): Buffer[] {
  return businessKey === null ? [eventKey] : [eventKey, businessKey];
}
