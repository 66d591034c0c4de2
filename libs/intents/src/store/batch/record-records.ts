import type { CancelRequest, KnownIdentity, PartnerCommand, RoutedIntent } from '#intents/core';
import { addressedTo, erasureMarks, nobody, withUnsentOptOuts } from '#intents/core';
import type { SqlSession } from '#platform';

import { awaitErasure } from '../erasure/erasure.js';
import { lockLanes } from '../lanes/locked-lane.js';
import { reissueGone } from '../passes/reissue-pass.js';
import type { RecordToQuarantine } from '../quarantine/sealed-record.js';
import { heedMarks, insertMark, splitMarked, takeMarks } from './cancel-marks.js';
import type { CancelOutcome } from './consequences.js';
import { cancelNotBegun, correctEnrolments, eraseMember, ignoredCancel, markCorrectable } from './consequences.js';
import type { EarlyLook, IdentifiedRecord, IdentityToInsert, JudgedRecord, KnownKeys } from './identities.js';
import {
  cancelledKeys,
  cancelledLanes,
  findIdentities,
  findKnown,
  holdsFor,
  identifyRecords,
  insertIdentities,
  isChangedEnrolment,
  judgeRecords,
  noDigest,
  recordLastEnrolments,
  withLastEnrolments,
} from './identities.js';
import type { MemberCache } from './members.js';
import { memberKey, raiseGeneration } from './members.js';
import { dropOvertaken } from './overtaken-updates.js';
import type { IntentToPlace, PlacedIntent } from './place-intents.js';
import { insertIntents, parkOnRecord, placeIntents } from './place-intents.js';
import type { BatchPlan, CancelToDo } from './plan-batch.js';
import { identitiesToInsert, planBatch } from './plan-batch.js';
import { ProfileMarkTable } from './profile-marks.js';
import type { IngestKeys, PendingWrites, PreparedRecord, RecordingContext, RecordResult } from './recording.js';

/** What became of some records. */
export interface RecordedRecords {
  /** One per record, in their order. */
  readonly results: readonly RecordResult[];
  readonly placed: readonly PlacedIntent[];
}

interface SegmentTools {
  readonly context: RecordingContext;
  readonly keys: IngestKeys;
  /** Caches the members of the records. */
  readonly members: MemberCache;
  readonly profiles: ProfileMarkTable;
  readonly writes: PendingWrites;
  /** Given what cannot become intents. */
  readonly setAside: (session: SqlSession, records: readonly RecordToQuarantine[]) => Promise<void>;
  /** What is known of the records already; null: it must be asked. */
  readonly early: EarlyLook | null;
}

/** The tools of a recording transaction. */
interface Recording extends Omit<SegmentTools, 'profiles'> {
  /** An attempt before this one lost a race: what is read is locked, so that it cannot be lost again. */
  readonly isPessimistic: boolean;
}

/** The only way from prepared records to rows: identities, members, lanes, intents and quarantine. */
export async function recordRecords(
  session: SqlSession,
  records: readonly PreparedRecord[],
  recording: Recording,
): Promise<RecordedRecords> {
  const { members } = recording;
  const segments = segmentRecords(records);
  const mustLock = recording.isPessimistic || segments.length > 1 || records.some(isOrdered);
  if (mustLock) await lockMembers(session, records, members);
  // What was looked up before the locks, or for other records, does not count.
  const early = !mustLock && holdsFor(recording.early, records, members.all) ? recording.early : null;
  const profiles = new ProfileMarkTable(members, recording.keys.mac);
  const results: RecordResult[] = [];
  const placed: PlacedIntent[] = [];
  for (const segment of segments) {
    const recorded = await new SegmentRecorder(session, { ...recording, early, profiles }).record(segment);
    results.push(...recorded.results);
    placed.push(...recorded.placed);
  }
  await profiles.save(session);
  return { results, placed };
}

function isOrdered({ verdict }: PreparedRecord): boolean {
  return verdict.kind === 'routed' && verdict.profilePosition !== null;
}

/** Reads the members again under their lanes' locks, where a decision depends on their state. */
async function lockMembers(
  session: SqlSession,
  records: readonly PreparedRecord[],
  members: MemberCache,
): Promise<void> {
  const wanted = records.flatMap((record) => cancelledKeys(record, members.all));
  const { known } = await findIdentities(session, wanted);
  const laneIds = [...members.laneIds, ...cancelledLanes(records, members.all, known)];
  if (laneIds.length === 0) return;
  // All at once and in order: if lanes were locked segment by segment, two batches could deadlock.
  await lockLanes(session, laneIds);
  await members.learn(session, records);
}

function enrolledMember({ verdict }: PreparedRecord): string | null {
  if (verdict.kind !== 'routed') return null;
  const enrolment = verdict.intents.find((intent) => intent.businessKey?.scope === 'enrolment');
  return enrolment === undefined ? null : memberKey(enrolment);
}

/** The record cancels what was recorded before, or changes its member. */
function hasConsequences({ verdict }: PreparedRecord): boolean {
  return verdict.kind === 'routed' && (verdict.cancels.length > 0 || verdict.memberEffects !== null);
}

/** The member whose profile the record changes. */
function changedMember(record: PreparedRecord): string | null {
  const { verdict } = record;
  const intent = verdict.kind === 'routed' && isOrdered(record) ? verdict.intents[0] : undefined;
  return intent === undefined ? null : memberKey(intent);
}

/**
 * Cuts a batch where a record depends on what the records before it did: one that cancels or changes its member stands
 * alone, and an enrolment begins a new segment behind another one of its member, or behind an update. Everything else goes
 * together.
 */
function segmentRecords(records: readonly PreparedRecord[]): PreparedRecord[][] {
  const segments: PreparedRecord[][] = [];
  let open: PreparedRecord[] = [];
  let changed = new Set<string>();
  const cut = (): void => {
    if (open.length > 0) segments.push(open);
    open = [];
    changed = new Set();
  };
  for (const record of records) {
    const member = enrolledMember(record);
    const standsAlone = hasConsequences(record);
    if (standsAlone || (member !== null && changed.has(member))) cut();
    open.push(record);
    for (const name of [member, changedMember(record)]) if (name !== null) changed.add(name);
    if (standsAlone) cut();
  }
  cut();
  return segments;
}

/** Records one segment of a batch: reads what is known, plans in memory, writes. */
class SegmentRecorder {
  constructor(
    private readonly session: SqlSession,
    private readonly tools: SegmentTools,
  ) {}

  async record(records: readonly PreparedRecord[]): Promise<RecordedRecords> {
    const { members, keys, profiles, writes, context, setAside } = this.tools;
    const { identified, keyed } = await this.identify(records);
    const { known, marks } = keyed;
    const judged = await this.judge(identified, known);
    const plan = planBatch(judged, profiles);
    writes.add(recordLastEnrolments(this.session, { judged, results: plan.results }, members));
    const cancels = await this.cancel(plan, keyed);
    const intents = await this.erase(plan);
    const corrections = { corrections: plan.corrections, members: members.all, now: context.now };
    await correctEnrolments(this.session, corrections, keys.members);
    await reissueGone(this.session, { places: plan.enrolledAgain, now: context.now }, keys.members);
    const enrolled = { enrolments: plan.enrolments, members: members.all, now: context.now };
    await dropOvertaken(this.session, enrolled, keys.members);
    const items = [...intents, ...cancels.instead];
    const placed = await this.place(items, keyed);
    const awaited = { marks, keys: keys.members, macKey: keys.mac, now: this.now };
    await heedMarks(this.session, { items, placed }, awaited);
    const around = { members: members.all, known };
    const identities = [...identitiesToInsert({ plan, items, placed }, around), ...cancels.marks];
    const { taken, fresh } = splitMarked(identities, marks);
    if (taken.length > 0) writes.addJudged(takeMarks(this.session, taken, this.now));
    writes.add(insertIdentities(this.session, fresh, this.now));
    writes.add(setAside(this.session, plan.quarantine));
    await this.changeMembers(plan, placed);
    return { results: cancels.ignored === null ? plan.results : [cancels.ignored], placed };
  }

  private get now(): number {
    return this.tools.context.now;
  }

  /** Locks the lanes before a decision that depends on the state of their intents. */
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
    return isChanging ? markCorrectable(this.session, judged) : judged;
  }

  private async identify(
    records: readonly PreparedRecord[],
  ): Promise<{ readonly identified: readonly IdentifiedRecord[]; readonly keyed: KnownKeys }> {
    const { members, keys, early } = this.tools;
    const { all } = members;
    const identified = early?.identified ?? identifyRecords(records, all, keys.mac);
    const { known, marks } = early ?? (await findKnown(this.session, identified, all));
    return { identified, keyed: { known: withLastEnrolments(known, all), marks } };
  }

  /** A segment with cancels holds one record only, so its result is the record's. */
  private async cancel(
    plan: BatchPlan,
    known: KnownKeys,
  ): Promise<{
    readonly instead: IntentToPlace[];
    readonly marks: IdentityToInsert[];
    readonly ignored: RecordResult | null;
  }> {
    const { members, keys, context: recording } = this.tools;
    const outcomes: CancelOutcome[] = [];
    const marks: IdentityToInsert[] = [];
    for (const { cancel, record } of plan.cancels) {
      const { topic, partition } = recording.sourceOf(record.original);
      const cause = { topic, partition, offset: record.original.offset };
      const context = { members: members.all, ...known, now: this.now, cause };
      const outcome = await cancelNotBegun(this.session, { cancel, context }, keys.members);
      outcomes.push(outcome);
      if (outcome.kind === 'unknown') marks.push(await this.mark(outcome.key, cancel, record));
    }
    const hasNoIntents = plan.intents.length === 0;
    const instead: IntentToPlace[] = [];
    for (const [index, item] of plan.cancels.entries()) {
      const intent = await this.insteadOf(item, outcomes[index]);
      if (intent !== null) instead.push({ ...item, intent, ownsIdentity: hasNoIntents && index === 0 });
    }
    const isCancelOnly = plan.cancels.length > 0 && hasNoIntents && plan.memberEffects.length === 0;
    const reason = isCancelOnly ? ignoredCancel(outcomes) : null;
    return { instead, marks, ignored: reason === null ? null : { kind: 'ignored', reason } };
  }

  /** What is recorded where it was too late to cancel: for the member whose that is, whomever the event names. */
  private async insteadOf({ cancel }: CancelToDo, outcome: CancelOutcome | undefined): Promise<RoutedIntent | null> {
    const { members } = this.tools;
    if (outcome?.kind !== 'too-late' || outcome.instead === null) return null;
    if (members.all.get(memberKey(cancel))?.laneId === outcome.laneId) return outcome.instead;
    const { memberId } = await members.ofLane(this.session, outcome.laneId);
    return addressedTo(outcome.instead, { memberId, isByEmail: cancel.isByEmail === true });
  }

  /** An erased member is not brought back by it: then the mark says nothing but that it is one. */
  private async mark(key: Buffer, cancel: CancelRequest, record: PreparedRecord): Promise<IdentityToInsert> {
    const { members, keys, context, writes } = this.tools;
    const namesMember = cancel.memberId !== nobody;
    if (namesMember && !members.all.has(memberKey(cancel))) await members.createMissing(this.session, [cancel]);
    const member = members.all.get(memberKey(cancel)) ?? null;
    if (namesMember && member === null) throw new Error('a mark of a member that is not there cannot be left');
    const tools = { keys: keys.members, macKey: keys.mac, context };
    writes.add(insertMark(this.session, { key, cancel, record, member }, tools));
    return { key, kind: 'mark', contentMac: noDigest, laneId: null, seq: null };
  }

  private async place(items: readonly IntentToPlace[], known: KnownKeys): Promise<PlacedIntent[]> {
    const { members, keys, writes, context } = this.tools;
    const { session, now } = this;
    await members.createMissing(
      session,
      items.map((item) => item.intent),
    );
    const placed = await placeIntents(session, { intents: items, members: members.all, ...known, now });
    writes.add(insertIntents(session, { placed, context }, keys.members));
    await parkOnRecord(session, { placed, now }, keys.members);
    return placed;
  }

  /**
   * Before the record's own intents are placed: they are sealed with another key than what is erased.
   * @returns what is to be placed: it also carries the opt-outs that have not been reported to the partner yet
   */
  private async erase(plan: BatchPlan): Promise<IntentToPlace[]> {
    const { members, profiles, keys } = this.tools;
    let { intents } = plan;
    for (const { member: name, effects, happenedAt } of plan.memberEffects) {
      if (!effects.erase) continue;
      // A leaving that is newer than the word to erase is not forgotten with the rest.
      const marks = erasureMarks(Math.max(happenedAt ?? this.now, profiles.leftAt(name)));
      profiles.erased(name, marks);
      const member = members.all.get(memberKey(name));
      if (member === undefined) continue;
      const erasure = { member, marks, now: this.now };
      const { erasedSeq, openOptOuts } = await eraseMember(this.session, erasure, keys.members);
      members.erased(member, erasedSeq, marks);
      intents = intents.map((item) => withOpenOptOuts(item, openOptOuts));
    }
    return intents;
  }

  private async changeMembers(plan: BatchPlan, placed: readonly PlacedIntent[]): Promise<void> {
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

  private async awaitErasure(laneId: number, placed: readonly PlacedIntent[]): Promise<void> {
    const untilSeq = placed.findLast((item) => item.laneId === laneId)?.seq;
    if (untilSeq !== undefined) await awaitErasure(this.session, { laneId, untilSeq, now: this.now });
  }
}

function withOpenOptOuts(item: IntentToPlace, openOptOuts: readonly PartnerCommand[]): IntentToPlace {
  const { command } = item.intent;
  if (command === null || openOptOuts.length === 0) return item;
  return { ...item, intent: { ...item.intent, command: withUnsentOptOuts(command, openOptOuts) } };
}
