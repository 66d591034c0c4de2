import type {
  AnonymousReceipt,
  BusinessKey,
  ClaimedIdentity,
  IdentityVerdict,
  KnownIdentity,
  RecordPosition,
  RoutedIntent,
} from '#intents/core';
import { businessKeyText, campaignKeyFor, judgeIdentities, keyedIntent, nobody } from '#intents/core';
import type { SqlSession, SqlStatement } from '#platform';
import { digest, int4Array, int8Array, keyedDigest } from '#platform';

import { timestamp } from '../events/stored-event.js';
import type { LastEnrolment, Member, MemberCache, MemberName } from './members.js';
import { memberKey } from './members.js';
import type { PreparedRecord, RecordResult } from './recording.js';
import { asRace } from './recording.js';

const firstGeneration = 1;
const firstLife = 0;

/** Of what names no member, and is no known member's: the ids of lanes begin at 1. */
export const noMembersLane = 0;

/** Where nothing is remembered of what an event says: whatever comes under its key is the same again. */
export const noDigest = new Uint8Array(0);

/** Stands in the row of what is waited for once it is to be cancelled when it comes: who records that sees the row change. */
export const isCancelled = new Uint8Array([1]);

/** Members as known before the batch; who is missing is new and in the first generation. */
export type KnownMembers = ReadonlyMap<string, Member>;

function generationOf(owner: MemberName, members: KnownMembers): number {
  return members.get(memberKey(owner))?.generation ?? firstGeneration;
}

/** Another life begins with each erasure, behind what that has erased. */
function lifeOf(owner: MemberName, members: KnownMembers): number {
  return members.get(memberKey(owner))?.erasedSeq ?? firstLife;
}

/** Most keys are the same in each. */
function periodOf(owner: MemberName, key: BusinessKey, members: KnownMembers): number {
  if (key.perLife === true) return lifeOf(owner, members);
  return key.perGeneration ? generationOf(owner, members) : firstGeneration;
}

/** The key in `dedup` of a member's business key. */
export function businessDigest(owner: MemberName, key: BusinessKey, members: KnownMembers): Buffer {
  return digest(businessKeyText({ program: owner.program, key, generation: periodOf(owner, key, members) }));
}

/** A record's identity as bytes: keys and content digests. */
export interface RecordIdentity {
  readonly eventKey: Buffer;
  readonly eventMac: Buffer;
  readonly businessKey: Buffer | null;
  readonly businessMac: Buffer | null;
  readonly isEnrolment: boolean;
  /** Of another number that it is known by; absent: it has none. */
  readonly alias?: { readonly key: Buffer; readonly mac: Buffer; readonly ofAbsorbed: readonly Buffer[] };
  /** Of what it takes back. */
  readonly targetKeys: readonly Buffer[];
}

function identityTexts({ verdict }: PreparedRecord): { eventKeyText: string; eventContentText: string } | null {
  if (verdict.kind === 'routed') return verdict;
  return verdict.kind === 'ignored' ? verdict.identity : null;
}

/** What records are identified with, beside their members. */
interface Identifying {
  readonly macKey: Uint8Array;
  /** Who lives on in a member. */
  readonly absorbedBy: (survivor: MemberName) => readonly MemberName[];
}

/** Under what those have got it whom the member has absorbed. */
function keysOfAbsorbed(
  { program, memberId }: MemberName,
  { key, absorbedBy }: { readonly key: BusinessKey } & Pick<Identifying, 'absorbedBy'>,
  members: KnownMembers,
): Buffer[] {
  if (key.scope !== 'campaign') return [];
  return absorbedBy({ program, memberId }).map((absorbed) =>
    businessDigest(absorbed, campaignKeyFor(key, absorbed.memberId), members),
  );
}

/** The identity a record claims, or null when it has none (quarantine, tombstone). */
export function identityOf(
  record: PreparedRecord,
  members: KnownMembers,
  { macKey, absorbedBy }: Identifying,
): RecordIdentity | null {
  const texts = identityTexts(record);
  if (texts === null) return null;
  const eventKey = digest(texts.eventKeyText);
  const eventMac = keyedDigest(macKey, texts.eventContentText);
  const intent = record.verdict.kind === 'routed' ? keyedIntent(record.verdict) : null;
  const targetKeys = cancelledKeys(record, members);
  if (!intent?.businessKey) {
    return { eventKey, eventMac, businessKey: null, businessMac: null, isEnrolment: false, targetKeys };
  }
  const businessKey = businessDigest(intent, intent.businessKey, members);
  const businessMac = keyedDigest(macKey, intent.businessContent ?? '');
  const isEnrolment = intent.businessKey.scope === 'enrolment';
  const identity = { eventKey, eventMac, businessKey, businessMac, isEnrolment, targetKeys };
  if (intent.alias === undefined) return identity;
  const mac = keyedDigest(macKey, intent.alias.content);
  const { key } = intent.alias;
  const ofAbsorbed = keysOfAbsorbed(intent, { key, absorbedBy }, members);
  return { ...identity, alias: { key: businessDigest(intent, key, members), mac, ofAbsorbed } };
}

function claimedAlias({
  key,
  mac,
  ofAbsorbed,
}: NonNullable<RecordIdentity['alias']>): NonNullable<ClaimedIdentity['alias']> {
  const others = ofAbsorbed.map((other) => other.toString('hex'));
  return { key: key.toString('hex'), contentMac: mac.toString('hex'), ofAbsorbed: others };
}

/** The same identity as hex text, for judging. */
function claimedIdentity(identity: RecordIdentity): ClaimedIdentity {
  const { businessKey, businessMac, isEnrolment, alias } = identity;
  return {
    event: { key: identity.eventKey.toString('hex'), contentMac: identity.eventMac.toString('hex') },
    business:
      businessKey === null || businessMac === null
        ? null
        : { key: businessKey.toString('hex'), contentMac: businessMac.toString('hex'), isEnrolment },
    ...(alias && { alias: claimedAlias(alias) }),
    takesBack: identity.targetKeys.map((key) => key.toString('hex')),
  };
}

/** Keys of what a record wants cancelled: a void's purchase, a revocation's grant. */
export function cancelledKeys({ verdict }: PreparedRecord, members: KnownMembers): Buffer[] {
  if (verdict.kind !== 'routed') return [];
  return verdict.cancels.flatMap((cancel) =>
    cancel.target === 'everything-queued' ? [] : [businessDigest(cancel, cancel.target, members)],
  );
}

/** A sale without a card, with its key in `dedup`. */
export interface AnonymousSale {
  readonly key: Buffer;
  readonly receipt: AnonymousReceipt;
}

/** The sale without a card that a record tells; null: it tells none. */
export function anonymousSale({ verdict }: PreparedRecord, members: KnownMembers): AnonymousSale | null {
  if (verdict.kind !== 'ignored' || verdict.receipt === undefined) return null;
  const { receipt } = verdict;
  return { key: businessDigest({ program: receipt.program, memberId: nobody }, receipt.key, members), receipt };
}

/** Business keys of all that a record is or refers to: its own, what it wants cancelled, and a refund's purchase. */
function keysOf({ record, identity }: IdentifiedRecord, members: KnownMembers): Buffer[] {
  const { verdict } = record;
  if (identity === null || verdict.kind === 'quarantine') return [];
  if (verdict.kind === 'ignored') return [anonymousSale(record, members)].flatMap((sale) => sale?.key ?? []);
  const { businessKey, alias, targetKeys } = identity;
  const referred = verdict.intents.flatMap((intent) =>
    [intent.waitsFor, intent.ofReceipt?.key].flatMap((key) => (key ? [businessDigest(intent, key, members)] : [])),
  );
  return [
    ...(businessKey === null ? [] : [businessKey]),
    ...(alias ? [alias.key, ...alias.ofAbsorbed] : []),
    ...referred,
    ...targetKeys,
  ];
}

/** The lanes of what these records want cancelled: another member's, where a record names the wrong one. */
export function cancelledLanes(
  records: readonly PreparedRecord[],
  members: KnownMembers,
  known: ReadonlyMap<string, KnownIdentity>,
): number[] {
  const places = records
    .flatMap((record) => cancelledKeys(record, members))
    .map((key) => known.get(key.toString('hex'))?.place ?? null);
  return places.flatMap((place) => (place === null ? [] : [place.laneId]));
}

/**
 * A mark is what a void or revocation leaves of something that is not known yet (docs/decisions/0100): it has its row in `dedup`
 * under the business key of what it means, so that of two who record at once one sees the other, and becomes the identity
 * of that when it comes.
 */
export interface CancelMark {
  /** Of its row in `dedup`. */
  readonly key: Buffer;
  readonly reason: 'voided' | 'revoked';
  /** The lane of the member that it names, or in whom that one lived on when it came. */
  readonly laneId: number;
  /** Then the lane of whom it names; null: `laneId`. */
  readonly namedLaneId: number | null;
  /** Keyed digest of the amount that it names; null: none. */
  readonly totalMac: Buffer | null;
  readonly cause: RecordPosition & { readonly timeMs: number };
  /** The record, under the member's key; null: the member is erased. */
  readonly sealed: Buffer | null;
}

interface MarkRow {
  readonly key: Buffer;
  readonly lane_id: number;
  readonly named_lane_id: number | null;
  readonly reason: CancelMark['reason'];
  readonly total_mac: Buffer | null;
  readonly topic: string;
  readonly partition: number;
  readonly kafka_offset: number;
  readonly happened_at: number;
  readonly sealed: Buffer | null;
}

const findMarksStatement: SqlStatement = {
  name: 'find_cancel_marks',
  isRead: true,
  text: `
SELECT key, lane_id, named_lane_id, reason, total_mac, topic, partition, kafka_offset, happened_at, sealed
FROM cancel_mark WHERE key = ANY ($1::bytea[])`,
};

/** Marks by hex key, as everything is that is known of a key. */
export type CancelMarks = ReadonlyMap<string, CancelMark>;

/** The marks under keys of which `dedup` says that they are marks. */
async function findMarks(session: SqlSession, keys: readonly Uint8Array[]): Promise<CancelMarks> {
  if (keys.length === 0) return new Map();
  const { rows } = await session.query<MarkRow>(findMarksStatement, [keys]);
  return new Map(
    rows.map(({ key, lane_id: laneId, reason, total_mac: totalMac, sealed, ...row }) => {
      const { topic, partition, kafka_offset: offset, happened_at: timeMs, named_lane_id: namedLaneId } = row;
      const cause = { topic, partition, offset, timeMs };
      return [key.toString('hex'), { key, laneId, namedLaneId, reason, totalMac, cause, sealed }];
    }),
  );
}

/** What is about to be forgotten counts as forgotten: its digests go a while after the erasure. */
const findStatement: SqlStatement = {
  name: 'find_identities',
  isRead: true,
  text: `
SELECT d.key, d.kind, CASE WHEN e.lane_id IS NULL THEN d.body_mac ELSE ''::bytea END AS body_mac, d.lane_id, d.seq
FROM dedup d LEFT JOIN digest_erasure e ON e.lane_id = d.lane_id AND (d.seq IS NULL OR d.seq <= e.erased_seq)
WHERE d.key = ANY ($1::bytea[])`,
};

interface IdentityRow {
  readonly kind: IdentityToInsert['kind'];
  readonly key: Buffer;
  readonly body_mac: Buffer;
  readonly lane_id: number | null;
  readonly seq: number | null;
}

/** What is known of some keys, by hex key. */
export interface KnownKeys {
  /** Identities that were seen before. */
  readonly known: ReadonlyMap<string, KnownIdentity>;
  /** What is to be cancelled when it comes. */
  readonly marks: CancelMarks;
  /** Keys (hex) of what is waited for or to be cancelled: they stand in `dedup` without what they are of. True: it is to be cancelled. */
  readonly awaited: ReadonlyMap<string, boolean>;
}

/** The identities and marks among these keys. */
export async function findIdentities(session: SqlSession, keys: readonly Uint8Array[]): Promise<KnownKeys> {
  if (keys.length === 0) return { known: new Map(), marks: new Map(), awaited: new Map() };
  const { rows } = await session.query<IdentityRow>(findStatement, [keys]);
  const seen = rows.filter(({ kind }) => kind !== 'mark');
  const known = seen.map(({ key, body_mac: mac, lane_id: laneId, seq }): [string, KnownIdentity] => {
    const place = laneId === null || seq === null ? null : { laneId, seq };
    return [key.toString('hex'), { contentMac: mac.length === noDigest.length ? null : mac.toString('hex'), place }];
  });
  const marked = rows.filter(({ kind }) => kind === 'mark');
  const awaited = new Map(marked.map(({ key, body_mac: mac }) => [key.toString('hex'), mac.length > noDigest.length]));
  const marks = await findMarks(
    session,
    marked.map(({ key }) => key),
  );
  return { known: new Map(known), marks, awaited };
}

export interface IdentifiedRecord {
  readonly record: PreparedRecord;
  readonly identity: RecordIdentity | null;
}

/** A sale without a card. */
export interface Unclaimed {
  /** Exact decimal text; below 0: nobody has told of it, and so much came back. */
  readonly leftOver: string;
  /** By UTC, `2026-11-21`; null: nobody has told of it. */
  readonly soldOn: string | null;
}

/** The day of a time, by UTC. */
export const dayOf = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 10);

/** What is known of some records and of all that they refer to. */
export interface KnownRecords extends KnownKeys {
  /** What is left of sales without a card that have a sale's number, by hex key. */
  readonly unclaimed: ReadonlyMap<string, Unclaimed>;
}

/** What is known of these records and of all that they refer to. */
export async function findKnown(
  session: SqlSession,
  records: readonly IdentifiedRecord[],
  members: KnownMembers,
): Promise<KnownRecords> {
  const business = records.flatMap((record) => keysOf(record, members));
  const events = records.flatMap(({ identity }) => (identity === null ? [] : [identity.eventKey]));
  // In one round trip.
  const [keys, unclaimed] = await Promise.all([
    findIdentities(session, [...events, ...business]),
    findUnclaimed(session, salesIn(records)),
  ]);
  return { ...keys, unclaimed };
}

/** The key in `dedup` of a sale with a card; null: the record tells none. */
export function keyOfSale({ record: { verdict }, identity }: IdentifiedRecord): Buffer | null {
  const scope = verdict.kind === 'routed' ? verdict.intents[0]?.businessKey?.scope : undefined;
  return scope === 'purchase' ? (identity?.businessKey ?? null) : null;
}

const findUnclaimedStatement: SqlStatement = {
  name: 'find_unclaimed',
  isRead: true,
  text: `
SELECT key::text AS id, left_over::text AS "leftOver", sold_on::text AS "soldOn" FROM anonymous_receipt WHERE key = ANY ($1::bigint[])`,
};

/**
 * 64 bits of a receipt's key in `dedup`: the key is most of the room. That any of ten million returns meets another one of a
 * hundred million sales has a chance of 1 in 18,000.
 */
export const anonymousIdOf = (key: Buffer): string => key.readBigInt64BE().toString();

async function findUnclaimed(session: SqlSession, sales: readonly Buffer[]): Promise<ReadonlyMap<string, Unclaimed>> {
  if (sales.length === 0) return new Map();
  const { rows } = await session.query<Unclaimed & { id: string }>(findUnclaimedStatement, [sales.map(anonymousIdOf)]);
  if (rows.length === 0) return new Map();
  const names = new Map(sales.map((key) => [anonymousIdOf(key), key.toString('hex')]));
  return new Map(rows.map(({ id, ...unclaimed }) => [names.get(id) ?? '', unclaimed]));
}

/** The identities of records, in their order. */
export function identifyRecords(
  records: readonly PreparedRecord[],
  members: KnownMembers,
  identifying: Identifying,
): IdentifiedRecord[] {
  return records.map((record) => ({ record, identity: identityOf(record, members, identifying) }));
}

/** What is known of records whose members were not known yet, as if all were in their first generation. */
export interface EarlyLookup extends KnownRecords {
  readonly identified: readonly IdentifiedRecord[];
  /** Nothing was looked up: all count as new, which is proved where their keys are inserted. */
  readonly isUnseen: boolean;
}

const noMembers: KnownMembers = new Map();
const nothingKnown: KnownKeys = { known: new Map(), marks: new Map(), awaited: new Map() };

interface EarlyLook {
  readonly macKey: Uint8Array;
  readonly isUnseen: boolean;
}

/** Looks records up without waiting for what is known of their members: in the same round trip. */
export async function lookUpEarly(
  session: SqlSession,
  records: readonly PreparedRecord[],
  { macKey, isUnseen }: EarlyLook,
): Promise<EarlyLookup> {
  const identified = identifyRecords(records, noMembers, { macKey, absorbedBy: () => [] });
  const known = isUnseen
    ? { ...nothingKnown, unclaimed: await findUnclaimed(session, salesIn(identified)) }
    : await findKnown(session, identified, noMembers);
  return { identified, isUnseen, ...known };
}

const salesIn = (records: readonly IdentifiedRecord[]): Buffer[] =>
  records.flatMap((record) => keyOfSale(record) ?? []);

/** Whether an early lookup covers all of these records, and their members are in the generation that it assumed. */
export function holdsFor(
  lookup: EarlyLookup | null,
  records: readonly PreparedRecord[],
  members: KnownMembers,
): lookup is EarlyLookup {
  return (
    lookup?.identified.length === records.length && records.every((record) => isOfFirstGeneration(record, members))
  );
}

/** Some of these live on in others. */
const isFamily = (members: KnownMembers): boolean =>
  [...members.values()].some(({ membership }) => membership.mergedInto !== null);

function isOfFirstGeneration({ verdict }: PreparedRecord, members: KnownMembers): boolean {
  if (verdict.kind !== 'routed') return true;
  const { intents, cancels } = verdict;
  const isFirst = (owner: MemberName): boolean => generationOf(owner, members) === firstGeneration;
  const isSettled = (intent: RoutedIntent): boolean =>
    (intent.alias?.key.perLife !== true || lifeOf(intent, members) === firstLife) &&
    ((intent.businessKey?.perGeneration !== true && intent.waitsFor?.perGeneration !== true) || isFirst(intent));
  const mayBeAbsorbeds = (intent: RoutedIntent): boolean => intent.alias?.key.scope === 'campaign' && isFamily(members);
  return intents.every(isSettled) && !intents.some(mayBeAbsorbeds) && cancels.every(isFirst);
}

/** A record with what its identity makes of it. */
export type JudgedRecord =
  | { readonly record: PreparedRecord; readonly identity: null }
  | {
      readonly record: PreparedRecord;
      readonly identity: RecordIdentity;
      readonly verdict: IdentityVerdict;
      /** Of a changed enrolment: nothing of the first one can have taken effect, so that it is corrected. */
      readonly isCorrectable: boolean;
    };

/** Judges records in order, against what is known and against each other. */
export function judgeRecords(
  records: readonly IdentifiedRecord[],
  known: ReadonlyMap<string, KnownIdentity>,
): JudgedRecord[] {
  const claimed = records.flatMap(({ identity }) => (identity === null ? [] : [claimedIdentity(identity)]));
  const verdicts = judgeIdentities(claimed, known).values();
  return records.map(({ record, identity }) => {
    if (identity === null) return { record, identity };
    const verdict = verdicts.next().value ?? { kind: 'duplicate-event' };
    return { record, identity, verdict, isCorrectable: false };
  });
}

const insertStatement: SqlStatement = {
  name: 'insert_identities',
  text: `
INSERT INTO dedup (key, kind, body_mac, lane_id, seq, seen_on)
SELECT w.*, ($6::timestamptz)::date
FROM unnest($1::bytea[], $2::text[], $3::bytea[], $4::bigint[], $5::int[]) AS w (key, kind, mac, lane_id, seq)
ORDER BY w.key`,
};

export interface IdentityToInsert {
  readonly key: Uint8Array;
  readonly kind: 'event' | 'business' | 'mark' | 'place';
  readonly contentMac: Uint8Array;
  readonly laneId: number | null;
  readonly seq: number | null;
}

/** SQLSTATE `unique_violation`. */
const isThereAlready = '23505';

/**
 * Remembers identities, in key order so that two batches cannot deadlock. The first transaction keeps a second one waiting until
 * its commit; the second is then refused.
 * @throws {BatchRaceError} when one of them was recorded meanwhile: the whole batch is looked up again
 */
export async function insertIdentities(
  session: SqlSession,
  identities: readonly IdentityToInsert[],
  now: number,
): Promise<void> {
  if (identities.length === 0) return;
  const inserted = session.query(insertStatement, [
    identities.map((identity) => identity.key),
    identities.map((identity) => identity.kind),
    identities.map((identity) => identity.contentMac),
    int8Array(identities.map((identity) => identity.laneId)),
    int4Array(identities.map((identity) => identity.seq)),
    timestamp(now),
  ]);
  await inserted.catch((error: unknown) => {
    throw asRace(error, isThereAlready, 'identity');
  });
}

/** The known identities, where a member who enrolled again is compared with the last enrolment, not with the first. */
export function withLastEnrolments(
  known: ReadonlyMap<string, KnownIdentity>,
  members: KnownMembers,
): ReadonlyMap<string, KnownIdentity> {
  const last = [...members.values()].flatMap(({ enrolment }): [string, KnownIdentity][] => {
    if (enrolment === null) return [];
    const key = enrolment.key.toString('hex');
    const first = known.get(key);
    // Unknown: it was of an earlier generation.
    return first === undefined ? [] : [[key, { ...first, contentMac: enrolment.contentMac.toString('hex') }]];
  });
  return last.length === 0 ? known : new Map([...known, ...last]);
}

export function isChangedEnrolment(judged: JudgedRecord): boolean {
  return judged.identity !== null && judged.verdict.kind === 'enrolment-changed';
}

function enrolledAnew({ record, identity }: JudgedRecord, members: KnownMembers): Member[] {
  if (identity === null || record.verdict.kind !== 'routed') return [];
  const [intent] = record.verdict.intents;
  const { businessKey: key, businessMac: contentMac } = identity;
  const member = intent === undefined ? undefined : members.get(memberKey(intent));
  if (member === undefined || key === null || contentMac === null) return [];
  return [{ ...member, enrolment: { key, contentMac } }];
}

/**
 * Stores the content of repeated enrolments that changed something and were accepted: `results[i]` belongs to
 * `judged[i]`.
 */
export async function recordLastEnrolments(
  session: SqlSession,
  { judged, results }: { readonly judged: readonly JudgedRecord[]; readonly results: readonly RecordResult[] },
  members: MemberCache,
): Promise<void> {
  const taken = judged.filter((item, index) => isChangedEnrolment(item) && results[index]?.kind === 'recorded');
  const moved = taken.flatMap((item) => enrolledAnew(item, members.all));
  // Of a member who enrolled again twice in a batch the last one counts: an UPDATE that finds two rows for one takes any of them.
  const last = new Map(moved.map((member) => [member.laneId, member]));
  for (const member of last.values()) members.changed(member);
  await moveEnrolments(
    session,
    [...last.values()].flatMap(({ laneId, enrolment }) => (enrolment === null ? [] : [{ laneId, enrolment }])),
  );
}

const moveEnrolmentsStatement: SqlStatement = {
  name: 'move_enrolments',
  text: `
UPDATE member m SET enrolment_key = w.key, enrolment_mac = w.mac
FROM unnest($1::bigint[], $2::bytea[], $3::bytea[]) AS w (lane_id, key, mac)
WHERE m.lane_id = w.lane_id`,
};

interface EnrolmentMove {
  readonly laneId: number;
  readonly enrolment: LastEnrolment;
}

/** Stores the content of repeated enrolments. Their lanes are locked: no statement waits here. */
async function moveEnrolments(session: SqlSession, moves: readonly EnrolmentMove[]): Promise<void> {
  if (moves.length === 0) return;
  await session.query(moveEnrolmentsStatement, [
    int8Array(moves.map(({ laneId }) => laneId)),
    moves.map(({ enrolment }) => enrolment.key),
    moves.map(({ enrolment }) => enrolment.contentMac),
  ]);
}
