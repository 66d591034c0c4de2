import { Injectable } from '@nestjs/common';

import type { KnownIdentity, MembersDue } from '#intents/core';
import type { Database, SqlParameter, SqlSession, SqlStatement } from '#platform';

import { lockLanes } from '../lanes/lane-locks.js';
import { reissueGone } from '../passes/reissue-pass.js';
import { releaseSeparated } from '../passes/release-missing.js';
import type { RecordToQuarantine } from '../quarantine/sealed-record.js';
import { insertQuarantine } from '../quarantine/sealed-record.js';
import { recordFingerprint } from '../sources/record-fingerprint.js';
import { AnonymousReceipts } from './anonymous-receipts.js';
import { followSales } from './aside-refunds.js';
import { applyMarks, splitMarked, takeMarks } from './cancel-marks.js';
import type { SegmentTools } from './consequences.js';
import {
  carryOutCancels,
  carryOutErasures,
  changeMembers,
  correctEnrolments,
  markCorrectable,
} from './consequences.js';
import { carryOutCorrections } from './corrected-sales.js';
import type { HandOver } from './hand-over.js';
import { Handing } from './hand-over.js';
import type { EarlyLookup, IdentifiedRecord, JudgedRecord, KnownKeys, KnownRecords } from './identities.js';
import {
  findIdentities,
  findKnown,
  holdsFor,
  identifyRecords,
  insertIdentities,
  isChangedEnrolment,
  judgeRecords,
  lookUpEarly,
  recordLastEnrolments,
  withLastEnrolments,
} from './identities.js';
import { cancelReplaced, disputedSales, judgeByTime, judgeDays, splitTakenOver, takeOver } from './known-sales.js';
import type { MemberName } from './members.js';
import { lockNames, MemberCache, moveProfiles, namesOf } from './members.js';
import { cutAtMerges, ofSurvivors } from './merged-members.js';
import { findFreshPlaces } from './mapped-places.js';
import { dropOvertaken } from './overtaken-updates.js';
import { OwnWords } from './own-words.js';
import type { LastRecord } from './partition-offsets.js';
import type { IntentToPlace, PlacedIntent } from './place-intents.js';
import { insertIntents, occurredAt, parkOnRecord, placeIntents } from './place-intents.js';
import type { RecordAside } from './plan-segment.js';
import { cutIntoSegments, hasConsequences, identitiesToInsert, isOrdered, planSegment } from './plan-segment.js';
import { ProfileMarkTable } from './profile-marks.js';
import { judgeVoids, QuarantinedNumbers, recordToQuarantine, refusedNumber } from './quarantined-numbers.js';
import type {
  BatchesToRecord,
  BatchResult,
  BatchToRecord,
  IngestKeys,
  OriginalRecord,
  PartitionRecords,
  PendingWrites,
  PreparedRecord,
  RecordingContext,
  RecordResult,
  SourcePartition,
} from './recording.js';
import {
  BatchRaceError,
  OffsetBehindError,
  PartRefusedError,
  recordBatchMax,
  repeatRaces,
  withPendingWrites,
} from './recording.js';
import { awaitedSales, isRefund, judgeRefunds, takenBackKeys, takenBackLanes } from './receipts.js';
import { beginAnew } from './rejoined-members.js';
import { leavesAllKeys, refersToNothing, Unseen } from './unseen-records.js';

/** Records of a partition, and where it stands. */
interface LockedPart extends PartitionRecords {
  readonly stored: number;
  /** Records below the stored offset were consumed before: by us, or by another consumer of the partition. */
  readonly fresh: readonly PreparedRecord[];
}

/** One attempt at a chunk's transaction. */
interface Attempt {
  readonly chunk: BatchesToRecord;
  readonly context: RecordingContext;
  readonly members: MemberCache;
  readonly partOf: (record: OriginalRecord) => PartitionRecords;
  /** An attempt before this one lost a race: what is read is locked, so that it cannot be lost again. */
  readonly isPessimistic: boolean;
  /** Whether a record was seen before shows by whether it can be written. */
  readonly isUnseen: boolean;
  readonly handing: Handing;
}

/** What became of the parts of a chunk. */
interface RecordedParts {
  readonly results: readonly BatchResult[];
  /** How many lanes may have become due. */
  readonly lanes: number;
}

const alreadyConsumed: RecordResult = { kind: 'ignored', reason: 'already-consumed' };

/** Writes a chunk of records: intents, identities, members, quarantine and the moved offsets, in one transaction. */
@Injectable()
export class ChunkRepository {
  private readonly unseen = new Unseen();

  constructor(
    private readonly database: Database,
    private readonly keys: IngestKeys,
    /** Absent: what is recorded waits until it is claimed. */
    private readonly handOver: HandOver | null = null,
  ) {}

  /**
   * Records consecutive records of each of some partitions in one transaction: all of it commits or nothing. Repeating it
   * after a lost acknowledgement is safe: the stored offset drops what is already consumed.
   * @returns one result for each part, in their order
   * @throws {DatabaseError} when nothing is known to be recorded
   * @throws {OffsetBehindError} when a partition's stored offset lies before its part
   */
  async record(chunk: BatchesToRecord): Promise<readonly BatchResult[]> {
    const count = chunk.parts.reduce((sum, { records }) => sum + records.length, 0);
    if (count > recordBatchMax) throw new RangeError(`a batch holds at most ${recordBatchMax} records`);
    const isUnseen = this.unseen.isLikely && chunk.parts.every(({ records }) => records.every(refersToNothing));
    try {
      if (isUnseen) return await this.attempt(chunk, { isUnseen, isPessimistic: false });
    } catch (error) {
      if (!(error instanceof BatchRaceError)) throw error;
      if (error.on === 'identity') this.unseen.refused();
    }
    const results = await repeatRaces((isPessimistic) => this.attempt(chunk, { isUnseen: false, isPessimistic }));
    this.unseen.lookedUp(results);
    return results;
  }

  private async attempt(
    chunk: BatchesToRecord,
    how: Pick<Attempt, 'isUnseen' | 'isPessimistic'>,
  ): Promise<readonly BatchResult[]> {
    const { now, programsHash, parts } = chunk;
    const partOf = partsByRecord(parts);
    const context = { now, programsHash, sourceOf: (record: OriginalRecord) => partOf(record).source };
    const members = new MemberCache(this.keys, now);
    const handing = new Handing(this.handOver);
    const attempt = { chunk, context, members, partOf, handing, ...how };
    try {
      const { results, lanes } = await this.database.transaction('record_batch', (session) => {
        handing.begin();
        return withPendingWrites((writes) => this.recordAll(session, writes, attempt));
      });
      const handedOver = handing.committed();
      if (handedOver === 0 || handedOver < lanes) return results;
      return results.map((result) => ({ ...result, isUnderWay: true }));
    } catch (error) {
      handing.failed(error);
      throw error;
    }
  }

  private async recordAll(session: SqlSession, writes: PendingWrites, attempt: Attempt): Promise<RecordedParts> {
    const { keys } = this;
    const { chunk, context, members, partOf, isPessimistic, isUnseen, handing } = attempt;
    const all = chunk.parts.flatMap(({ records }) => records);
    // In one round trip: hardly ever is a record consumed already, which need not have been looked for.
    const [offsets, , early] = await Promise.all([
      lockOffsets(session, chunk.parts),
      members.learn(session, all),
      lookUpEarly(session, all, { macKey: keys.mac, isUnseen }),
    ]);
    const parts = chunk.parts.map((part) => lockedPart(part, offsets.get(placeOf(part.source))));
    const moved = parts.filter(({ stored, nextOffset }) => stored < nextOffset);
    if (moved.length === 0) return { results: resultsOf(parts, { results: [], placed: [] }, partOf), lanes: 0 };
    const fresh = moved.flatMap((part) => part.fresh);
    const setAside: Recording['setAside'] = (own, records) => this.setAside(own, records, attempt);
    const recording = { context, keys, members, writes, isPessimistic, setAside, early };
    const recorded = await recordRecords(session, fresh, recording);
    writes.add(moveOffsets(session, moved, keys.mac));
    const leased = handing.lease(session, recorded.placed);
    if (leased !== null) writes.add(leased);
    writes.commitBehind(session);
    return { results: resultsOf(parts, recorded, partOf), lanes: lanesMoved(fresh, recorded) };
  }

  private setAside(
    session: SqlSession,
    records: readonly RecordToQuarantine[],
    { chunk, context }: Attempt,
  ): Promise<void> {
    const { quarantine: key, random, mac } = this.keys;
    const { hasDeadLetters = true } = chunk;
    return insertQuarantine(session, { records, context, hasDeadLetters }, { key, random, mac });
  }
}

/** As `ChunkRepository.record`, of one partition. */
export async function recordBatch(database: Database, batch: BatchToRecord, keys: IngestKeys): Promise<BatchResult> {
  const [result] = await new ChunkRepository(database, keys).record({ ...batch, parts: [batch] });
  if (result === undefined) throw new Error('a batch has no result');
  return result;
}

/** Of one partition, the usual case, nothing needs to be looked up. */
function partsByRecord(parts: readonly PartitionRecords[]): (record: OriginalRecord) => PartitionRecords {
  const [first] = parts;
  if (first === undefined) throw new RangeError('a batch is of one partition at least');
  if (parts.length === 1) return () => first;
  const byRecord = new Map(parts.flatMap((part) => part.records.map(({ original }) => [original, part] as const)));
  return (record) => byRecord.get(record) ?? first;
}

/** A void or a correction moves a lane without an intent of its own: of what refers to others that is not known. */
function lanesMoved(records: readonly PreparedRecord[], { placed }: RecordedRecords): number {
  return records.every(refersToNothing) ? new Set(placed.map(({ laneId }) => laneId)).size : Infinity;
}

function lockedPart(part: PartitionRecords, stored: number | undefined): LockedPart {
  if (stored === undefined) throw new BatchRaceError('offset');
  if (stored < part.fromOffset) throw new OffsetBehindError(stored, part.fromOffset);
  return { ...part, stored, fresh: part.records.filter(({ original }) => original.offset >= stored) };
}

function resultsOf(
  parts: readonly LockedPart[],
  { results, placed }: RecordedRecords,
  partOf: Attempt['partOf'],
): BatchResult[] {
  const placedOf = Map.groupBy(placed, ({ record }) => partOf(record.original).source);
  let assigned = 0;
  return parts.map(({ source, records, fresh, stored, nextOffset }) => {
    const consumed = Array<RecordResult>(records.length - fresh.length).fill(alreadyConsumed);
    const recorded = results.slice(assigned, (assigned += fresh.length));
    const intents = placedOf.get(source)?.length ?? 0;
    return { results: [...consumed, ...recorded], intents, nextOffset: Math.max(stored, nextOffset) };
  });
}

const placeOf = ({ topic, partition }: Pick<SourcePartition, 'topic' | 'partition'>): string => `${topic}/${partition}`;

/** In the order in which the statements below name them. */
const partitionColumns = (sources: readonly SourcePartition[]): SqlParameter[] => [
  sources.map(({ clusterId }) => clusterId),
  sources.map(({ topic }) => topic),
  sources.map(({ incarnation }) => incarnation),
  sources.map(({ partition }) => partition),
];

const lockOffsetsStatement: SqlStatement = {
  name: 'lock_offsets',
  isRead: true,
  text: `
SELECT o.topic, o.partition, o.next_offset
FROM unnest($1::text[], $2::text[], $3::int[], $4::int[]) AS w (cluster_id, topic, incarnation, partition)
JOIN kafka_offset o USING (cluster_id, topic, incarnation, partition)
WHERE (SELECT require_ownership($4::int[]))
ORDER BY o.topic, o.partition
FOR UPDATE OF o`,
};

/**
 * Locks the partitions' stored offsets for this transaction: the fence against a consumer that lost one of them.
 * @returns the next offset to consume, by place; none where the partition has never been seen
 */
async function lockOffsets(
  session: SqlSession,
  parts: readonly PartitionRecords[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await session.query<{ topic: string; partition: number; next_offset: number }>(
    lockOffsetsStatement,
    partitionColumns(parts.map(({ source }) => source)),
  );
  return new Map(rows.map((row) => [placeOf(row), row.next_offset]));
}

const moveOffsetsStatement: SqlStatement = {
  name: 'move_offsets',
  text: `
UPDATE kafka_offset o SET next_offset = w.next_offset, last_offset = COALESCE(w.last_offset, o.last_offset),
  last_fingerprint = COALESCE(w.last_fingerprint, o.last_fingerprint)
FROM unnest($1::text[], $2::text[], $3::int[], $4::int[], $5::bigint[], $6::bigint[], $7::bytea[])
  AS w (cluster_id, topic, incarnation, partition, next_offset, last_offset, last_fingerprint)
WHERE o.cluster_id = w.cluster_id AND o.topic = w.topic AND o.incarnation = w.incarnation AND o.partition = w.partition
  AND o.next_offset <= w.next_offset`,
};

/** Moves the stored offsets forward; one never goes back within an incarnation. */
async function moveOffsets(session: SqlSession, parts: readonly PartitionRecords[], macKey: Uint8Array): Promise<void> {
  const lasts = parts.map(({ records }) => lastRecord(records, macKey));
  await session.query(moveOffsetsStatement, [
    ...partitionColumns(parts.map(({ source }) => source)),
    parts.map(({ nextOffset }) => nextOffset),
    lasts.map((last) => last?.offset ?? null),
    lasts.map((last) => last?.fingerprint ?? null),
  ]);
}

/** The last record consumed; null where there is none. */
function lastRecord(records: readonly PreparedRecord[], macKey: Uint8Array): LastRecord | null {
  const last = records.at(-1)?.original;
  // A batch that was not taken apart proves nothing: under another limit, its records have its offsets.
  if (last === undefined || last.batch !== undefined) return null;
  return { offset: last.offset, fingerprint: recordFingerprint(last, macKey) };
}

/** What became of some records. */
interface RecordedRecords {
  /** One per record, in their order. */
  readonly results: readonly RecordResult[];
  readonly placed: readonly PlacedIntent[];
}

/** What recording needs inside its transaction. */
interface Recording extends Omit<SegmentTools, 'session' | 'profiles'> {
  /** Given what cannot become intents. */
  readonly setAside: (session: SqlSession, records: readonly RecordToQuarantine[]) => Promise<void>;
  /** What is known of the records already; null: it must be asked. */
  readonly early: EarlyLookup | null;
  /** An attempt before this one lost a race: what is read is locked, so that it cannot be lost again. */
  readonly isPessimistic: boolean;
}

interface SegmentRecording extends Recording, SegmentTools {
  readonly ownWords: OwnWords;
}

/**
 * Records what was set aside before, within the transaction that settles it.
 * @returns also the members that the records are about
 */
export async function recordSetAside(
  session: SqlSession,
  records: readonly PreparedRecord[],
  recording: Pick<Recording, 'context' | 'keys' | 'isPessimistic' | 'setAside'>,
): Promise<RecordedRecords & { readonly members: MemberCache }> {
  const members = new MemberCache(recording.keys, recording.context.now);
  await members.learn(session, records);
  const recorded = await withPendingWrites((writes) =>
    recordRecords(session, records, { ...recording, members, writes, early: null }),
  );
  return { ...recorded, members };
}

/** The only way from prepared records to rows: identities, members, lanes, intents and quarantine. */
async function recordRecords(
  session: SqlSession,
  records: readonly PreparedRecord[],
  recording: Recording,
): Promise<RecordedRecords> {
  const { members, context, keys, writes } = recording;
  const places = await findFreshPlaces(session, records, { ...context, keys });
  const ownWords = await OwnWords.count(session, records, context);
  const profiles = new ProfileMarkTable(members, recording.keys.mac);
  const parts = cutAtMerges(records);
  const segmentsOf = (part: readonly PreparedRecord[]): PreparedRecord[][] =>
    cutIntoSegments(ofSurvivors(part, profiles));
  const isCut = parts.length > 1 || parts.some((part) => segmentsOf(part).length > 1);
  const mustLock = recording.isPessimistic || isCut || records.some(isOrdered);
  if (mustLock) await lockMembers(session, records, members);
  // What was looked up before the locks, or for other records, does not count.
  const isEarly =
    !mustLock && ofSurvivors(records, profiles) === records && holdsFor(recording.early, records, members.all);
  const early = isEarly ? recording.early : null;
  const results: RecordResult[] = [];
  const placed: PlacedIntent[] = [];
  for (const part of parts) {
    for (const segment of segmentsOf(part)) {
      const recorded = await recordSegment({ ...recording, session, early, profiles, ownWords }, segment);
      results.push(...recorded.results);
      placed.push(...recorded.placed);
    }
  }
  writes.add(insertIdentities(session, places.identitiesOf(placed), context.now));
  await moveProfiles(session, profiles.moves);
  const { separated: laneIds } = profiles;
  await releaseSeparated(session, { laneIds, now: recording.context.now }, recording.keys.members);
  return { results, placed };
}

/** How often the locks are widened for members whom the ones before have been merged with meanwhile. */
const lockRoundsMax = 4;

/**
 * Reads the members again under their lanes' locks, where a decision depends on their state: until each that was read is locked.
 * @throws {BatchRaceError} when others keep merging them meanwhile
 */
async function lockMembers(
  session: SqlSession,
  records: readonly PreparedRecord[],
  members: MemberCache,
): Promise<void> {
  const wanted = records.flatMap((record) => takenBackKeys(record, members.all));
  const { known } = await findIdentities(session, wanted);
  const takenBack = takenBackLanes(records, members.all, known);
  const locked = new Set<number>();
  for (let rounds = 0; rounds < lockRoundsMax; rounds += 1) {
    const laneIds = [...members.laneIds, ...takenBack].filter((laneId) => !locked.has(laneId));
    if (laneIds.length === 0) return;
    // All at once and in order: if lanes were locked segment by segment, two batches could deadlock.
    await Promise.all([lockLanes(session, laneIds), lockNames(session, laneIds)]);
    for (const laneId of laneIds) locked.add(laneId);
    await members.learn(session, records);
    for (const laneId of takenBack) await members.ofLane(session, laneId);
  }
  throw new BatchRaceError('member');
}

/** Records one segment of a chunk: reads what is known, plans in memory, writes. */
async function recordSegment(
  recording: SegmentRecording,
  records: readonly PreparedRecord[],
): Promise<RecordedRecords> {
  const { session, members, keys, profiles, writes, setAside } = recording;
  const { now } = recording.context;
  await beginAnew(recording, records);
  const { identified, keyed } = await identify(recording, records);
  const { known, marks, awaited } = keyed;
  const takenBack = records.flatMap((record) => takenBackKeys(record, members.all));
  const [anonymous, numbers] = await Promise.all([
    AnonymousReceipts.find(session, identified, { ...keyed, members: members.all }),
    QuarantinedNumbers.find(session, takenBack, members.all),
  ]);
  const claimed = (await judge(recording, identified, known)).map((item) => anonymous.claimed(item));
  const voids = await judgeVoids({ ...recording, numbers }, claimed, known);
  const judged = await judgeRefunds({ ...recording, anonymous, numbers }, voids, known);
  const dueOf = (record: PreparedRecord): MembersDue => dueIn(record, recording.context);
  const lookup = { members: members.all, known };
  const planned = planSegment(judged, profiles, { ...lookup, dueOf, ownWords: recording.ownWords });
  if (recording.early?.isUnseen === true && !leavesAllKeys(identified, planned)) {
    return recordSegment({ ...recording, early: null }, records);
  }
  const plan = { ...planned, cancels: anonymous.asNobodys(planned.cancels) };
  writes.add(recordLastEnrolments(session, { judged, results: plan.results }, members));
  const cancels = await carryOutCancels(recording, plan, keyed);
  const intents = await carryOutErasures(recording, plan);
  const corrections = { corrections: plan.corrections, members: members.all, now };
  await correctEnrolments(session, corrections, keys.members);
  await reissueGone(session, { places: plan.enrolledAgain, now }, keys.members);
  await dropOvertaken(session, { enrolments: plan.enrolments, members: members.all, now }, keys.members);
  const items = [...intents, ...cancels.instead].map((item) => asMembers(item, recording));
  const placed = await place(recording, items, keyed);
  if (plan.memberEffects.length > 0) await members.nameMissing(session, records.flatMap(namesOf));
  await followSales(session, placed, { members, profiles, keys: keys.members, now });
  const markTools = { marks, members, profiles, keys: keys.members, macKey: keys.mac, now };
  await applyMarks(session, { items, placed }, markTools);
  await carryOutCorrections(session, { placed, now }, keys.members);
  const left = [...cancels.marks, ...(await anonymous.write(recording, judged, cancels.marks))];
  const sales = awaitedSales(items, members.all, { ...keyed, left });
  const identities = [...identitiesToInsert({ plan, items, placed }, lookup), ...left, ...sales];
  const { taken, fresh: unmarked } = splitMarked(identities, awaited);
  const { takenOver, fresh } = splitTakenOver(unmarked, judged, known);
  await cancelReplaced(session, { taken: takenOver, now }, keys.members);
  if (takenOver.length > 0) writes.addJudged(takeOver(session, takenOver, now));
  if (taken.length > 0) writes.addJudged(takeMarks(session, { identities: taken, awaited, now }));
  writes.add(insertIdentities(session, fresh, now));
  refuseParts(plan.quarantine);
  const aside = plan.quarantine.map((item) => recordToQuarantine(item, members.all));
  // The numbers that it is given are answered before its bytes are sealed.
  if (aside.length > 0) writes.addJudged(setAside(session, aside));
  await changeMembers(recording, plan, placed);
  await recording.ownWords.record(session, recording.context, placed);
  return { results: cancels.ignored === null ? plan.results : [cancels.ignored], placed };
}

/** @throws {PartRefusedError} where an event is refused whose record holds others */
function refuseParts(aside: readonly RecordAside[]): void {
  const part = aside.find(({ record, isHalf }) => (record.event?.count ?? 1) > 1 && isHalf !== true);
  if (part === undefined) return;
  const { reason, detail, isWithheld, record } = part;
  const { ordinal = 1, count = 1 } = record.event ?? {};
  const verdict = { kind: 'quarantine', reason, detail: `event ${ordinal} of ${count}: ${detail}` } as const;
  const number = isWithheld ? null : refusedNumber(record);
  throw new PartRefusedError(record.original.offset, {
    ...verdict,
    ...(number && { number }),
    ...(isWithheld && { isWithheld }),
  });
}

async function identify(
  { session, members, keys, early, profiles }: SegmentRecording,
  records: readonly PreparedRecord[],
): Promise<{ readonly identified: readonly IdentifiedRecord[]; readonly keyed: KnownRecords }> {
  const { all } = members;
  const identifying = { macKey: keys.mac, absorbedBy: (name: MemberName) => profiles.absorbedBy(name) };
  const identified = early?.identified ?? identifyRecords(records, all, identifying);
  const { known, marks, awaited, unclaimed } = early ?? (await findKnown(session, identified, all));
  return { identified, keyed: { known: withLastEnrolments(known, all), marks, awaited, unclaimed } };
}

/** Locks the lanes before a decision that depends on the state of their intents. */
async function judge(
  { session, members: { all, laneIds }, keys, context }: SegmentRecording,
  identified: readonly IdentifiedRecord[],
  known: ReadonlyMap<string, KnownIdentity>,
): Promise<JudgedRecord[]> {
  const judged = judgeDays(judgeRecords(identified, known));
  const isChanging = judged.some(isChangedEnrolment);
  const records = identified.map(({ record }) => record);
  const disputed = disputedSales(judged, { members: all, known });
  const isDisputed = disputed.some((place) => place !== null);
  if (isChanging || isDisputed || records.some((record) => hasConsequences(record) || isRefund(record))) {
    const lanes = disputed.flatMap((place) => (place === null ? [] : [place.laneId]));
    await lockLanes(session, [...laneIds, ...takenBackLanes(records, all, known), ...lanes]);
  }
  const timed = isDisputed
    ? await judgeByTime(session, judged, disputed, { keys: keys.members, now: context.now })
    : judged;
  return isChanging ? markCorrectable(session, timed) : timed;
}

/** A till's clock that runs ahead says no more than when its record arrived. */
function dueIn(record: PreparedRecord, { now, isTakenIn }: RecordingContext): MembersDue {
  return { at: Math.min(occurredAt(record), record.original.brokerAt, now), isLate: isTakenIn === true };
}

function asMembers(item: IntentToPlace, { profiles, context }: SegmentRecording): IntentToPlace {
  const intent = profiles.asMembers(item.intent, dueIn(item.record, context));
  return intent === item.intent ? item : { ...item, intent };
}

async function place(
  { session, members, keys, writes, context }: SegmentRecording,
  items: readonly IntentToPlace[],
  known: KnownKeys,
): Promise<PlacedIntent[]> {
  const { now } = context;
  await members.createMissing(
    session,
    items.map((item) => item.intent),
  );
  const placed = await placeIntents(session, { intents: items, members: members.all, ...known, now });
  writes.add(insertIntents(session, { placed, context }, keys.members));
  await parkOnRecord(session, { placed, now }, keys.members);
  return placed;
}
