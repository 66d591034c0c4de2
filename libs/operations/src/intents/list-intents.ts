import { Injectable } from '@nestjs/common';

import type { IntentStatus, Operation } from '#intents/core';
import { lanesOfMember, openInLane, timestamp } from '#intents';
import type { SqlParameter, SqlStatement } from '#platform';
import { Clock, Database, int4Array, int8Array } from '#platform';

/** An intent that may belong into a list: nothing personal. */
export interface CandidateIntent {
  readonly laneId: number;
  readonly seq: number;
  readonly program: string;
  readonly memberId: string;
  readonly operation: Operation;
  readonly status: IntentStatus;
  /** Why it is parked, what it waits for, or what made it unknown; null otherwise. */
  readonly reason: string | null;
  /** What its last attempt ended with; null for what is on its way. */
  readonly code: string | null;
  /** Tells refusals with the same wording; null for what was not refused. */
  readonly fingerprint: string | null;
  /** Since when it stands so, epoch ms; null where only its lane tells. */
  readonly since: number | null;
  /** Epoch ms. */
  readonly recordedAt: number;
  readonly occurredAt: number;
  readonly eventType: string;
  readonly source: string | null;
  readonly storeId: string | null;
  readonly purchaseId: string | null;
  /** Exact decimal text. */
  readonly amount: string | null;
  readonly currency: string | null;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

/** An intent as lists show it: nothing personal. */
export interface ListedIntent extends CandidateIntent {
  /** Attempts that were begun, the one under way included. */
  readonly attemptCount: number;
}

/** What a list shows: all of these at once. Absent ones do not count. */
export interface IntentFilter {
  readonly status?: IntentStatus;
  /** Any of these. */
  readonly statuses?: readonly IntentStatus[];
  readonly operation?: string;
  readonly program?: string;
  readonly memberId?: string;
  readonly laneId?: number;
  readonly seq?: number;
  readonly source?: string;
  readonly store?: string;
  readonly purchaseId?: string;
  readonly reason?: string;
  readonly code?: string;
  readonly fingerprint?: string;
  /** Recorded at or after, epoch ms. */
  readonly from?: number;
  /** Recorded before, epoch ms. */
  readonly to?: number;
}

/** The last one that a page has looked at. */
export interface ListPosition {
  readonly recordedAt: number;
  readonly laneId: number;
  readonly seq: number;
}

type Check = (filter: IntentFilter, intent: CandidateIntent) => boolean;

function equals(key: keyof IntentFilter, valueOf: (intent: CandidateIntent) => unknown): Check {
  return (filter, intent) => filter[key] === undefined || filter[key] === valueOf(intent);
}

const checks: readonly Check[] = [
  equals('status', ({ status }) => status),
  ({ statuses }, { status }) => statuses === undefined || statuses.includes(status),
  equals('operation', ({ operation }) => operation),
  equals('program', ({ program }) => program),
  equals('memberId', ({ memberId }) => memberId),
  equals('laneId', ({ laneId }) => laneId),
  equals('seq', ({ seq }) => seq),
  equals('source', ({ source }) => source),
  equals('store', ({ storeId }) => storeId),
  equals('purchaseId', ({ purchaseId }) => purchaseId),
  equals('reason', ({ reason }) => reason),
  equals('code', ({ code }) => code),
  equals('fingerprint', ({ fingerprint }) => fingerprint),
  ({ from }, { recordedAt }) => from === undefined || recordedAt >= from,
  ({ to }, { recordedAt }) => to === undefined || recordedAt < to,
];

/** Pure. */
export function isWanted(filter: IntentFilter, intent: CandidateIntent): boolean {
  return checks.every((check) => check(filter, intent));
}

/** Where candidates are looked for: the fewer, the better. */
export type CandidatePlan = 'one' | 'purchase' | 'member' | 'standing' | 'standings' | 'newest';

/** Statuses that only `intent_standing` tells, and those that lanes tell. */
export const keptStatuses: ReadonlySet<IntentStatus> = new Set<IntentStatus>([
  'waiting',
  'unknown',
  'parked',
  'cancelled',
]);

function standingPlan({ status, statuses, reason, code, fingerprint }: IntentFilter): CandidatePlan {
  if (statuses !== undefined) return statuses.every((one) => keptStatuses.has(one)) ? 'standings' : 'newest';
  const isOfTrouble = reason !== undefined || code !== undefined || fingerprint !== undefined;
  const isKept = status === undefined ? isOfTrouble : keptStatuses.has(status);
  return isKept ? 'standing' : 'newest';
}

export function planOf(filter: IntentFilter): CandidatePlan {
  const { laneId, purchaseId, memberId } = filter;
  if (laneId !== undefined) return 'one';
  if (purchaseId !== undefined) return 'purchase';
  return memberId === undefined ? standingPlan(filter) : 'member';
}

/**
 * Candidates looked at in one statement: few first, for most lists are full after them. The second bounds by how much a page
 * outlasts its time (list-intents.ts): 512 took up to 90 ms where their rows came from disk.
 */
export const candidateSizes = [64, 192] as const;
/** Where they are only counted, no page is read. */
export const countedAtOnce = 1_000;

/** Both have an index: that of the recording is read in either direction. */
export type ListOrder = 'newest' | 'oldest';

interface Direction {
  readonly beyond: '<' | '>';
  readonly way: 'DESC' | 'ASC';
  /** What the end of the time that is asked for is held against. */
  readonly until: '>=' | '<';
}

const directions: Readonly<Record<ListOrder, Direction>> = {
  newest: { beyond: '<', way: 'DESC', until: '>=' },
  oldest: { beyond: '>', way: 'ASC', until: '<' },
};

/** Of each status as many as of all: the index has them in this order by status only. */
const ofEach = 'LIMIT OF_EACH';

const columnsKept = 'recorded_at, lane_id, seq, status, reason, code, fingerprint, since';

/**
 * $1 to $3: the position before, $4: the end of the time that is asked for, $5 and $6: what the plan looks for. A member's
 * intents come in the order of the lane, which needs no sorting however many there are.
 */
function candidatesOf(plan: CandidatePlan, { beyond, way, until }: Direction): string {
  const range = `(recorded_at, lane_id, seq) ${beyond} ($1::timestamptz, $2::bigint, $3::int) AND recorded_at ${until} $4::timestamptz`;
  const order = `ORDER BY recorded_at ${way}, lane_id ${way}, seq ${way}`;
  const candidates: Readonly<Record<CandidatePlan, string>> = {
    one: `SELECT recorded_at, lane_id, seq FROM intent WHERE ${range} AND lane_id = $5::bigint AND seq = $6::int`,
    newest: `SELECT recorded_at, lane_id, seq FROM intent
    WHERE ${range} AND $5::text IS NULL AND $6::text IS NULL ${order}`,
    standing: `SELECT ${columnsKept} FROM intent_standing
    WHERE ${range} AND status = $5 AND $6::text IS NULL ${order}`,
    standings: `SELECT s.* FROM unnest($5::text[]) AS wanted (of) CROSS JOIN LATERAL (
      SELECT ${columnsKept} FROM intent_standing
      WHERE ${range} AND status = wanted.of AND $6::text IS NULL ${order} ${ofEach}
    ) s ${order}`,
    purchase: `SELECT recorded_at, lane_id, seq FROM intent
    WHERE ${range} AND lower(purchase_id) = lower($5) AND purchase_id = $5 AND $6::text IS NULL ${order}`,
    member: `SELECT recorded_at, lane_id, seq FROM intent
    WHERE lane_id = ANY (ARRAY(${lanesOfMember('$5', '$6')}))
      AND (lane_id, seq) ${beyond} ($2::bigint, $3::int) AND $1::timestamptz IS NOT NULL AND $4::timestamptz IS NOT NULL
    ORDER BY lane_id ${way}, seq ${way}`,
  };
  return candidates[plan];
}

const shownOrder = (plan: CandidatePlan, { way }: Direction): string =>
  `ORDER BY ${plan === 'member' ? '' : `i.recorded_at ${way}, `}lane_id ${way}, seq ${way}`;

const statusOfLane = `COALESCE(s.status, CASE
    WHEN l.cur_seq = seq AND l.attempt_open THEN 'delivering'
    WHEN ${openInLane('seq')} THEN 'pending'
    ELSE 'delivered' END)`;

/** Where a candidate's status comes from: `intent_standing` has all of it, which saves the reads of its lane and of that row. */
const fromKeptStatus = { status: 's.status', from: 'candidate s JOIN intent i USING (lane_id, seq)' };
const fromLanes = {
  status: statusOfLane,
  from: `candidate c JOIN intent i USING (lane_id, seq) JOIN lane l USING (lane_id)
  LEFT JOIN intent_standing s USING (lane_id, seq)`,
};

function textOf(plan: CandidatePlan, size: number, direction: Direction): string {
  const { status, from } = plan === 'standing' || plan === 'standings' ? fromKeptStatus : fromLanes;
  return `
WITH candidate AS MATERIALIZED (${candidatesOf(plan, direction).replace(ofEach, `LIMIT ${size}`)} LIMIT ${size})
SELECT lane_id AS "laneId", seq, i.recorded_at AS "recordedAt", m.program_id AS program, m.member_id AS "memberId",
  i.operation, s.reason, s.code, s.fingerprint, s.since, i.occurred_at AS "occurredAt", i.event_type AS "eventType", i.source,
  i.store_id AS "storeId", i.purchase_id AS "purchaseId", amount_now(i.lane_id, i.seq, i.amount) AS amount, i.currency, i.topic,
  i.partition, i.kafka_offset AS "offset", ${status} AS status
FROM ${from} JOIN member m USING (lane_id)
${shownOrder(plan, direction)}`;
}

/** The limit stands literally in the text, as in the claim: as a parameter it misleads the planner. */
export function candidatesStatement(
  plan: CandidatePlan,
  size: (typeof candidateSizes)[number] | typeof countedAtOnce,
  order: ListOrder = 'newest',
): SqlStatement {
  return { name: `list_intents_${plan}_${order}_${size}`, text: textOf(plan, size, directions[order]) };
}

/** A page ends after so long even if it is not full: a filter that fits little must not keep its caller waiting. */
const listMsMax = 25;

const beyondMs = Date.parse('9999-12-31T23:59:59.999Z');
const beyondAll: ListPosition = { recordedAt: beyondMs, laneId: Number.MAX_SAFE_INTEGER, seq: 2 ** 31 - 1 };
const beforeAll: ListPosition = { recordedAt: 0, laneId: 0, seq: 0 };

export interface ListRequest {
  readonly filter: IntentFilter;
  /** Only of these; null: of all. */
  readonly programs: readonly string[] | null;
  /** Where the page before ended; null for the first. */
  readonly after: ListPosition | null;
  /** Intents in the page at most; bounded by the caller. */
  readonly limit: number;
  /** By when they were recorded, of one member by their lane; absent: the newest first. */
  readonly order?: ListOrder;
}

/** `next` is null at the end. A page may be short, even empty, and yet not be the last. */
export interface ListPage {
  readonly items: readonly ListedIntent[];
  readonly next: ListPosition | null;
}

type Sought = readonly [SqlParameter, SqlParameter];

/** What each plan looks for (`$5` and `$6` of its statement). */
const soughtBy: Readonly<Record<CandidatePlan, (filter: IntentFilter) => Sought>> = {
  one: ({ laneId = null, seq = null }) => [laneId, seq],
  newest: () => [null, null],
  standing: ({ status = 'parked' }) => [status, null],
  standings: ({ statuses = [] }) => [statuses, null],
  purchase: ({ purchaseId = null }) => [purchaseId, null],
  member: ({ memberId = null, program = null }) => [memberId, program],
};

export function parametersOf(
  plan: CandidatePlan,
  { filter, after, order = 'newest' }: Pick<ListRequest, 'filter' | 'after' | 'order'>,
): readonly SqlParameter[] {
  const { from, to } = filter;
  const position = after ?? startOf(filter, order);
  const until = order === 'newest' ? timeOr(from, '-infinity') : timeOr(to, 'infinity');
  return [timestamp(position.recordedAt), position.laneId, position.seq, until, ...soughtBy[plan](filter)];
}

const timeOr = (time: number | undefined, otherwise: string): SqlParameter =>
  time === undefined ? otherwise : timestamp(time);

/** A member's intents are read in the order of the lane: there times are only checked. */
function startOf({ from, to, memberId }: IntentFilter, order: ListOrder): ListPosition {
  const [all, end] = order === 'newest' ? [beyondAll, to] : [beforeAll, from];
  return end === undefined || memberId !== undefined ? all : { recordedAt: end, laneId: 0, seq: 0 };
}

export function positionOf({ recordedAt, laneId, seq }: CandidateIntent): ListPosition {
  return { recordedAt, laneId, seq };
}

/**
 * Of the intents of a page alone, however many candidates there were: attempts of an intent count from 1 without holes, so the
 * last one says how many. What runs is only in its lane (decision 0016).
 */
export const attemptsStatement: SqlStatement = {
  name: 'count_attempts',
  text: `
SELECT GREATEST(COALESCE(e.attempt, 0), COALESCE(l.attempt, 0)) AS count
FROM unnest($1::bigint[], $2::int[]) WITH ORDINALITY AS g (lane_id, seq, place)
CROSS JOIN LATERAL (
  SELECT max(attempt) AS attempt FROM intent_event WHERE lane_id = g.lane_id AND seq = g.seq
) e
LEFT JOIN lane l ON l.lane_id = g.lane_id AND l.cur_seq = g.seq AND l.attempt_open
ORDER BY g.place`,
};

async function withAttempts(database: Database, intents: readonly CandidateIntent[]): Promise<ListedIntent[]> {
  if (intents.length === 0) return [];
  const places = [int8Array(intents.map(({ laneId }) => laneId)), int4Array(intents.map(({ seq }) => seq))];
  const { rows } = await database.execute<{ count: number }>(attemptsStatement, places);
  return intents.map((intent, index) => ({ ...intent, attemptCount: rows[index]?.count ?? 0 }));
}

interface CandidatePage {
  readonly items: readonly CandidateIntent[];
  readonly next: ListPosition | null;
}

async function findCandidates(database: Database, request: ListRequest, clock: Clock): Promise<CandidatePage> {
  const { filter, programs, limit, order } = request;
  const plan = planOf(filter);
  const endsAt = clock.monotonic() + listMsMax;
  const items: CandidateIntent[] = [];
  let { after } = request;
  for (let size: (typeof candidateSizes)[number] = candidateSizes[0]; ; size = candidateSizes[1]) {
    const parameters = parametersOf(plan, { ...request, after });
    const { rows } = await database.execute<CandidateIntent>(candidatesStatement(plan, size, order), parameters);
    for (const row of rows) {
      after = positionOf(row);
      if (programs?.includes(row.program) === false || !isWanted(filter, row)) continue;
      items.push(row);
      if (items.length === limit) return { items, next: after };
    }
    if (rows.length < size) return { items, next: null };
    if (clock.monotonic() > endsAt) return { items, next: after };
  }
}

/** Intents, as operators list them. */
@Injectable()
export class IntentRepository {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * One page of intents, the newest first unless asked otherwise. Candidates come from the most selective place there is (`CandidatePlan`); what
   * else the filter asks for is checked on them. A filter that fits little among many candidates gives short pages.
   */
  async list(request: ListRequest): Promise<ListPage> {
    const { items, next } = await findCandidates(this.database, request, this.clock);
    return { items: await withAttempts(this.database, items), next };
  }
}
