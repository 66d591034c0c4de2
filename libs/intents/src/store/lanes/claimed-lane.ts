import type {
  IdentityPlace,
  IntentState,
  KnownPass,
  LaneCursor,
  OwedIntent,
  PartnerCommand,
  PassBefore,
  PassName,
  Priority,
} from '#intents/core';
import type { Database, SqlStatement } from '#platform';
import { SealBrokenError } from '#platform';

import type { LoadedEventRow } from '../events/stored-event.js';
import { toEvent } from '../events/stored-event.js';
import { operationList } from '../events/transition-sql.js';
import type { MemberKeys, SealedCorrection, SealingPlace } from '../keys/member-keys.js';
import { openCorrection, openTracedPayload } from '../keys/member-keys.js';
import { findRetired } from '../retention/retire-intents.js';

export type PassKnowledge = KnownPass;

/** An intent of a claimed lane, opened and folded: ready to be decided on. */
export interface ClaimedIntent extends OwedIntent {
  readonly seq: number;
  readonly state: IntentState;
  /** W3C context of the trace that it was recorded in; absent where there is none. */
  readonly traceparent?: string;
}

/** A lane under one lease. The same lane under a later lease is another: answers must never be mixed up. */
export interface Lease {
  readonly laneId: number;
  readonly epoch: number;
}

/** Leases of one lane that are remembered at the same time lie fewer epochs apart: each lasts some seconds. */
const epochsPerLane = 4_096;

/** One number for each lease, exact up to 2 trillion lanes: as a key it costs a tenth of a text (measured). */
export function leaseKey({ laneId, epoch }: Lease): number {
  return laneId * epochsPerLane + (epoch % epochsPerLane);
}

/** A lane under our lease. `epoch` is the fencing token, `revision` what others' appends raise. */
export interface ClaimedLane {
  readonly laneId: number;
  readonly program: string;
  readonly memberId: string;
  /** The member's unwrapped data key; null when it has been destroyed. Held as long as the lane. */
  readonly key: Uint8Array | null;
  readonly epoch: number;
  readonly revision: number;
  readonly cursor: LaneCursor;
  /** Attempts of the current intent so far, as the lane row says. */
  readonly attempt: number;
  /** A worker before us began this attempt and recorded no outcome. */
  readonly attemptOpen: boolean;
  readonly openSince: number | null;
  /**
   * The claim has begun the first attempt of the current intent, then (epoch ms); all else is as it was before. Absent: it is for
   * its holder to begin.
   */
  readonly begunAt?: number;
  readonly pass: PassKnowledge;
  /** The highest that waits in it; absent in tests: normal. */
  readonly priority?: Priority;
  /** What the partner calls the pass; absent where it has never shown it, or was not asked. */
  readonly named?: PassName;
  readonly leaseUntil: number;
  /** When the lease began, epoch ms; absent in tests. */
  readonly claimedAt?: number;
  /** The next intents of the lane by seq, the current one included unless the lane is empty. */
  readonly intents: ReadonlyMap<number, ClaimedIntent>;
}

/** What is stored of an intent's content. */
export interface SealedContent {
  readonly laneId: number;
  readonly seq: number;
  readonly wrappedKey: Buffer | null;
  /** Null for what an erasure covers. */
  readonly payload: Buffer | null;
  /** The newest correction, which replaces the recorded command. */
  readonly correction: SealedCorrection | null;
}

type OpenedContent = Pick<ClaimedIntent, 'command' | 'makesNoCall' | 'traceparent'>;

/** The command as it is now, and the trace that the intent was recorded in. @throws {SealBrokenError} */
export function openClaimed(content: SealedContent, keys: MemberKeys): OpenedContent {
  const { laneId, seq, wrappedKey, payload, correction } = content;
  if (wrappedKey === null || payload === null) return { command: null };
  const place = { laneId, seq, key: keys.learn(laneId, wrappedKey) };
  if (correction === null) return withTrace(openTracedPayload(keys, place, payload));
  const command = openCorrection(keys, place, correction);
  return withTrace({ command, traceparent: recordedTrace(keys, place, payload) });
}

function withTrace(opened: {
  readonly command: PartnerCommand | null;
  readonly traceparent: string | null;
}): OpenedContent {
  const { command, traceparent } = opened;
  return {
    command,
    ...(command === null && { makesNoCall: true }),
    ...(traceparent !== null && { traceparent }),
  };
}

/** A corrected intent needs nothing of what was recorded: damaged bytes there cost it the trace only. */
function recordedTrace(keys: MemberKeys, place: SealingPlace, payload: Buffer): string | null {
  try {
    return openTracedPayload(keys, place, payload).traceparent;
  } catch (error) {
    if (error instanceof SealBrokenError) return null;
    throw error;
  }
}

/** A claimed intent and the purchase that it waits for. */
interface Waiting {
  readonly lane_id: number;
  readonly head_seq: number;
  readonly waits_for_seq: number | null;
  readonly waits_for_key: Buffer | null;
}

const findTakenBackStatement: SqlStatement = {
  name: 'find_taken_back',
  isRead: true,
  text: `
SELECT w.lane_id AS "laneId", w.seq FROM unnest($1::bigint[], $2::int[]) AS w (lane_id, seq)
WHERE EXISTS (SELECT FROM intent b LEFT JOIN intent_standing s USING (lane_id, seq)
  WHERE b.lane_id = w.lane_id AND b.waits_for_seq = w.seq AND b.event_type = 'loyalty.purchase.voided.v1'
    AND s.status IS DISTINCT FROM 'cancelled')`,
};

/** Those of some sales that were voided too late to cancel them. Nothing is asked where none is given. */
export async function findTakenBack(
  database: Database,
  sales: readonly IdentityPlace[],
): Promise<readonly IdentityPlace[]> {
  if (sales.length === 0) return [];
  const parameters = [sales.map(({ laneId }) => laneId), sales.map(({ seq }) => seq)];
  return (await database.execute<IdentityPlace>(findTakenBackStatement, parameters)).rows;
}

/** What stands under a business key that an intent waits for. */
export interface AwaitedPurchase {
  readonly place: IdentityPlace | null;
  /** Epoch ms, when its transaction began; null: it is not recorded. */
  readonly recordedAt: number | null;
  /** Whose it is has been absorbed by another member, in whose lane later work of theirs is. */
  readonly isAbsorbed: boolean;
  /** A void or revocation has come before it: it is cancelled when it comes. Or it was sold without a card. */
  readonly isMarked: boolean;
}

const findAwaitedStatement: SqlStatement = {
  name: 'find_awaited',
  text: `
SELECT d.key, d.kind = 'mark' AND d.body_mac <> ''::bytea AS is_marked, d.lane_id, d.seq, i.recorded_at,
  EXISTS (SELECT FROM member m WHERE m.lane_id = d.lane_id AND m.merged_into IS NOT NULL) AS is_absorbed
FROM dedup d LEFT JOIN intent i ON i.lane_id = d.lane_id AND i.seq = d.seq WHERE d.key = ANY ($1::bytea[])
UNION ALL
SELECT w.key, true, NULL, NULL, NULL, false FROM unnest($1::bytea[]) AS w (key)
JOIN anonymous_receipt r ON r.key = ('x' || encode(substring(w.key FROM 1 FOR 8), 'hex'))::bit(64)::bigint
WHERE r.left_over >= 0 AND NOT EXISTS (SELECT FROM dedup d WHERE d.key = w.key AND d.kind = 'business')`,
};

interface AwaitedRow {
  readonly key: Buffer;
  readonly is_marked: boolean;
  readonly recorded_at: number | null;
  readonly is_absorbed: boolean;
  readonly lane_id: number | null;
  readonly seq: number | null;
}

/** Of the business keys that these intents wait for: what is known under them, by key as hex. */
export async function findAwaited(
  database: Database,
  rows: readonly Waiting[],
): Promise<ReadonlyMap<string, AwaitedPurchase>> {
  const keys = rows.flatMap(({ waits_for_key: key }) => key ?? []);
  if (keys.length === 0) return new Map();
  const { rows: found } = await database.execute<AwaitedRow>(findAwaitedStatement, [keys]);
  return new Map(
    found.map((row) => {
      const { key, is_marked: isMarked, recorded_at: recordedAt, is_absorbed: isAbsorbed, lane_id: laneId, seq } = row;
      const place = laneId === null || seq === null ? null : { laneId, seq };
      return [key.toString('hex'), { place, recordedAt, isAbsorbed, isMarked }];
    }),
  );
}

/**
 * The ends of purchases that refunds wait for and that have left: they were delivered. In their own lane only what lies behind
 * its head and shows no event can have left: nearly always there is nothing to ask.
 */
export async function endedPurchases(
  database: Database,
  {
    rows,
    elsewhere,
    known,
  }: {
    readonly rows: readonly Waiting[];
    readonly elsewhere: readonly IdentityPlace[];
    readonly known: readonly LoadedEventRow[];
  },
): Promise<LoadedEventRow[]> {
  const shown = new Set(known.map(({ lane_id: laneId, seq }) => placeKey(laneId, seq)));
  const passed = rows.flatMap(({ lane_id: laneId, head_seq: head, waits_for_seq: seq }) =>
    seq === null || seq >= head ? [] : [{ laneId, seq }],
  );
  const places = [...passed, ...elsewhere].filter(({ laneId, seq }) => !shown.has(placeKey(laneId, seq)));
  if (places.length === 0) return [];
  const retired = await database.transaction('find_retired', (session) => findRetired(session, places));
  return retired.map(({ laneId, seq, endedBefore: at }) => ({
    ...{ lane_id: laneId, seq, version: 0, at, data: null, correction: null },
    ...{ type: 'AttemptApplied', attempt: 1 },
  }));
}

/** A change that was scheduled (4.4) takes effect so long after its call at most: the largest `schedule.leadMs`. */
const scheduledChangeMsMax = 86_400_000;

const findLastCallsStatement: SqlStatement = {
  name: 'find_last_calls',
  text: `
SELECT w.lane_id, w.seq, max(e.at + CASE WHEN i.operation = 'schedule-update'
  THEN interval '${scheduledChangeMsMax} milliseconds' ELSE interval '0' END) AS at
FROM unnest($1::bigint[], $2::int[], $3::int[]) AS w (lane_id, seq, version)
JOIN intent_event e ON e.lane_id = w.lane_id AND e.seq <> w.seq
JOIN intent i ON i.lane_id = e.lane_id AND i.seq = e.seq
WHERE e.type IN ('AttemptApplied', 'AttemptUnknown', 'LateOutcome')
  AND (e.version > w.version OR i.operation NOT IN (${operationList('makes')}))
GROUP BY w.lane_id, w.seq`,
};

/** An intent, and the version of one of its events. */
interface EventPlace {
  readonly laneId: number;
  readonly seq: number;
  readonly version: number;
}

interface LastCall {
  readonly lane_id: number;
  readonly seq: number;
  readonly at: number;
}

/**
 * When another call of the lane may have moved its pass last: before each of these events, or since. A new pass shows
 * what its own enrolment gave it; one that ended since may have given it anew. Reads all events of the lanes: for the few
 * attempts in doubt that something was read for.
 */
async function findLastCalls(
  database: Pick<Database, 'execute'>,
  places: readonly EventPlace[],
): Promise<readonly LastCall[]> {
  if (places.length === 0) return [];
  const { rows } = await database.execute<LastCall>(findLastCallsStatement, [
    places.map(({ laneId }) => laneId),
    places.map(({ seq }) => seq),
    places.map(({ version }) => version),
  ]);
  return rows;
}

type Read = EventPlace & { readonly readAt: number };

/**
 * By place: for how long nothing else could have moved the pass when it was read for an attempt in doubt
 * (`ClaimedIntent.quietPeriodMs`); below 0 where something may have since.
 */
export async function quietPeriodsBeforeReads(
  database: Pick<Database, 'execute'>,
  history: ReadonlyMap<string, readonly LoadedEventRow[]>,
): Promise<Map<string, number>> {
  const reads = [...history.values()].flatMap((events) => readInDoubt(events) ?? []);
  const calls = await findLastCalls(database, reads);
  const lastCalls = new Map(calls.map((call) => [placeKey(call.lane_id, call.seq), call.at]));
  const quietPeriods = new Map<string, number>();
  for (const { laneId, seq, readAt } of reads) {
    const place = placeKey(laneId, seq);
    const at = lastCalls.get(place);
    if (at !== undefined) quietPeriods.set(place, readAt - at);
  }
  return quietPeriods;
}

/** An intent's place as text, for maps. */
export function placeKey(laneId: number, seq: number | null): string {
  return `${laneId}:${seq ?? 0}`;
}

function readInDoubt(events: readonly LoadedEventRow[]): Read | null {
  const begun = events.findLast(({ type }) => type === 'AttemptBegun');
  if (begun === undefined) return null;
  const isInDoubt = events.some(({ type, attempt }) => type === 'AttemptUnknown' && attempt === begun.attempt);
  const { readAt } = (toEvent(begun) as { readonly before?: PassBefore }).before ?? {};
  if (!isInDoubt || readAt === undefined) return null;
  return { laneId: begun.lane_id, seq: begun.seq, version: begun.version, readAt };
}
