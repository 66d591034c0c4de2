import type { IdentityPlace, IdentityVerdict, KnownIdentity } from '#intents/core';
import { decide, isExpired } from '#intents/core';
import type { SqlSession, SqlStatement } from '#platform';
import { int4Array, int8Array } from '#platform';

import { within } from '../coordination/pauses.js';
import { daemon, timestamp } from '../events/stored-event.js';
import type { MemberKeys } from '../keys/member-keys.js';
import { appendByOthers, loadIntentState } from '../lanes/locked-lane.js';
import { isDelivered } from '../lanes/receipt-account.js';
import { loadCommands } from '../operator/load-commands.js';
import type { IdentityToInsert, JudgedRecord, KnownMembers, RecordIdentity } from './identities.js';
import { cancelledKeys } from './identities.js';
import { occurredAt } from './place-intents.js';
import type { PreparedRecord } from './recording.js';
import { BatchRaceError } from './recording.js';

/** A receipt's sale, as it was recorded. */
export interface SalePlace extends IdentityPlace {
  /** Of the sale, in `dedup`. */
  readonly key: Uint8Array;
}

/** When a sale or grant was, by its till, and when what took it back: epoch ms. */
interface KnownSale {
  readonly soldAt: number;
  /**
   * Of a sale: when the void was that took it back before it was sent. Of a grant also the revocation that came too late for that; 0
   * where it expired, or was cancelled for another cause, as with its sale. Null: it stands.
   */
  readonly voidedAt: number | null;
  /** Of a grant: what takes it back is recorded, and not delivered; or it is past its time, and may have been given before. */
  readonly isUnsettled: boolean;
  /** A person has cancelled it. */
  readonly isGivenUp: boolean;
}

/** SQL: whether an intent of standing `s` was not sent, and is not going to be. A sale is good for ever. */
const isOver = "(s.status = 'cancelled' OR s.status = 'parked' AND s.reason = 'expired')";

const isRevocation = (intent: string): string => `${intent}.event_type = 'loyalty.reward.revoked.v1'`;

/**
 * A revocation that came too late is recorded in the lane of its grant, or of whom its member lived on in by then: there it names the
 * number of that. Of several that were sent one is enough.
 */
const findSalesStatement: SqlStatement = {
  name: 'find_known_sales',
  text: `
SELECT w.lane_id, w.seq, COALESCE(i.occurred_at, r.occurred_at) AS occurred_at, COALESCE((
  SELECT (e.data->'cause'->>'timeMs')::float8 FROM intent_event e
  WHERE e.lane_id = i.lane_id AND e.seq = i.seq AND e.type = 'IntentCancelled' AND s.status = 'cancelled'
    AND s.reason IN ('voided', 'revoked')
  ORDER BY e.version DESC LIMIT 1), CASE WHEN ${isOver} AND i.operation = 'reward' THEN 0 END,
  extract(epoch FROM r.occurred_at)::float8 * 1000) AS voided_at, COALESCE(NOT r.is_delivered, false) AS is_unsettled, COALESCE((
  SELECT e.data->>'by' NOT IN ('source-event', '${daemon}') FROM intent_event e
  WHERE e.lane_id = i.lane_id AND e.seq = i.seq AND e.type = 'IntentCancelled' AND s.status = 'cancelled'
  ORDER BY e.version DESC LIMIT 1), false) AS is_given_up
FROM unnest($1::bigint[], $2::int[]) AS w (lane_id, seq)
LEFT JOIN intent i ON i.lane_id = w.lane_id AND i.seq = w.seq
LEFT JOIN intent_standing s ON s.lane_id = w.lane_id AND s.seq = w.seq
LEFT JOIN LATERAL (
  SELECT b.occurred_at, ${isDelivered} AS is_delivered FROM (
    SELECT o.lane_id, o.seq, o.occurred_at FROM intent o
    WHERE o.lane_id = w.lane_id AND o.waits_for_seq = w.seq AND ${isRevocation('o')}
    UNION ALL
    SELECT o.lane_id, o.seq, o.occurred_at FROM dedup n JOIN intent o ON o.waits_for_key = n.key AND ${isRevocation('o')}
    WHERE n.lane_id = w.lane_id AND n.seq = w.seq AND n.body_mac <> ''::bytea) b
  LEFT JOIN intent_standing bs ON bs.lane_id = b.lane_id AND bs.seq = b.seq
  WHERE i.operation IS DISTINCT FROM 'transaction' AND ${isOver} IS NOT TRUE AND bs.status IS DISTINCT FROM 'cancelled'
  ORDER BY is_delivered DESC LIMIT 1) r ON true
WHERE i.lane_id IS NOT NULL OR r.occurred_at IS NOT NULL`,
};

interface SaleRow {
  readonly lane_id: number;
  readonly seq: number;
  readonly occurred_at: number;
  readonly voided_at: number | null;
  readonly is_unsettled: boolean;
  readonly is_given_up: boolean;
}

const textOf = ({ laneId, seq }: IdentityPlace): string => `${laneId}/${seq}`;

async function findSales(session: SqlSession, places: readonly IdentityPlace[]): Promise<Map<string, KnownSale>> {
  if (places.length === 0) return new Map();
  const { rows } = await session.query<SaleRow>(findSalesStatement, [
    int8Array(places.map(({ laneId }) => laneId)),
    int4Array(places.map(({ seq }) => seq)),
  ]);
  return new Map(
    rows.map(({ lane_id: laneId, seq, ...row }) => [
      textOf({ laneId, seq }),
      {
        ...{ soldAt: row.occurred_at, voidedAt: row.voided_at },
        ...{ isUnsettled: row.is_unsettled, isGivenUp: row.is_given_up },
      },
    ]),
  );
}

interface Judging {
  readonly keys: MemberKeys;
  /** Epoch ms. */
  readonly now: number;
}

/**
 * Whether the time of a grant that is not given is over, although it has not parked as that yet: `not-given`, `in-doubt` where it may
 * have taken effect before. Null: it is given, or its time is not over. The lane is locked.
 */
async function pastItsTime(
  session: SqlSession,
  place: IdentityPlace,
  { keys, now }: Judging,
): Promise<'not-given' | 'in-doubt' | null> {
  const { state, isUntouched } = await loadIntentState(session, place);
  if (['absent', 'delivered'].includes(state.status)) return null;
  const [loaded] = await loadCommands(within(session), [place], keys);
  if (loaded?.current.kind !== 'command' || !isExpired(loaded.current.command, now)) return null;
  return isUntouched ? 'not-given' : 'in-doubt';
}

/** Grants that stand, as far as is known of them, are looked at once more. */
async function withLapsed(
  session: SqlSession,
  { sales, grants }: { readonly sales: Map<string, KnownSale>; readonly grants: readonly IdentityPlace[] },
  judging: Judging,
): Promise<ReadonlyMap<string, KnownSale>> {
  for (const place of grants) {
    const sale = sales.get(textOf(place));
    const lapsed = sale?.voidedAt === null ? await pastItsTime(session, place, judging) : null;
    if (sale === undefined || lapsed === null) continue;
    sales.set(textOf(place), { ...sale, voidedAt: 0, isUnsettled: lapsed === 'in-doubt' });
  }
  return sales;
}

const isGrantByAlias = (judged: JudgedRecord | undefined): boolean =>
  judged?.record.verdict.kind === 'routed' && judged.record.verdict.intents[0]?.alias?.key.scope === 'campaign';

const isVoid = ({ verdict }: PreparedRecord): boolean =>
  verdict.kind === 'routed' && verdict.cancels.some(({ reason }) => reason === 'voided');

interface KnownBefore {
  readonly members: KnownMembers;
  readonly known: ReadonlyMap<string, KnownIdentity>;
}

/** The sale that a record voids, where that is known. */
function voidedSale(record: PreparedRecord, { members, known }: KnownBefore): IdentityPlace | null {
  if (!isVoid(record)) return null;
  const keys = cancelledKeys(record, members).map((key) => known.get(key.toString('hex')));
  return keys.find((identity) => identity?.place)?.place ?? null;
}

/** A void or revocation has no number of its own: whether it is another one nobody can tell. */
const takesBack = ({ verdict }: PreparedRecord): boolean => verdict.kind === 'routed' && verdict.cancels.length > 0;

const isSale = ({ verdict }: PreparedRecord): boolean =>
  verdict.kind === 'routed' && verdict.intents[0]?.businessKey?.scope === 'purchase';

/** The sale whose number a record has, or that it voids; null: its time does not matter. */
function saleOf(judged: JudgedRecord, known: KnownBefore): IdentityPlace | null {
  if (judged.identity === null) return null;
  const { record, verdict } = judged;
  if (verdict.kind === 'new') return voidedSale(record, known);
  if (verdict.kind === 'duplicate-business-key' && (verdict.isByAlias === true || takesBack(record))) return verdict.of;
  const isOther = verdict.kind === 'conflict' && verdict.detail === 'business-key';
  return isOther && isSale(record) ? verdict.of : null;
}

/** The sales whose times decide about records; none, for nearly all records. */
export function disputedSales(records: readonly JudgedRecord[], known: KnownBefore): readonly (IdentityPlace | null)[] {
  return records.map((judged) => saleOf(judged, known));
}

/**
 * A void that is older than the sale does not mean it: a suspended basket, a number used again. A sale that is younger than the
 * void of another one under its number, which was in time, was rung up again. Both are for a person. The lanes are locked.
 */
export async function judgeByTime(
  session: SqlSession,
  records: readonly JudgedRecord[],
  disputed: readonly (IdentityPlace | null)[],
  judging: Judging,
): Promise<JudgedRecord[]> {
  const found = await findSales(
    session,
    disputed.filter((place) => place !== null),
  );
  const grants = disputed.flatMap((place, index) => (place !== null && isGrantByAlias(records[index]) ? [place] : []));
  const sales = await withLapsed(session, { sales: found, grants }, judging);
  const taken = new Set<string>();
  return records.map((judged, index) => {
    const place = disputed[index] ?? null;
    const sale = place === null ? undefined : sales.get(textOf(place));
    if (place === null || sale === undefined || judged.identity === null) return judged;
    if (judged.verdict.kind === 'new') return olderThan(sale, judged);
    const isOther = isAnother(judged.record, sale) && !taken.has(textOf(place));
    if (!isOther) return ofAnotherDay(sale, judged);
    taken.add(textOf(place));
    return soldAgain(judged, place, sale);
  });
}

function soldAgain(
  judged: Extract<JudgedRecord, { identity: RecordIdentity }>,
  of: IdentityPlace,
  { isUnsettled }: KnownSale,
): JudgedRecord {
  const { verdict } = judged;
  const isByAlias =
    verdict.kind === 'duplicate-business-key' && verdict.isByAlias === true ? { isByAlias: true as const } : {};
  const unsettled = isUnsettled ? { isUnsettled: true as const } : {};
  return { ...judged, verdict: { kind: 'sold-again', of, ...isByAlias, ...unsettled } };
}

function olderThan({ soldAt }: KnownSale, voided: JudgedRecord): JudgedRecord {
  if (voided.identity === null || occurredAt(voided.record) >= soldAt) return voided;
  return { ...voided, verdict: { kind: 'conflict', detail: 'void-before-sale', of: null } };
}

const dayMs = 86_400_000;
const dayOf = (timeMs: number): number => Math.floor(timeMs / dayMs);

/** Told by itself, so that the list of what was set aside shows a till whose numbers begin again every day. */
function ofAnotherDay({ soldAt }: Pick<KnownSale, 'soldAt'>, judged: JudgedRecord): JudgedRecord {
  if (judged.identity === null || judged.verdict.kind !== 'conflict') return judged;
  if (dayOf(occurredAt(judged.record)) === dayOf(soldAt)) return judged;
  return { ...judged, verdict: { ...judged.verdict, detail: 'other-day' } };
}

/** The same for sales that were told together: the first of a number is not known elsewhere yet. */
export function judgeDays(records: JudgedRecord[]): JudgedRecord[] {
  if (!records.some(isOfFirstHere)) return records;
  return records.map((judged) => {
    const key = judged.identity?.businessKey;
    if (!key || !isOfFirstHere(judged)) return judged;
    const first = records.find(({ identity }) => identity?.businessKey?.equals(key));
    return first === undefined ? judged : ofAnotherDay({ soldAt: occurredAt(first.record) }, judged);
  });
}

function isOfFirstHere(judged: JudgedRecord): boolean {
  if (judged.identity === null || judged.verdict.kind !== 'conflict') return false;
  return judged.verdict.detail === 'business-key' && judged.verdict.of === null && isSale(judged.record);
}

const isAfterVoid = (record: PreparedRecord, { voidedAt }: KnownSale): boolean =>
  voidedAt !== null && occurredAt(record) > voidedAt;

const isAnother = (record: PreparedRecord, known: KnownSale): boolean =>
  takesBack(record) ? known.isGivenUp : isAfterVoid(record, known);

const takeOverStatement: SqlStatement = {
  name: 'take_over_identities',
  text: `
UPDATE dedup d SET body_mac = w.mac, lane_id = w.lane_id, seq = w.seq, seen_on = ($7::timestamptz)::date
FROM unnest($1::bytea[], $2::bytea[], $3::bigint[], $4::int[], $5::bigint[], $6::int[])
  AS w (key, mac, lane_id, seq, old_lane_id, old_seq)
WHERE d.key = w.key AND d.kind = 'business' AND d.lane_id = w.old_lane_id AND d.seq = w.old_seq`,
};

/** A number whose sale was cancelled is another sale's from now on. */
export interface TakenOver {
  readonly identity: IdentityToInsert;
  readonly from: IdentityPlace;
}

/**
 * What had a number until now is not sent any more, by nobody's word: a grant that was not given in time would be given beside the
 * one that was made anew. What is delivered and taken back stays so. The lanes are locked.
 */
export async function cancelReplaced(
  session: SqlSession,
  { taken, now }: { readonly taken: readonly TakenOver[]; readonly now: number },
  keys: MemberKeys,
): Promise<void> {
  for (const { from } of taken) {
    const { state, isUntouched } = await loadIntentState(session, from);
    if (!isUntouched || state.status === 'cancelled') continue;
    const decision = decide(state, { type: 'CancelIntent', at: now, by: 'source-event', reason: 'granted-anew' });
    for (const event of decision.kind === 'events' ? decision.events : []) {
      await appendByOthers(session, { ...from, event, evidence: null, settles: true }, keys);
    }
  }
}

/** @throws {BatchRaceError} when another batch was faster */
export async function takeOver(session: SqlSession, taken: readonly TakenOver[], now: number): Promise<void> {
  const { rowCount } = await session.query(takeOverStatement, [
    taken.map(({ identity }) => identity.key),
    taken.map(({ identity }) => identity.contentMac),
    int8Array(taken.map(({ identity }) => identity.laneId)),
    int4Array(taken.map(({ identity }) => identity.seq)),
    int8Array(taken.map(({ from }) => from.laneId)),
    int4Array(taken.map(({ from }) => from.seq)),
    timestamp(now),
  ]);
  if (rowCount < taken.length) throw new BatchRaceError('identity');
}

/** The key under which it is known what this replaces: its own, or of what is given once, also of one whom its member has absorbed. */
function replacedKey(
  { businessKey, alias }: RecordIdentity,
  { of, isByAlias }: Extract<IdentityVerdict, { kind: 'sold-again' }>,
  known: ReadonlyMap<string, KnownIdentity>,
): Buffer | null {
  if (isByAlias !== true || alias === undefined) return businessKey;
  const isThere = (key: Buffer): boolean => {
    const place = known.get(key.toString('hex'))?.place ?? null;
    return place !== null && textOf(place) === textOf(of);
  };
  return alias.ofAbsorbed.find(isThere) ?? alias.key;
}

/** Which of these identities another sale has until now, and which are to be inserted. */
export function splitTakenOver(
  identities: readonly IdentityToInsert[],
  judged: readonly JudgedRecord[],
  known: ReadonlyMap<string, KnownIdentity>,
): { readonly takenOver: TakenOver[]; readonly fresh: readonly IdentityToInsert[] } {
  const replaced = judged.flatMap((item) => {
    if (item.identity === null || item.verdict.kind !== 'sold-again') return [];
    const { identity, verdict } = item;
    const key = replacedKey(identity, verdict, known);
    const own = verdict.isByAlias === true ? identity.alias?.key : identity.businessKey;
    return key && own ? [{ key, own, from: verdict.of }] : [];
  });
  if (replaced.length === 0) return { takenOver: [], fresh: identities };
  const takenOver = replaced.flatMap(({ key, own, from }) => {
    const identity = identities.find((one) => one.key === own);
    return identity === undefined ? [] : [{ identity: { ...identity, key }, from }];
  });
  const keys = new Set<Uint8Array>(replaced.map(({ key }) => key));
  return { takenOver, fresh: identities.filter(({ key }) => !keys.has(key)) };
}
