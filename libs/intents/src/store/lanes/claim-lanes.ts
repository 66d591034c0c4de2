import type { EventPlanner, IdentityPlace, IntentState, Operation, Priority, PurchaseStatus } from '#intents/core';
import { answersKnownPass, evolve, initialIntentState, PRIORITIES, unknownInLostHistory } from '#intents/core';
import type { Database, SqlSession, SqlStatement } from '#platform';
import { int4Array, int8Array } from '#platform';

import type { StoredMarks } from '../batch/members.js';
import { marksOf } from '../batch/members.js';
import type { LoadedEventRow } from '../events/stored-event.js';
import { lastCorrectionIn, loadEvents, timestamp, toEvent } from '../events/stored-event.js';
import type { MemberKeys } from '../keys/member-keys.js';
import { loadRepeated } from '../operator/load-planned.js';
import { findPassNames } from '../passes/pass-names.js';
import { boundedLimit, claimRecordedStatement, claimStatement, findBegunStatement } from './claim-statement.js';
import type { AwaitedPurchase, ClaimedIntent, ClaimedLane, PassKnowledge, SealedContent } from './claimed-lane.js';
import {
  quietPeriodsBeforeReads,
  endedPurchases,
  findTakenBack,
  findAwaited,
  openClaimed,
  placeKey,
} from './claimed-lane.js';
import type { RepeatedUpdate } from './plan-claimed.js';
import { isReissued, planStored } from './plan-claimed.js';

/** One program's lanes, to see when the next one comes due. */
export type LaneLook = Pick<ClaimRequest, 'program' | 'floors'>;

/**
 * When the next lane of a program comes due; no row: none is to come. All are SQL expressions.
 * @param floors one for each priority, the highest first
 */
export const nextDueLane = (program: string, floors: readonly [string, string, string]): string => `
SELECT due_at FROM (VALUES (0, ${floors[0]}), (1, ${floors[1]}), (2, ${floors[2]})) AS p (level, floor)
CROSS JOIN LATERAL (SELECT due_at FROM lane
  WHERE program_id = ${program} AND priority = p.level AND due_at >= p.floor ORDER BY due_at LIMIT 1) l
ORDER BY due_at LIMIT 1`;

const nextDueStatement: SqlStatement = {
  name: 'next_due_lane',
  text: nextDueLane('$1', ['$2::timestamptz', '$3::timestamptz', '$4::timestamptz']),
};

/** Lanes due earlier are passed over, by priority: skips dead index entries; null looks everywhere. Epoch ms. */
export type LaneFloors = readonly [high: number | null, normal: number | null, low: number | null];

/** As Postgres reads them. */
export const floorTexts = (floors: LaneFloors): string[] =>
  floors.map((floor) => (floor === null ? '-infinity' : timestamp(floor)));

/**
 * When the next lane of a program comes due, lanes under a lease included: when that ends. For who has found none due.
 * @returns epoch ms; Infinity: none is to come
 */
export async function nextDueAt(database: Database, { program, floors }: LaneLook): Promise<number> {
  const parameters = [program, ...floorTexts(floors)];
  const { rows } = await database.execute<{ readonly due_at: number }>(nextDueStatement, parameters);
  return rows[0]?.due_at ?? Infinity;
}

export interface ClaimRequest {
  readonly program: string;
  readonly now: number;
  readonly leaseUntil: number;
  readonly owner: string;
  /** Lanes at most. */
  readonly limit: number;
  readonly floors: LaneFloors;
  /** Which priority is taken first, second and third. Absent: the highest first. */
  readonly order?: readonly Priority[];
  /** Whether what the partner calls their passes is loaded for all calls, and not only for those that it answers with the pass. */
  readonly namesPasses?: boolean;
  /** Plans anew what has not left yet; absent: everything is sent as it was recorded. */
  readonly planner?: EventPlanner;
  /** Of which lanes the first attempt begins with the lease; absent: of none. */
  readonly begins?: BeginsWithLease;
}

/** What a claim may begin, unread: new heads of lanes that need no look, the first ones due. */
export interface BeginsWithLease {
  /** Lanes at most. */
  readonly max: number;
  /** Of these operations alone. */
  readonly operations: readonly Operation[];
}

/** Whose claim it was, and what is read with it. */
export type BegunRequest = Pick<ClaimRequest, 'program' | 'now' | 'leaseUntil' | 'owner' | 'namesPasses' | 'planner'>;

interface ClaimRow {
  readonly lane_id: number;
  readonly member_id: string;
  readonly wrapped_key: Buffer | null;
  readonly epoch: number;
  readonly revision: number;
  readonly head_seq: number;
  readonly tail_seq: number;
  readonly cur_seq: number;
  readonly attempt: number;
  readonly attempt_open: boolean;
  readonly open_since: number | null;
  readonly redo: number[];
  readonly ahead: number[];
  readonly pass: PassKnowledge;
  readonly state: string;
  readonly seq: number | null;
  readonly operation: Operation;
  /** Null for what an erasure covers. */
  readonly payload: Buffer | null;
  readonly recorded_at: number;
  readonly broker_at: number;
  readonly waits_for_seq: number | null;
  readonly waits_for_key: Buffer | null;
  readonly event_type: string;
  readonly store_id: string | null;
  readonly source: string | null;
  readonly programs_hash: Buffer;
  readonly forgotten_before: number | null;
  readonly was_due_at: number;
  readonly priority: Priority;
  /** The claim has begun its first attempt. */
  readonly is_begun: boolean;
  readonly never_enrolled: boolean | null;
  readonly opts_out: boolean | null;
  readonly is_erasing: boolean | null;
  readonly follows_enrolment: boolean | null;
  readonly takes_back: boolean | null;
  readonly is_grant: boolean | null;
  readonly is_awaited: boolean | null;
  readonly held_sale: number | null;
  /** Of an enrolment that another file than the planner's has routed. */
  readonly profile_marks: StoredMarks | null;
}

type EventsByPlace = ReadonlyMap<string, readonly LoadedEventRow[]>;

/** What is known of intents that have lived through something, by place. */
interface History {
  readonly events: EventsByPlace;
  /** What intents wait for that do not know its place, by business key as hex. */
  readonly awaited: ReadonlyMap<string, AwaitedPurchase>;
  readonly quietPeriodMs: ReadonlyMap<string, number>;
  /** Sales of rewards that were voided too late to cancel them, by place. */
  readonly takenBack: ReadonlySet<string>;
}

/** An intent that has lived through something: its state must be folded from its events. */
function hasHistory(row: ClaimRow): boolean {
  if (row.is_begun) return false;
  return row.attempt > 0 || row.revision > 0 || row.state !== 'live' || row.forgotten_before !== null;
}

function sealedContent(row: ClaimRow, events: readonly LoadedEventRow[]): SealedContent {
  const correction = lastCorrectionIn(events);
  return {
    ...{ laneId: row.lane_id, seq: row.seq ?? 0 },
    ...{ wrappedKey: row.wrapped_key, payload: row.payload, correction },
  };
}

/** The status of the purchase that a refund waits for, folded from that purchase's own events. */
function waitsForOf(row: ClaimRow, history: History): ClaimedIntent['waitsFor'] {
  const { lane_id: laneId, seq: own, waits_for_seq: seq, waits_for_key: key } = row;
  if (seq !== null) return { place: { laneId, seq }, status: purchaseStatus({ laneId, seq }, history) };
  if (key === null) return null;
  const recordedAt = row.takes_back === true || row.is_grant === true ? null : row.recorded_at;
  return awaitedBy({ laneId, seq: own ?? 0, recordedAt }, history.awaited.get(key.toString('hex')), history);
}

/** The same of a reward: not for a sale that was taken back, unless a person, who has seen that, sends it. */
function goesAfter(row: ClaimRow, history: History): ClaimedIntent['waitsFor'] {
  const waitsFor = waitsForOf(row, history);
  const { place = null, status } = waitsFor ?? {};
  if (row.is_grant !== true || place === null || status !== 'delivered') return waitsFor;
  const isSeen = (history.events.get(placeKey(row.lane_id, row.seq)) ?? []).some(
    ({ type, data }) => type === 'IntentParked' && data?.['reason'] === 'conflict',
  );
  const isTakenBack = !isSeen && history.takenBack.has(placeKey(place.laneId, place.seq));
  return isTakenBack ? { place, status: 'taken-back' } : waitsFor;
}

/** Of rewards, the sales that they name. */
function salesOfGrants(rows: readonly ClaimRow[], awaited: History['awaited']): readonly IdentityPlace[] {
  return rows.flatMap(({ lane_id: laneId, is_grant: isGrant, waits_for_seq: seq, waits_for_key: key }) => {
    if (isGrant !== true) return [];
    if (seq !== null) return [{ laneId, seq }];
    return key === null ? [] : (awaited.get(key.toString('hex'))?.place ?? []);
  });
}

/** `recordedAt`: null for what goes after its purchase whosever that is. */
type Awaiting = IdentityPlace & { readonly recordedAt: number | null };

function awaitedBy(
  refund: Awaiting,
  awaited: AwaitedPurchase | undefined,
  history: History,
): NonNullable<ClaimedIntent['waitsFor']> {
  if (awaited === undefined || awaited.place === null) {
    return { place: null, status: awaited?.isMarked === true ? 'gone' : 'unknown' };
  }
  const { place } = awaited;
  const status = purchaseStatus(place, history);
  if (status === 'gone') return { place, status };
  const isPassed = isSomebodyElses(awaited, refund) || (isUnsettled(status) && isBehind(place, refund));
  return { place, status: isPassed ? 'behind' : status };
}

/**
 * It came after its refund, and is not of whom that named: a refund is its purchase's member's, so that a person must look. What is
 * known when the refund comes leads it to its own lane, unless that member was absorbed. Which of two transactions began first does
 * not tell which of them saw the other.
 */
function isSomebodyElses({ place, recordedAt, isAbsorbed }: AwaitedPurchase, refund: Awaiting): boolean {
  if (place?.laneId === refund.laneId || refund.recordedAt === null) return false;
  return !isAbsorbed || (recordedAt ?? 0) >= refund.recordedAt;
}

const isUnsettled = (status: PurchaseStatus): boolean => ['open', 'parked', 'held'].includes(status);

const isBehind = (purchase: IdentityPlace, refund: IdentityPlace): boolean =>
  purchase.laneId === refund.laneId && purchase.seq > refund.seq;

function purchaseStatus({ laneId, seq }: IdentityPlace, { events: all }: History): PurchaseStatus {
  const recorded = evolve(initialIntentState, { type: 'IntentRecorded', at: 0 });
  const events = all.get(placeKey(laneId, seq)) ?? [];
  const state = events.reduce((before, event) => evolve(before, toEvent(event)), recorded);
  if (state.status === 'parked') return state.reason === 'held' ? 'held' : 'parked';
  if (state.status === 'delivered') return 'delivered';
  return state.status === 'cancelled' ? 'gone' : 'open';
}

function stateAfterRecovery({ forgotten_before: forgottenBefore }: ClaimRow, state: IntentState): IntentState {
  return forgottenBefore === null ? state : unknownInLostHistory(state, forgottenBefore);
}

function originOf({ store_id: storeId, source }: ClaimRow): Pick<ClaimedIntent, 'storeId' | 'source'> {
  return { ...(storeId === null ? {} : { storeId }), ...(source === null ? {} : { source }) };
}

function goesWithOf(row: ClaimRow): Pick<ClaimedIntent, 'takesBack' | 'isGrant' | 'heldSale'> {
  const { lane_id: laneId, held_sale: seq } = row;
  return {
    ...(row.takes_back === true && { takesBack: true }),
    ...(row.is_grant === true && { isGrant: true }),
    ...(seq !== null && { heldSale: { laneId, seq } }),
  };
}

/** What it sends, with what it is by now. */
function contentOf(
  row: ClaimRow,
  { events, state }: { readonly events: readonly LoadedEventRow[]; readonly state: IntentState },
  { request: { planner }, keys, repeated }: ClaimTools,
): ReturnType<typeof openClaimed> & Pick<ClaimedIntent, 'plannedAnew'> {
  const opened = openClaimed(sealedContent(row, events), keys);
  const { payload, wrapped_key: wrapped } = row;
  const { command: current } = opened;
  if (planner === undefined || current === null || payload === null || wrapped === null) return opened;
  const place = { laneId: row.lane_id, seq: row.seq ?? 0, key: keys.learn(row.lane_id, wrapped) };
  const programsHash = row.programs_hash.toString('hex');
  const marks = row.profile_marks === null ? null : marksOf(row.profile_marks, null);
  const stored = {
    place,
    payload,
    programsHash,
    recordedAt: row.recorded_at,
    corrections: events,
    state,
    current,
    marks,
    repeated: repeated.get(placeKey(row.lane_id, row.seq)) ?? [],
  };
  const planned = planStored({ ...stored, isForgotten: row.forgotten_before !== null }, planner, keys);
  return planned === null ? opened : { ...opened, command: planned.command, plannedAnew: planned.evidence };
}

interface ClaimTools {
  readonly request: BegunRequest;
  readonly keys: MemberKeys;
  /** How the cards were changed that enrolments make anew, by the enrolment's place. */
  readonly repeated: ReadonlyMap<string, readonly RepeatedUpdate[]>;
}

function toIntent(row: ClaimRow, history: History, tools: ClaimTools): ClaimedIntent {
  const recorded = evolve(initialIntentState, { type: 'IntentRecorded', at: row.recorded_at });
  const place = placeKey(row.lane_id, row.seq);
  const events = history.events.get(place) ?? [];
  const quietPeriodMs = history.quietPeriodMs.get(place);
  const state = stateAfterRecovery(
    row,
    events.reduce((before, event) => evolve(before, toEvent(event)), recorded),
  );
  return {
    seq: row.seq ?? 0,
    operation: row.operation,
    ...contentOf(row, { events, state }, tools),
    state,
    recordedAt: row.recorded_at,
    brokerAt: row.broker_at,
    waitsFor: goesAfter(row, history),
    eventType: row.event_type,
    ...originOf(row),
    ...(quietPeriodMs === undefined ? {} : { quietPeriodMs }),
    ...(row.forgotten_before === null ? {} : { forgottenBefore: row.forgotten_before }),
    ...(row.never_enrolled === true ? { neverEnrolled: true } : {}),
    ...(row.opts_out === true ? { optsOut: true } : {}),
    ...(row.is_erasing === true ? { isErasing: true } : {}),
    ...(row.follows_enrolment === true ? { followsEnrolment: true } : {}),
    ...goesWithOf(row),
    ...(row.is_awaited === true ? { isAwaited: true } : {}),
  };
}

function toLane(row: ClaimRow, intents: readonly ClaimedIntent[], { request, keys }: ClaimTools): ClaimedLane {
  const key = row.wrapped_key === null ? null : keys.learn(row.lane_id, row.wrapped_key);
  return { ...laneOf(row, intents, request), key };
}

function laneOf(row: ClaimRow, intents: readonly ClaimedIntent[], request: BegunRequest): Omit<ClaimedLane, 'key'> {
  return {
    laneId: row.lane_id,
    program: request.program,
    memberId: row.member_id,
    epoch: row.epoch,
    revision: row.revision,
    cursor: { head: row.head_seq, tail: row.tail_seq, current: row.cur_seq, redo: row.redo, ahead: row.ahead },
    ...attemptOf(row),
    pass: row.pass,
    priority: row.priority,
    leaseUntil: request.leaseUntil,
    claimedAt: request.now,
    intents: new Map(intents.map((intent) => [intent.seq, intent])),
  };
}

/** Of what the claim has begun, as it was before. */
function attemptOf(row: ClaimRow): Pick<ClaimedLane, 'attempt' | 'attemptOpen' | 'openSince' | 'begunAt'> {
  const { attempt, attempt_open: attemptOpen, open_since: openSince } = row;
  if (!row.is_begun || openSince === null) return { attempt, attemptOpen, openSince };
  return { attempt: 0, attemptOpen: false, openSince: null, begunAt: openSince };
}

/** Lanes under our lease. A lane that cannot be opened (damaged bytes, a lost master key) stays leased and is reported. */
export interface ClaimResult {
  readonly lanes: readonly ClaimedLane[];
  readonly unreadable: readonly { readonly laneId: number; readonly error: unknown }[];
  /** What was taken of each priority; those for which there was no room left are not in it. */
  readonly taken: ReadonlyMap<Priority, TakenLanes>;
}

export interface TakenLanes {
  /** 0: none was due. */
  readonly lanes: number;
  /** When the first of them was due, epoch ms; null: there is none. */
  readonly firstDueAt: number | null;
}

/**
 * Leases up to `limit` due lanes of one program and loads their next intents, decrypted, with their state.
 * Other claimers' rows are skipped, never waited for. A lane whose owner died is due again by itself. One unreadable
 * lane never costs the others: it comes back when its lease ends.
 */
export async function claimLanes(database: Database, request: ClaimRequest, keys: MemberKeys): Promise<ClaimResult> {
  const { order = PRIORITIES, begins } = request;
  const floors = floorTexts(request.floors);
  const { rows } = await database.execute<ClaimRow>(claimStatement(request.limit), [
    request.program,
    timestamp(request.now),
    order.map((priority) => floors[priority] ?? '-infinity'),
    timestamp(request.leaseUntil),
    request.owner,
    int4Array(order),
    hashOf(request),
    begins?.operations ?? [],
    begins?.max ?? 0,
  ]);
  const taken = takenOf(rows, order, boundedLimit(request.limit));
  return { ...(await openClaimedLanes(database, { rows, request }, keys)), taken };
}

/**
 * The lanes that a claim with this lease has begun, as it would have brought them: for whoever was not answered. They are sent, or
 * withdrawn, by the process that claimed them; else the end of the lease would leave each in doubt.
 */
export async function findBegun(
  database: Database,
  request: BegunRequest,
  keys: MemberKeys,
): Promise<Omit<ClaimResult, 'taken'>> {
  const { program, leaseUntil, owner } = request;
  const parameters = [program, timestamp(leaseUntil), owner, hashOf(request)];
  const { rows } = await database.execute<ClaimRow>(findBegunStatement, parameters);
  return openClaimedLanes(database, { rows, request }, keys);
}

/** Lanes of one program, as the transaction leased them that recorded their intents. They can be opened once it is committed. */
export interface RecordedLanes {
  readonly request: RecordedRequest;
  readonly rows: readonly ClaimRow[];
}

/** Whose lease it is, and what it may begin. */
export type RecordedRequest = BegunRequest & { readonly begins: BeginsWithLease };

/** Leases and begins what needs no look of these lanes, to which this very transaction has added. The others stay as they are. */
export async function claimRecorded(
  session: SqlSession,
  laneIds: readonly number[],
  request: RecordedRequest,
): Promise<RecordedLanes> {
  const { program, now, leaseUntil, owner, begins } = request;
  const { rows } = await session.query<ClaimRow>(claimRecordedStatement, [
    program,
    timestamp(now),
    int8Array(laneIds),
    timestamp(leaseUntil),
    owner,
    begins.max,
    hashOf(request),
    begins.operations,
  ]);
  return { request, rows };
}

/** As a claim would have brought them. */
export function openRecorded(
  database: Database,
  lanes: RecordedLanes,
  keys: MemberKeys,
): Promise<Omit<ClaimResult, 'taken'>> {
  return openClaimedLanes(database, lanes, keys);
}

const hashOf = ({ planner }: Pick<ClaimRequest, 'planner'>): Buffer | null =>
  planner === undefined ? null : Buffer.from(planner.programsHash, 'hex');

interface ReadLanes {
  readonly rows: readonly ClaimRow[];
  readonly request: BegunRequest;
}

async function openClaimedLanes(
  database: Database,
  { rows, request }: ReadLanes,
  keys: MemberKeys,
): Promise<Omit<ClaimResult, 'taken'>> {
  const history = await historyOf(database, rows);
  const repeated = await repeatedOf(database, { rows, history, planner: request.planner }, keys);
  const opened = openLanes(rows, history, { request, keys, repeated });
  const withKey = opened.lanes.flatMap((lane) => {
    const { laneId, key, pass } = lane;
    const isNamed = request.namesPasses === true || isAnsweredWithPass(lane);
    return key === null || pass !== 'known' || !isNamed ? [] : [{ laneId, key }];
  });
  if (withKey.length === 0) return opened;
  const names = await findPassNames(database, withKey, keys);
  const lanes = opened.lanes.map((lane) => {
    const named = names.get(lane.laneId);
    return named === undefined ? lane : { ...lane, named };
  });
  return { ...opened, lanes };
}

/** Nothing is asked where no card is made anew. */
async function repeatedOf(
  database: Database,
  {
    rows,
    history,
    planner,
  }: { readonly rows: readonly ClaimRow[]; readonly history: History; readonly planner: EventPlanner | undefined },
  keys: MemberKeys,
): Promise<ClaimTools['repeated']> {
  if (planner === undefined) return new Map();
  const reissued = rows.flatMap(({ lane_id: laneId, seq }) =>
    seq !== null && isReissued(history.events.get(placeKey(laneId, seq)) ?? []) ? [{ laneId, seq }] : [],
  );
  return loadRepeated(database, reissued, { planner, keys });
}

function takenOf(rows: readonly ClaimRow[], order: readonly Priority[], limit: number): ClaimResult['taken'] {
  const taken = new Map<Priority, TakenLanes>();
  let room = limit;
  for (const priority of order) {
    if (room <= 0) break;
    const lanes = new Map(rows.filter((row) => row.priority === priority).map((row) => [row.lane_id, row.was_due_at]));
    taken.set(priority, { lanes: lanes.size, firstDueAt: lanes.size === 0 ? null : Math.min(...lanes.values()) });
    room -= lanes.size;
  }
  return taken;
}

/** Whether some call of the lane is answered with the pass, which must be the one that the partner has shown. */
function isAnsweredWithPass({ intents }: ClaimedLane): boolean {
  return [...intents.values()].some(({ operation }) => answersKnownPass(operation));
}

function openLanes(rows: readonly ClaimRow[], history: History, tools: ClaimTools): Omit<ClaimResult, 'taken'> {
  const lanes: ClaimedLane[] = [];
  const unreadable: { laneId: number; error: unknown }[] = [];
  for (const [laneId, group] of Map.groupBy(rows, (row) => row.lane_id)) {
    try {
      lanes.push(openLane(group as [ClaimRow, ...ClaimRow[]], history, tools));
    } catch (error) {
      unreadable.push({ laneId, error });
      if (group[0]?.is_begun === true) lanes.push(closedLane(group, tools));
    }
  }
  return { lanes, unreadable };
}

async function historyOf(database: Database, rows: readonly ClaimRow[]): Promise<History> {
  const byPlace = ({ lane_id: laneId, seq }: LoadedEventRow): string => placeKey(laneId, seq);
  const awaited = await findAwaited(database, rows);
  const elsewhere = [...awaited.values()].flatMap(({ place }) => place ?? []);
  const loaded = await loadEvents(database, placesOf(rows, elsewhere));
  const quietPeriodMs = await quietPeriodsBeforeReads(database, Map.groupBy(loaded, byPlace));
  const ended = await endedPurchases(database, { rows, elsewhere, known: loaded });
  const voided = await findTakenBack(database, salesOfGrants(rows, awaited));
  const takenBack = new Set(voided.map(({ laneId, seq }) => placeKey(laneId, seq)));
  return { events: Map.groupBy([...loaded, ...ended], byPlace), awaited, quietPeriodMs, takenBack };
}

/** The intents whose events are needed, each once: a purchase may be claimed itself and be waited for. */
function placesOf(rows: readonly ClaimRow[], elsewhere: readonly IdentityPlace[]): readonly IdentityPlace[] {
  const own = rows.filter(hasHistory).map((row) => ({ laneId: row.lane_id, seq: row.seq ?? 0 }));
  const purchases = rows.flatMap(({ lane_id: laneId, waits_for_seq: seq }) => (seq === null ? [] : [{ laneId, seq }]));
  const wanted = [...own, ...purchases, ...elsewhere];
  const byKey = new Map(wanted.map((place) => [placeKey(place.laneId, place.seq), place]));
  return [...byKey.values()];
}

function openLane(rows: readonly [ClaimRow, ...ClaimRow[]], history: History, tools: ClaimTools): ClaimedLane {
  const intents = rows.filter((row) => row.seq !== null).map((row) => toIntent(row, history, tools));
  return toLane(rows[0], intents, tools);
}

/** One that was begun, and cannot be opened: nothing is known of it but that it must be withdrawn. */
function closedLane(rows: readonly ClaimRow[], { request }: ClaimTools): ClaimedLane {
  const row = rows.find(({ seq, cur_seq: current }) => seq === current) ?? rows[0];
  if (row === undefined) throw new Error('a lane without a row');
  const { operation, recorded_at: recordedAt, broker_at: brokerAt } = row;
  const state = evolve(initialIntentState, { type: 'IntentRecorded', at: recordedAt });
  const intent = { seq: row.cur_seq, operation, state, command: null, recordedAt, brokerAt, waitsFor: null };
  return { ...laneOf(row, [intent], request), key: null };
}

const releaseLanesStatement: SqlStatement = {
  name: 'release_lanes',
  text: `
WITH held AS MATERIALIZED (
  SELECT l.lane_id FROM lane l
  JOIN unnest($1::bigint[], $2::int[]) AS r (lane_id, epoch) ON r.lane_id = l.lane_id AND r.epoch = l.epoch
  WHERE NOT l.attempt_open AND l.owner = $4::uuid
  ORDER BY l.lane_id
  FOR NO KEY UPDATE OF l
)
UPDATE lane SET owner = NULL,
  due_at = CASE WHEN cur_seq <= tail_seq AND state <> 'blocked' THEN $3::timestamptz END
WHERE lane_id = ANY (ARRAY(SELECT lane_id FROM held))`,
};

/** Gives back leases of lanes in which nothing is open, so that others need not wait for the lease to end. */
export async function releaseLanes(
  database: Database,
  request: {
    readonly lanes: readonly { readonly laneId: number; readonly epoch: number }[];
    readonly owner: string;
    readonly now: number;
  },
): Promise<number> {
  const { rowCount } = await database.execute(releaseLanesStatement, [
    request.lanes.map((lane) => lane.laneId),
    request.lanes.map((lane) => lane.epoch),
    timestamp(request.now),
    request.owner,
  ]);
  return rowCount;
}
