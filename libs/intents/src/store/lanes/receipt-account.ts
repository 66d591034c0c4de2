import type { CorrectedSale, IdentityPlace, Receipt } from '#intents/core';
import { changeOf, decideCorrecting, decideTakingBack, evolveReceipt, laneDetoursMax } from '#intents/core';
import type { SqlSession, SqlStatement } from '#platform';

import { isOfWhoLeft } from '../events/left-members.js';
import { daemon } from '../events/stored-event.js';
import { deliveredBy } from '../events/transition-sql.js';
import { lockLanes } from './lane-locks.js';

/** SQL: whether a row of `intent` is what a void or revocation that came too late sends. */
export function takesBack(intent: string): string {
  return `${intent}.event_type IN ('loyalty.purchase.voided.v1', 'loyalty.reward.revoked.v1')`;
}

/**
 * SQL: whether what changes a receipt (an intent `b`) counts, by how it stands: from its recording, in doubt, too, until it is
 * cancelled, refused by the partner or by its receipt. What waits for its sale counts, too: it comes with that. A correction does
 * not where it disagrees with what is known.
 */
function counts(standing: string): string {
  return `COALESCE(${standing}.status <> 'cancelled' AND NOT (${standing}.status = 'parked'
    AND (${standing}.reason IN ('rejected', 'over-refund') OR b.corrected_total IS NOT NULL AND ${standing}.reason = 'conflict')), true)`;
}

const standsAside = `COALESCE(bs.status = 'parked' AND bs.reason = 'missing-purchase', false)`;

/** What waits for the sale is counted as it comes back, one after the other. */
const countsApart = `NOT ${standsAside}`;

/**
 * SQL: whether an intent `b`, with its standing `bs`, is delivered: by its answer, which leaves no standing, or by evidence, or by a
 * person's word, which do.
 */
export const isDelivered = `COALESCE(bs.status = 'delivered', EXISTS (
    SELECT FROM intent_event e WHERE e.lane_id = b.lane_id AND e.seq = b.seq AND ${deliveredBy('e')}))`;

/** SQL: the amount of a row of `intent` as it stands: as it was told, unless somebody has corrected it since. */
export const amountNow = (intent: string): string => `amount_now(${intent}.lane_id, ${intent}.seq, ${intent}.amount)`;

/**
 * SQL: by how much a row of `intent` changes its sale's total, as it stands: up or down as it was told, by as much as somebody has
 * corrected it to since. NULL: it corrects none.
 */
export function changeNow(intent: string): string {
  return `(sign(${intent}.corrected_total - ${intent}.previous_total) * ${amountNow(intent)})`;
}

/** SQL: whether an intent `b` that waits for `t` voids a refund: it waits for the refund that it means, not for the sale. */
const givesBack = `(b.event_type = 'loyalty.purchase.voided.v1' AND b.waits_for_key IS DISTINCT FROM b.receipt
    AND t.event_type IS DISTINCT FROM 'loyalty.purchase.completed.v1')`;

/** SQL: whether an intent corrects its sale's total upwards. */
const raises = (intent: string): string => `(${intent}.corrected_total > ${intent}.previous_total) IS TRUE`;

/** SQL: whether an intent `b` of a receipt, which waits for `t`, gives to the member. */
export const gives = `(${givesBack} OR ${raises('b')})`;

/** What a void that stands aside means has not come: it takes nothing. */
const isVoidAside = `(${takesBack('b')} AND ${standsAside})`;

/** SQL: whether something waits for a sale `t` that had the number before `sale`, and was voided in time: it takes nothing of this one. */
function isOfSaleBefore(t: string, sale: string): string {
  return `COALESCE(${t}.event_type = 'loyalty.purchase.completed.v1' AND (${t}.lane_id, ${t}.seq) <> (${sale}.lane_id, ${sale}.seq), false)`;
}

/**
 * SQL: how much of a receipt has come back, or was taken off by a correction, but for the sale itself, less what delivered voids of
 * refunds, and corrections, have given.
 * @param receipt the sale's key @param sale a row with its place @param also a condition on an intent `b` and its standing `bs`
 */
export function sumOfBack(receipt: string, sale: string, also = 'true'): string {
  return `SELECT COALESCE(sum(CASE WHEN ${gives} THEN -${amountNow('b')} ELSE ${amountNow('b')} END), 0) FROM intent b
  LEFT JOIN intent_standing bs ON bs.lane_id = b.lane_id AND bs.seq = b.seq
  LEFT JOIN intent t ON t.lane_id = b.lane_id AND t.seq = b.waits_for_seq
  WHERE b.receipt = ${receipt} AND (b.lane_id, b.seq) <> (${sale}.lane_id, ${sale}.seq) AND ${counts('bs')}
    AND NOT ${isVoidAside} AND (${isDelivered} OR NOT ${gives}) AND NOT ${isOfSaleBefore('t', sale)} AND ${also}`;
}

/**
 * SQL: by how much the corrections of a receipt have changed its total, but for what its sale says itself; those that stand aside
 * for that have not yet.
 * @param receipt the sale's key @param sale a row with its place
 */
function sumOfChanges(receipt: string, sale: string): string {
  return `SELECT COALESCE(sum(${changeNow('b')}), 0) FROM intent b
  LEFT JOIN intent_standing bs ON bs.lane_id = b.lane_id AND bs.seq = b.seq
  LEFT JOIN intent t ON t.lane_id = b.lane_id AND t.seq = b.waits_for_seq
  WHERE b.receipt = ${receipt} AND b.corrected_total IS NOT NULL AND ${counts('bs')} AND ${countsApart}
    AND NOT ${isOfSaleBefore('t', sale)}`;
}

const findChangesStatement: SqlStatement = {
  name: 'find_changes_of_sale',
  text: `
SELECT (${sumOfChanges('d.key', 'd')})::text AS changed, EXISTS (SELECT FROM intent b
  LEFT JOIN intent_standing bs ON bs.lane_id = b.lane_id AND bs.seq = b.seq
  LEFT JOIN intent t ON t.lane_id = b.lane_id AND t.seq = b.waits_for_seq
  WHERE b.receipt = d.key AND b.event_type = 'loyalty.purchase.voided.v1' AND ${counts('bs')} AND ${countsApart} AND NOT ${givesBack}
    AND NOT ${isOfSaleBefore('t', 'd')}) AS "isVoided",
  (SELECT p.data->>'cameBack' FROM intent_event p WHERE p.lane_id = d.lane_id AND p.seq = d.seq AND p.type = 'IntentParked'
    AND p.data ? 'cameBack') AS "cameBack"
FROM (VALUES ($1::bytea, $2::bigint, $3::int)) AS d (key, lane_id, seq)`,
};

/** What became of a sale beside what it says itself. */
interface SaleChanges {
  /** By how much its total was corrected beside that, with its sign. */
  readonly changed: string;
  /** It was taken back whole, too late to cancel it. */
  readonly isVoided: boolean;
  /** How much of it had come back before it was claimed; null: nothing. */
  readonly cameBack: string | null;
}

/** @param sale with its key in `dedup`; its lane is locked */
export async function findSaleChanges(
  session: SqlSession,
  { key, laneId, seq }: IdentityPlace & { readonly key: Uint8Array },
): Promise<SaleChanges> {
  const [found] = (await session.query<SaleChanges>(findChangesStatement, [key, laneId, seq])).rows;
  return found ?? { changed: '0', isVoided: false, cameBack: null };
}

/**
 * The account that something would take from once more, without itself; none where it takes nothing back. Refunds, and voids of
 * sales: these wait for the sale, voids of refunds for those.
 */
const accountStatement: SqlStatement = {
  name: 'find_account',
  text: `
SELECT d.lane_id AS "laneId", d.seq, COALESCE($3::numeric, ${amountNow('i')})::text AS amount, ${amountNow('s')}::text AS sold,
  i.event_type = 'loyalty.purchase.voided.v1' AND si.status = 'parked' AND si.reason = 'conflict' AND NOT EXISTS (
    SELECT FROM intent_event e WHERE e.lane_id = i.lane_id AND e.seq = i.seq AND e.type = 'IntentCorrected'
      AND e.data->>'amount' IS NOT NULL AND e.data->>'by' <> '${daemon}') AS "takesRest",
  CASE WHEN ss.status = 'cancelled' OR ${isOfSaleBefore('w', 'd')} THEN ${amountNow('s')}
  ELSE (${sumOfBack('i.receipt', 'd', '(b.lane_id, b.seq) <> (i.lane_id, i.seq)')}) END::text AS back
FROM intent i JOIN dedup d ON d.key = i.receipt AND d.kind = 'business' AND (d.lane_id, d.seq) <> (i.lane_id, i.seq)
LEFT JOIN intent w ON w.lane_id = i.lane_id AND w.seq = i.waits_for_seq
LEFT JOIN intent_standing si ON si.lane_id = i.lane_id AND si.seq = i.seq
JOIN intent s ON s.lane_id = d.lane_id AND s.seq = d.seq LEFT JOIN intent_standing ss ON ss.lane_id = d.lane_id AND ss.seq = d.seq
WHERE i.lane_id = $1 AND i.seq = $2 AND NOT ${raises('i')} AND (i.event_type = 'loyalty.purchase.refunded.v1'
  OR i.waits_for_key = i.receipt OR w.event_type = 'loyalty.purchase.completed.v1')`,
};

interface Account extends IdentityPlace, Receipt {
  readonly amount: string | null;
  /** A void that a person was to look at, and of which nobody has said how much: it takes whatever is left. */
  readonly takesRest: boolean;
}

interface TakingBack {
  readonly place: IdentityPlace;
  /** What it would be of, without a sign; absent: what it is of. */
  readonly amount?: string;
}

/** Its lane is locked, and then the sale's. */
async function findAccount(session: SqlSession, { place, amount }: TakingBack): Promise<Account | undefined> {
  const { laneId, seq } = place;
  const find = async (): Promise<Account | undefined> =>
    (await session.query<Account>(accountStatement, [laneId, seq, amount ?? null])).rows[0];
  const seen = await find();
  if (seen === undefined || seen.laneId === laneId) return seen;
  await lockLanes(session, [seen.laneId]);
  return find();
}

/**
 * Whether more would come back of a receipt than is left of it, if what stands here were sent: a person may have let something else
 * take it meanwhile. Its lane is locked.
 */
export async function isOverAccount(session: SqlSession, taking: TakingBack): Promise<boolean> {
  const account = await findAccount(session, taking);
  if (account === undefined) return false;
  const amount = account.takesRest && taking.amount === undefined ? null : account.amount;
  return ['over-refund', 'nothing'].includes(decideTakingBack(account, { amount }).kind);
}

/**
 * Of what amount a void is once a person sends it: of what is left by then, whatever has become of what came back, unless somebody
 * has said how much. Null: of that which it says. Its lane is locked.
 */
export async function restToTake(session: SqlSession, place: IdentityPlace): Promise<string | null> {
  const account = await findAccount(session, { place });
  if (account?.takesRest !== true) return null;
  const decision = decideTakingBack(account, { amount: null });
  return decision.kind === 'take' && decision.amount !== account.amount ? decision.amount : null;
}

/** SQL: whether something of a receipt, but for the sale at this place, is neither delivered nor out of account. */
export function isUnsettled(receipt: string, laneId: string, seq: string, also = 'true'): string {
  return `EXISTS (SELECT FROM intent b LEFT JOIN intent_standing bs ON bs.lane_id = b.lane_id AND bs.seq = b.seq
  WHERE b.receipt = ${receipt}::bytea AND (b.lane_id, b.seq) <> (${laneId}::bigint, ${seq}::int) AND ${counts('bs')}
    AND NOT ${isVoidAside} AND NOT ${isDelivered} AND ${also})`;
}

/** What waits for a sale that has not come looks at the account when that does; what is behind one that is parked does not. */
const comesUnasked = `(${countsApart} OR bs.awaits_seq IS NOT NULL)`;

const overdrawnStatement: SqlStatement = {
  name: 'is_overdrawn',
  text: `
SELECT EXISTS (SELECT FROM dedup d JOIN intent s ON s.lane_id = d.lane_id AND s.seq = d.seq
  WHERE d.lane_id = $1 AND d.seq = $2 AND d.kind = 'business' AND d.body_mac <> ''::bytea
    AND s.event_type = 'loyalty.purchase.completed.v1'
    AND (${sumOfBack('d.key', 'd', comesUnasked)}) > $3::numeric AND ${isUnsettled('d.key', 'd.lane_id', 'd.seq', comesUnasked)}) AS is`,
};

/** Whether more than such an amount of a sale, if this is one, is still to come back. Its lane is locked. */
export async function isOverdrawn(
  session: SqlSession,
  { place: { laneId, seq }, amount }: Required<TakingBack>,
): Promise<boolean> {
  return (
    (await session.query<{ readonly is: boolean }>(overdrawnStatement, [laneId, seq, amount])).rows[0]?.is === true
  );
}

/** SQL: what makes room for more to come back, once it is delivered. */
const makesRoom = "'loyalty.purchase.completed.v1', 'loyalty.purchase.corrected.v1', 'loyalty.purchase.voided.v1'";

/** SQL: whether something may go on with its receipt once a row of `intent` is settled: a sale, a refund, a correction, a void, perhaps of a refund. */
export function isAwaited(intent: string): string {
  return `(${intent}.receipt IS NOT NULL AND ${intent}.event_type IN ('loyalty.purchase.completed.v1',
    'loyalty.purchase.refunded.v1', 'loyalty.purchase.corrected.v1', 'loyalty.purchase.voided.v1'))`;
}

/** The void of a whole sale that waits until all else of its receipt is settled, once that is, in the lane of what was settled last (`g`). */
const findRestStatement: SqlStatement = {
  name: 'find_void_of_rest',
  text: `
SELECT r.lane_id AS "laneId", r.seq FROM intent g JOIN dedup k ON k.key = g.receipt AND k.kind = 'business'
JOIN intent r ON r.receipt = g.receipt AND r.lane_id = g.lane_id AND r.seq <> g.seq
JOIN intent_standing rs ON rs.lane_id = r.lane_id AND rs.seq = r.seq JOIN member m ON m.lane_id = r.lane_id
WHERE g.lane_id = $1 AND g.seq = $2 AND rs.status = 'parked' AND rs.reason = 'conflict' AND NOT ${isOfWhoLeft('r', 'm')}
  AND (SELECT e.data ? 'takesRest' FROM intent_event e WHERE e.lane_id = r.lane_id AND e.seq = r.seq AND e.type = 'IntentParked'
    ORDER BY e.version DESC LIMIT 1)
  AND NOT ${isUnsettled('g.receipt', 'k.lane_id', 'k.seq', '(b.lane_id, b.seq) <> (r.lane_id, r.seq)')}`,
};

/** A void and what it takes by now, of what it says until then; null: nothing is left. */
interface VoidOfRest {
  readonly place: IdentityPlace;
  readonly said: string | null;
  readonly rest: string | null;
}

/** The void of a whole sale that has waited for what is settled now. Undefined: there is none, or a person has said how much. The lane is locked. */
export async function findVoidOfRest(
  session: SqlSession,
  { laneId, seq }: IdentityPlace,
): Promise<VoidOfRest | undefined> {
  const [place] = (await session.query<IdentityPlace>(findRestStatement, [laneId, seq])).rows;
  const account = place && (await findAccount(session, { place }));
  if (place === undefined || account?.takesRest !== true) return undefined;
  const decision = decideTakingBack(account, { amount: null });
  return { place, said: account.amount, rest: decision.kind === 'take' ? decision.amount : null };
}

const isSaleDelivered = `(SELECT ${isDelivered} FROM intent b
    LEFT JOIN intent_standing bs ON bs.lane_id = b.lane_id AND bs.seq = b.seq WHERE b.lane_id = s.lane_id AND b.seq = s.seq)`;

/**
 * What goes on with a receipt, in the lane of what has come to its end (`g`): what stepped aside for the sale, once that is
 * delivered, where it names no other member, which is for a person; and what asked for more than was left. `back`: what others have
 * taken back.
 */
const findComingBackStatement: SqlStatement = {
  name: 'find_coming_back',
  text: `
SELECT r.lane_id AS "laneId", r.seq, rs.reason = 'missing-purchase' AS "isAside", ${amountNow('r')}::text AS amount,
  r.previous_total::text AS previous, (r.previous_total + ${changeNow('r')})::text AS total, ${amountNow('s')}::text AS sold,
  (${sumOfBack('g.receipt', 's', `(${countsApart} OR NOT d.is_delivered)`)})::text AS back,
  (${amountNow('s')} + (${sumOfChanges('g.receipt', 's')}))::text AS known
FROM intent g JOIN dedup k ON k.key = g.receipt AND k.kind = 'business' JOIN intent s ON s.lane_id = k.lane_id AND s.seq = k.seq
CROSS JOIN LATERAL (SELECT ${isSaleDelivered} AS is_delivered) d
LEFT JOIN intent_standing ss ON ss.lane_id = s.lane_id AND ss.seq = s.seq
JOIN intent r ON r.receipt = g.receipt AND r.lane_id = g.lane_id AND (r.lane_id, r.seq) <> (s.lane_id, s.seq)
JOIN intent_standing rs ON rs.lane_id = r.lane_id AND rs.seq = r.seq
LEFT JOIN intent rt ON rt.lane_id = r.lane_id AND rt.seq = r.waits_for_seq
JOIN member m ON m.lane_id = r.lane_id
WHERE g.lane_id = $1 AND g.seq = $2 AND CASE WHEN $3::boolean THEN g.event_type = 'loyalty.purchase.refunded.v1'
  ELSE g.receipt IS NOT NULL AND g.event_type IN (${makesRoom}) END
  AND ss.status IS DISTINCT FROM 'cancelled' AND rs.status = 'parked'
  AND (rs.reason = 'over-refund' OR rs.reason = 'missing-purchase' AND d.is_delivered)
  AND NOT ${takesBack('r')} AND NOT ${isOfWhoLeft('r', 'm')} AND NOT ${isOfSaleBefore('rt', 's')}
ORDER BY r.seq LIMIT ${laneDetoursMax}`,
};

interface ComingRow extends IdentityPlace, Omit<Receipt, 'sold'> {
  readonly isAside: boolean;
  readonly amount: string;
  /** Of a correction; null: it is none. */
  readonly previous: string | null;
  readonly total: string | null;
  readonly sold: string;
  readonly known: string;
}

/** Something of a receipt as that is by now: it is sent, or stays parked for this from now on. */
export interface ComingBack {
  readonly place: IdentityPlace;
  readonly refusal: { readonly reason: 'conflict' | 'over-refund'; readonly detail: string } | null;
}

/** What has come to its end. */
export interface EndOfIntent {
  readonly place: IdentityPlace;
  /** It was delivered, or is said by another one; cancelled, by what takes it back. */
  readonly isCancelled: boolean;
}

/** What goes on with a receipt, in its order, as far as the receipt has it. The lane is locked. */
export async function findComingBack(
  session: SqlSession,
  { place: { laneId, seq }, isCancelled }: EndOfIntent,
): Promise<readonly ComingBack[]> {
  const { rows } = await session.query<ComingRow>(findComingBackStatement, [laneId, seq, isCancelled]);
  const [first] = rows;
  if (first === undefined) return [];
  let sale: CorrectedSale = { receipt: first, total: first.known, is: 'sent' };
  return rows.flatMap((row): ComingBack[] => {
    const place = { laneId: row.laneId, seq: row.seq };
    const after = afterAside(sale, row);
    if (!('kind' in after)) {
      sale = after;
      return [{ place, refusal: null }];
    }
    // What was refused before is refused for the same.
    return row.isAside ? [{ place, refusal: { reason: after.kind, detail: after.detail } }] : [];
  });
}

interface Refusal {
  readonly kind: 'conflict' | 'over-refund';
  readonly detail: string;
}

/** The sale once this has come back to it, or why it does not. */
function afterAside(
  sale: CorrectedSale,
  { amount, previous, total }: Pick<ComingRow, 'amount' | 'previous' | 'total'>,
): CorrectedSale | Refusal {
  const { receipt } = sale;
  if (previous === null || total === null) {
    const decision = decideTakingBack(receipt, { amount });
    return decision.kind === 'over-refund' ? decision : { ...sale, receipt: evolveReceipt(receipt, { amount }) };
  }
  const change = { previous, total };
  const decision = decideCorrecting(sale, change);
  if (decision.kind === 'conflict' || decision.kind === 'over-refund') return decision;
  const isLowered = changeOf(change).startsWith('-');
  return { ...sale, total, receipt: isLowered ? evolveReceipt(receipt, { amount }) : receipt };
}
