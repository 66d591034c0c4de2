import type { IdentityPlace, Operation, Priority, RoutedIntent } from '#intents/core';
import { defaultPriority, groupOf } from '#intents/core';
import type { SqlSession, SqlStatement } from '#platform';
import { int4Array, int8Array } from '#platform';

import { timestamp, timestamps } from '../events/stored-event.js';
import type { MemberKeys } from '../keys/member-keys.js';
import { sealPayload, sourceEventText } from '../keys/member-keys.js';
import { appendByOthers } from '../lanes/locked-lane.js';
import type { KnownKeys, RecordIdentity } from './identities.js';
import { businessDigest } from './identities.js';
import type { Member } from './members.js';
import { memberKey } from './members.js';
import type { PreparedRecord, RecordingContext } from './recording.js';
import { asRace } from './recording.js';

/** An intent that will be recorded, before it has a place. */
export interface IntentToPlace {
  readonly intent: RoutedIntent;
  readonly record: PreparedRecord;
  readonly identity: RecordIdentity;
  /** Only a record's first intent carries its identity. */
  readonly ownsIdentity: boolean;
  /** Its number stays free for another one: it has done nothing yet. */
  readonly usesNoNumber?: true;
  /** The sale of the refund that it takes back; absent: it takes none back. */
  readonly receipt?: Uint8Array | null;
}

/** A routed intent with the place it was given. */
export interface PlacedIntent {
  readonly laneId: number;
  readonly seq: number;
  readonly version: number;
  readonly dedupKey: Uint8Array;
  readonly waits: Wait;
  /** The sale's key in `dedup`, where it takes some of one back, or is one that something has waited for. */
  readonly receipt: Uint8Array | null;
  /** Seals the payload; still the member's where `erasedSeq` is. */
  readonly key: Uint8Array;
  readonly erasedSeq: number;
  /** As `erasedSeq`: who has left since was decided on as a member. */
  readonly generation: number;
  readonly intent: RoutedIntent;
  readonly record: PreparedRecord;
}

/** What an intent waits for: one of its lane, or the intent of a business key, once it is recorded. */
interface Wait {
  readonly seq: number | null;
  readonly key: Uint8Array | null;
}

/** What a batch adds to one lane. */
interface LaneExtension {
  readonly laneId: number;
  readonly program: string;
  readonly count: number;
  /** Position (1..count) of the last enrolment among the added intents, or null. */
  readonly issueRank: number | null;
  /** Where among them the last one of high, or of normal priority is, from 1; 0: none is. */
  readonly highRank: number;
  readonly normalRank: number;
}

interface ExtendedLane {
  /** The seq of the first added intent. */
  readonly firstSeq: number;
  readonly firstVersion: number;
}

/** Whether the last added enrolment goes first; NULL where none was added. */
const overtakes = `l.state = 'waiting' AND l.pass = 'absent' AND l.owner IS NULL
    AND lane_overtakes(l.tail_seq + EXCLUDED.issue_seq, l.cur_seq, l.head_seq, l.redo, l.ahead)`;

/**
 * Appends `count` intents to each lane: the dense seq is assigned here, under the lane's row lock, in lane order.
 * An idle lane becomes due. An enrolment that reaches a waiting lane without a pass goes first (design.md section 5),
 * unless the lane is leased: then its owner sees `issue_seq` when it records the waiting.
 */
const extendLanesStatement: SqlStatement = {
  name: 'extend_lanes',
  text: `
INSERT INTO lane AS l (lane_id, program_id, tail_seq, version, issue_seq, due_at, high_seq, normal_seq)
SELECT lane_id, program_id, added, added, issue_rank, $5::timestamptz, high_rank, normal_rank
FROM unnest($1::bigint[], $2::text[], $3::int[], $4::int[], $6::int[], $7::int[])
  AS w (lane_id, program_id, added, issue_rank, high_rank, normal_rank)
ORDER BY lane_id
ON CONFLICT (lane_id) DO UPDATE SET
  tail_seq = l.tail_seq + EXCLUDED.tail_seq,
  version = l.version + EXCLUDED.version,
  issue_seq = COALESCE(l.tail_seq + EXCLUDED.issue_seq, l.issue_seq),
  high_seq = CASE WHEN EXCLUDED.high_seq > 0 THEN l.tail_seq + EXCLUDED.high_seq ELSE l.high_seq END,
  normal_seq = CASE WHEN EXCLUDED.normal_seq > 0 THEN l.tail_seq + EXCLUDED.normal_seq ELSE l.normal_seq END,
  redo = CASE WHEN ${overtakes}
    THEN array_prepend(l.tail_seq + EXCLUDED.issue_seq, l.redo) ELSE l.redo END,
  cur_seq = CASE WHEN ${overtakes}
    THEN l.tail_seq + EXCLUDED.issue_seq ELSE l.cur_seq END,
  attempt = CASE WHEN ${overtakes}
    THEN 0 ELSE l.attempt END,
  revision = CASE WHEN ${overtakes}
    THEN l.revision + 1 ELSE l.revision END,
  state = CASE WHEN ${overtakes}
    THEN 'live' ELSE l.state END,
  due_at = CASE
    WHEN ${overtakes} THEN EXCLUDED.due_at
    WHEN l.state = 'live' THEN COALESCE(l.due_at, EXCLUDED.due_at)
    ELSE l.due_at END
RETURNING lane_id, tail_seq, version`,
};

/** Extends every lane by its count in one statement; lanes that do not exist yet are created. */
export async function extendLanes(
  session: SqlSession,
  extensions: readonly LaneExtension[],
  now: number,
): Promise<Map<number, ExtendedLane>> {
  if (extensions.length === 0) return new Map();
  const { rows } = await session.query<{ lane_id: number; tail_seq: number; version: number }>(extendLanesStatement, [
    int8Array(extensions.map((extension) => extension.laneId)),
    extensions.map((extension) => extension.program),
    int4Array(extensions.map((extension) => extension.count)),
    int4Array(extensions.map((extension) => extension.issueRank)),
    timestamp(now),
    int4Array(extensions.map((extension) => extension.highRank)),
    int4Array(extensions.map((extension) => extension.normalRank)),
  ]);
  const counts = new Map(extensions.map((extension) => [extension.laneId, extension.count]));
  return new Map(
    rows.map((row) => {
      const count = counts.get(row.lane_id) ?? 0;
      return [row.lane_id, { firstSeq: row.tail_seq - count + 1, firstVersion: row.version - count + 1 }];
    }),
  );
}

interface PlaceRequest extends KnownKeys {
  readonly intents: readonly IntentToPlace[];
  readonly members: ReadonlyMap<string, Member>;
  readonly now: number;
}

function isEnrolment(item: IntentToPlace): boolean {
  return groupOf(item.intent.operation) === 'issue';
}

function extensionOf(laneId: number, items: readonly IntentToPlace[]): LaneExtension {
  const issueRank = items.findLastIndex(isEnrolment) + 1;
  const program = items[0]?.intent.program ?? '';
  const lastOf = (priority: Priority): number => items.findLastIndex((item) => priorityOf(item) === priority) + 1;
  const ranks = { issueRank: issueRank === 0 ? null : issueRank, highRank: lastOf(0), normalRank: lastOf(1) };
  return { laneId, program, count: items.length, ...ranks };
}

const priorityOf = ({ intent: { priority, operation } }: IntentToPlace): Priority =>
  priority ?? defaultPriority(operation);

/** By one intent that is no event's own enrolment: it overtakes nothing by itself. */
export function extensionByOne(of: Pick<LaneExtension, 'laneId' | 'program'>, operation: Operation): LaneExtension {
  const priority = defaultPriority(operation);
  return { ...of, count: 1, issueRank: null, highRank: Number(priority === 0), normalRank: Number(priority === 1) };
}

interface KnownPlaces {
  readonly request: PlaceRequest;
  /** Business keys placed by this very batch. */
  readonly own: ReadonlyMap<string, IdentityPlace>;
}

const waitsForNothing: Wait = { seq: null, key: null };

/**
 * The purchase that a refund waits for: an earlier intent of the same lane, one of another member's, one that is to be
 * cancelled when it comes, or, where the refund says so, one that is not known yet.
 */
function waitOf({ intent }: IntentToPlace, laneId: number, { request, own }: KnownPlaces): Wait {
  if (intent.waitsFor === null) return waitsForNothing;
  const key = businessDigest(intent, intent.waitsFor, request.members);
  const name = key.toString('hex');
  const place = request.known.get(name)?.place ?? own.get(name);
  if (place?.laneId === laneId) return { seq: place.seq, key: null };
  const isKnown = place !== undefined || request.awaited.has(name);
  return isKnown || intent.awaitsUnknown === true ? { seq: null, key } : waitsForNothing;
}

/** Most sales are never taken back: only what must be found again by its receipt has that kept. */
function receiptOf(intent: RoutedIntent, { members, awaited }: PlaceRequest): Uint8Array | null {
  const { ofReceipt, businessKey } = intent;
  if (ofReceipt !== undefined) return businessDigest(intent, ofReceipt.key, members);
  if (awaited.size === 0 || businessKey?.scope !== 'purchase') return null;
  const key = businessDigest(intent, businessKey, members);
  return awaited.has(key.toString('hex')) ? key : null;
}

/** Gives each intent its lane, seq and version; the result is in the order of the request. */
export async function placeIntents(session: SqlSession, request: PlaceRequest): Promise<PlacedIntent[]> {
  const memberOf = (item: IntentToPlace): Member => {
    const member = request.members.get(memberKey(item.intent));
    if (member === undefined) throw new Error('an intent without a member cannot be placed');
    return member;
  };
  const owned = request.intents.map((item) => ({ item, member: memberOf(item) }));
  const groups = Map.groupBy(owned, ({ member }) => member.laneId);
  const extensions = [...groups].map(([laneId, group]) =>
    extensionOf(
      laneId,
      group.map(({ item }) => item),
    ),
  );
  const lanes = await extendLanes(session, extensions, request.now);
  const used = new Map<number, number>();
  const ownKeys = new Map<string, IdentityPlace>();
  const someWait = request.intents.some(({ intent }) => intent.waitsFor !== null);
  return owned.map(({ item, member: { laneId, erasedSeq, generation, key } }) => {
    const lane = lanes.get(laneId);
    if (lane === undefined || key === null) throw new Error('a lane was not extended, or has no key');
    const rank = used.get(laneId) ?? 0;
    used.set(laneId, rank + 1);
    const seq = lane.firstSeq + rank;
    const waits = waitOf(item, laneId, { request, own: ownKeys });
    if (someWait && item.identity.businessKey !== null) {
      ownKeys.set(item.identity.businessKey.toString('hex'), { laneId, seq });
    }
    const { intent, record, identity } = item;
    const version = lane.firstVersion + rank;
    const receipt = item.receipt ?? receiptOf(intent, request);
    const place = { laneId, seq, version, dedupKey: identity.eventKey, waits, receipt };
    return { ...place, key, erasedSeq, generation, intent, record };
  });
}

/**
 * An array that is shorter than the others gives NULL behind its end: what all rows have in common is sent once, and what none has not at
 * all. Of 500 sales it is half of the columns, 2 us an event here and 1 of the server (measured).
 */
const ofAll = <T>(values: readonly T[]): readonly T[] =>
  values.every((value) => value === values[0]) ? values.slice(0, 1) : values;

/** Of what may be NULL. */
const ifAny = <T>(values: readonly (T | null)[]): readonly (T | null)[] =>
  values.every((value) => value === null) ? [] : values;

/** SQL: a column that is never NULL, of an array as `ofAll` makes it. */
const orFirst = (column: string, array: string): string => `COALESCE(${column}, (${array})[1])`;

const insertIntentsStatement: SqlStatement = {
  name: 'insert_intents',
  text: `
INSERT INTO intent (lane_id, seq, version, operation, dedup_key, waits_for_seq, waits_for_key, payload, store_id,
  purchase_id, amount, currency, event_type, source, occurred_at, broker_at, kafka_offset, recorded_at, topic, partition,
  programs_hash, valid_until, receipt, previous_total, corrected_total)
SELECT w.lane_id, seq / (k.lane_id IS NOT NULL)::int, version, ${orFirst('operation', '$4::text[]')},
  dedup_key, waits_for_seq, waits_for_key, payload, store_id, purchase_id,
  amount, currency, ${orFirst('event_type', '$12::text[]')}, source, occurred_at, broker_at, kafka_offset,
  $16::timestamptz, ${orFirst('topic', '$17::text[]')}, ${orFirst('partition', '$18::int[]')}, $19, valid_until, receipt, previous_total, corrected_total
FROM unnest($1::bigint[], $2::int[], $3::int[], $4::text[], $5::bytea[], $6::int[], $7::bytea[], $8::text[], $9::text[],
  $10::numeric[], $11::text[], $12::text[], $13::timestamptz[], $14::timestamptz[], $15::bigint[], $20::int[],
  $21::text[], $22::bytea[], $17::text[], $18::int[], $23::timestamptz[], $24::int[], $25::bytea[], $26::numeric[], $27::numeric[])
  WITH ORDINALITY AS w (lane_id, seq, version, operation, dedup_key, waits_for_seq, payload, store_id, purchase_id,
    amount, currency, event_type, occurred_at, broker_at, kafka_offset, erased_seq, source, waits_for_key, topic, partition, valid_until, generation, receipt,
    previous_total, corrected_total, place)
LEFT JOIN member m ON m.lane_id = w.lane_id AND m.erased_seq = ${orFirst('w.erased_seq', '$20::int[]')}
  AND m.generation = ${orFirst('w.generation', '$24::int[]')}
LEFT JOIN member_key k ON k.lane_id = m.lane_id
ORDER BY w.place`,
};

/** SQLSTATE `division_by_zero`: the statement divides by whether the member's key and generation are still those that were read. */
const keyIsGone = '22012';

const structuredHeaders = JSON.stringify({ 'content-type': 'application/cloudevents+json' });

/** A record as it is sealed. The order to erase a person must not be what keeps something of that person. */
export function sourceText({ original, verdict, event }: PreparedRecord): string {
  if (verdict.kind === 'routed' && verdict.memberEffects?.erase === true) {
    return sourceEventText({ headers: '{}', value: '', traceparent: null });
  }
  const traceparent = verdict.kind === 'routed' ? (verdict.traceparent ?? null) : null;
  // What a map has made of a record once is what its intents are of, whatever the map says later.
  if (event !== undefined) return sourceEventText({ headers: structuredHeaders, value: event.text, traceparent });
  const value = original.value === null ? '' : textOf(original.value);
  return sourceEventText({ headers: original.headersText, value, traceparent });
}

/** Without copying the bytes first, as `Buffer.from(bytes)` does. */
function textOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8');
}

/** Epoch ms: when it happened at the till. */
export function occurredAt({ verdict, original }: PreparedRecord): number {
  return verdict.kind === 'routed' ? verdict.occurredAt : original.brokerAt;
}

/**
 * Inserts the intents of a batch, payloads sealed with each member's key. The lanes are locked.
 * @throws {BatchRaceError} when a member was erased, or has left, since its row was read
 */
export async function insertIntents(
  session: SqlSession,
  request: { readonly placed: readonly PlacedIntent[]; readonly context: RecordingContext },
  keys: MemberKeys,
): Promise<void> {
  const { placed, context } = request;
  if (placed.length === 0) return;
  const tallied = placed.map(({ intent: { program, operation }, record }) => {
    const { topic, partition } = context.sourceOf(record.original);
    return { topic, partition, program, operation };
  });
  const inserted = session.query(insertIntentsStatement, [
    int8Array(placed.map((item) => item.laneId)),
    int4Array(placed.map((item) => item.seq)),
    int4Array(placed.map((item) => item.version)),
    ofAll(placed.map((item) => item.intent.operation)),
    placed.map((item) => item.dedupKey),
    int4Array(ifAny(placed.map((item) => item.waits.seq))),
    placed.map((item) =>
      sealPayload(keys, item, { command: JSON.stringify(item.intent.command), sourceEvent: sourceText(item.record) }),
    ),
    placed.map((item) => item.intent.facts.storeId ?? null),
    placed.map((item) => item.intent.facts.purchaseId ?? null),
    placed.map((item) => item.intent.facts.amount ?? null),
    placed.map((item) => item.intent.facts.currency ?? null),
    ofAll(placed.map((item) => (item.record.verdict.kind === 'routed' ? item.record.verdict.eventType : ''))),
    timestamps(placed.map((item) => occurredAt(item.record))),
    timestamps(placed.map((item) => item.record.original.brokerAt)),
    int8Array(placed.map((item) => item.record.original.offset)),
    timestamp(context.now),
    ofAll(tallied.map(({ topic }) => topic)),
    int4Array(ofAll(tallied.map(({ partition }) => partition))),
    context.programsHash,
    int4Array(ofAll(placed.map((item) => item.erasedSeq))),
    placed.map((item) => (item.record.verdict.kind === 'routed' ? item.record.verdict.eventSource : null)),
    ifAny(placed.map((item) => item.waits.key)),
    ifAny(placed.map((item) => item.intent.facts.validUntil ?? null)),
    int4Array(ofAll(placed.map((item) => item.generation))),
    ifAny(placed.map((item) => item.receipt)),
    ifAny(placed.map((item) => item.intent.corrects?.previous ?? null)),
    ifAny(placed.map((item) => item.intent.corrects?.total ?? null)),
  ]);
  const noRace = inserted.catch((error: unknown) => {
    throw asRace(error, keyIsGone, 'member');
  });
  await Promise.all([noRace, tallyIntents(session, tallied)]);
}

/**
 * A partition's rows are written under the lock of its offset, so that recordings wait for each other
 * only where an operator resubmits a record.
 */
const tallyStatement: SqlStatement = {
  name: 'tally_intents',
  text: `
INSERT INTO intent_tally AS t (topic, partition, program_id, operation, recorded)
SELECT topic, partition, program_id, operation, recorded
FROM unnest($1::text[], $2::int[], $3::text[], $4::text[], $5::bigint[])
  AS w (topic, partition, program_id, operation, recorded)
ORDER BY topic, partition, program_id, operation
ON CONFLICT (topic, partition, program_id, operation) DO UPDATE SET recorded = t.recorded + EXCLUDED.recorded`,
};

/** What is counted of an intent. */
interface TalliedIntent extends Pick<RoutedIntent, 'program' | 'operation'> {
  readonly topic: string;
  readonly partition: number;
}

/** Counts what is being recorded, with what its partitions have brought before: ten million rows cannot be counted each time. */
export async function tallyIntents(session: SqlSession, intents: readonly TalliedIntent[]): Promise<void> {
  const keyOf = ({ topic, partition, program, operation }: TalliedIntent): string =>
    JSON.stringify([topic, partition, program, operation]);
  const groups = [...Map.groupBy(intents, keyOf).values()];
  const firsts = groups.flatMap((group) => group.slice(0, 1));
  await session.query(tallyStatement, [
    firsts.map(({ topic }) => topic),
    int4Array(firsts.map(({ partition }) => partition)),
    firsts.map(({ program }) => program),
    firsts.map(({ operation }) => operation),
    groups.map(({ length }) => length),
  ]);
}

/** Intents that no call can carry (unroutable, merged), or that are of no member any more, are parked as they are recorded, for an operator. */
export async function parkOnRecord(
  session: SqlSession,
  request: { readonly placed: readonly PlacedIntent[]; readonly now: number },
  keys: MemberKeys,
): Promise<void> {
  for (const { laneId, seq, key, intent } of request.placed) {
    if (intent.parked === null) continue;
    const { detail, ...why } = intent.parked;
    const event = { type: 'IntentParked', at: request.now, ...why, lane: 'continue' } as const;
    const evidence = JSON.stringify({ detail });
    await appendByOthers(session, { laneId, seq, key, event, evidence, settles: true }, keys);
  }
}
