import type { BusinessKey, IdentityVerdict, KnownIdentity, Receipt, RoutedIntent } from '#intents/core';
import { addressedTo, decideTakingBack, evolveReceipt, nobody } from '#intents/core';
import type { SqlSession, SqlStatement } from '#platform';
import { int4Array, int8Array } from '#platform';

import { amountNow, isUnsettled, sumOfBack } from '../lanes/receipt-account.js';
import type { MemberKeys } from '../keys/member-keys.js';
import type { AnonymousReceipts } from './anonymous-receipts.js';
import { decidedCorrection } from './corrected-sales.js';
import type { IdentityToInsert, JudgedRecord, KnownKeys, KnownMembers, RecordIdentity } from './identities.js';
import { businessDigest, cancelledKeys, noDigest } from './identities.js';
import type { SalePlace } from './known-sales.js';
import type { MemberCache } from './members.js';
import type { IntentToPlace } from './place-intents.js';
import type { ProfileMarkTable } from './profile-marks.js';
import type { QuarantinedNumbers } from './quarantined-numbers.js';
import { mayMeanAnother } from './quarantined-numbers.js';
import type { PreparedRecord, RecordVerdict } from './recording.js';

/** A sale that was cancelled came back whole. */
const findReceiptsStatement: SqlStatement = {
  name: 'find_receipts',
  text: `
SELECT w.key, ${amountNow('i')}::text AS sold,
  CASE WHEN s.status = 'cancelled' THEN ${amountNow('i')} ELSE (${sumOfBack('w.key', 'w')}) END::text AS back
FROM unnest($1::bytea[], $2::bigint[], $3::int[]) AS w (key, lane_id, seq)
LEFT JOIN intent i USING (lane_id, seq) LEFT JOIN intent_standing s USING (lane_id, seq)`,
};

interface ReceiptRow {
  readonly key: Buffer;
  readonly sold: string | null;
  readonly back: string;
}

/** Receipts by hex key. The lanes of the sales are locked, so that nothing is taken back meanwhile. */
export async function findReceipts(session: SqlSession, sales: readonly SalePlace[]): Promise<Map<string, Receipt>> {
  if (sales.length === 0) return new Map();
  const { rows } = await session.query<ReceiptRow>(findReceiptsStatement, [
    sales.map(({ key }) => key),
    int8Array(sales.map(({ laneId }) => laneId)),
    int4Array(sales.map(({ seq }) => seq)),
  ]);
  return new Map(rows.map(({ key, ...receipt }) => [key.toString('hex'), receipt]));
}

const unsettledStatement: SqlStatement = {
  name: 'unsettled_back',
  text: `SELECT ${isUnsettled('$1', '$2', '$3')} AS is`,
};

/** Whether some of what has come back of a sale may still come to nothing, or be given back. Its lane is locked. */
export async function hasUnsettledBack(session: SqlSession, { key, laneId, seq }: SalePlace): Promise<boolean> {
  const { rows } = await session.query<{ readonly is: boolean }>(unsettledStatement, [key, laneId, seq]);
  return rows[0]?.is === true;
}

interface Refund {
  readonly verdict: Extract<RecordVerdict, { kind: 'routed' }>;
  readonly intent: RoutedIntent;
  /** Of its receipt. */
  readonly key: BusinessKey;
}

/** A refund's receipt; null: it is none. */
function refundedBy({ verdict }: PreparedRecord): Refund | null {
  if (verdict.kind !== 'routed') return null;
  const [intent] = verdict.intents;
  return intent?.ofReceipt === undefined ? null : { verdict, intent, key: intent.ofReceipt.key };
}

/** Keys of what a record takes back: a refund's, void's or revocation's. */
export function takenBackKeys(record: PreparedRecord, members: KnownMembers): Buffer[] {
  const refund = refundedBy(record);
  return [
    ...cancelledKeys(record, members),
    ...(refund === null ? [] : [businessDigest(refund.intent, refund.key, members)]),
  ];
}

/** The lanes of what these records take back: another member's, where a record names the wrong one. */
export function takenBackLanes(
  records: readonly PreparedRecord[],
  members: KnownMembers,
  known: ReadonlyMap<string, KnownIdentity>,
): number[] {
  const keys = records.flatMap((record) => takenBackKeys(record, members));
  return keys.flatMap((key) => known.get(key.toString('hex'))?.place?.laneId ?? []);
}

export const isRefund = (record: PreparedRecord): boolean => refundedBy(record) !== null;

/** Whose a receipt is. `unknown`: nobody has told of it. `forgotten`: of a member who is erased. */
type Owner = { readonly kind: 'member'; readonly memberId: string } | { readonly kind: 'unknown' | 'forgotten' };

const unknownSale = 'nobody has told of its sale yet';

interface ReceiptTools {
  /** Sales that are nobody's. */
  readonly anonymous: AnonymousReceipts;
  /** Of which something lies in quarantine. */
  readonly numbers: QuarantinedNumbers;
  readonly session: SqlSession;
  readonly members: MemberCache;
  readonly profiles: Pick<ProfileMarkTable, 'survivorOf'>;
  readonly keys: { readonly members: MemberKeys };
}

/** The receipts of a segment, while its records are looked at in order. */
class SegmentReceipts {
  /** Of sales in the segment itself: whose they are. */
  private readonly own = new Map<string, string>();

  constructor(
    private readonly tools: ReceiptTools,
    private readonly known: ReadonlyMap<string, KnownIdentity>,
    private readonly receipts: Map<string, Receipt>,
    private readonly sales: ReadonlyMap<string, SalePlace>,
  ) {}

  /** A record with what its receipt says of it. */
  async judge(judged: JudgedRecord): Promise<JudgedRecord> {
    const item = await this.judgeRefund(judged);
    this.tools.anonymous.remember(item.record);
    this.tools.numbers.remember(item);
    this.remember(item);
    return item;
  }

  private async judgeRefund(judged: JudgedRecord): Promise<JudgedRecord> {
    const { record } = judged;
    const refund = refundedBy(record);
    if (refund === null || judged.identity === null || !isTaken(judged.verdict)) return judged;
    const { verdict, intent } = refund;
    const key = businessDigest(intent, refund.key, this.tools.members.all);
    const name = key.toString('hex');
    const owner = await this.ownerOf(name);
    if (owner.kind === 'forgotten') return { ...judged, verdict: { kind: 'forgotten' } };
    if (owner.kind === 'unknown' && this.isNobodys(key, intent, judged.identity)) {
      return { ...judged, record: { ...record, verdict: nobodys(verdict) } };
    }
    if (this.mayMeanAnother(intent, name, owner)) return { ...judged, verdict: mayMeanAnother };
    const decided = owner.kind === 'member' ? await this.taken(intent, name, owner.memberId) : unknown(intent);
    return { ...judged, record: { ...record, verdict: { ...verdict, intents: [decided] } } };
  }

  /** Of a sale without a card; most returns that name no member are, also where nobody has told of that yet. */
  private isNobodys(key: Buffer, intent: RoutedIntent, identity: RecordIdentity): boolean {
    return this.tools.anonymous.takeBy(key, intent, identity) || intent.memberId === nobody;
  }

  private async ownerOf(name: string): Promise<Owner> {
    const ownMember = this.own.get(name);
    if (ownMember !== undefined) return { kind: 'member', memberId: ownMember };
    const identity = this.known.get(name);
    if (identity === undefined || identity.place === null) return { kind: 'unknown' };
    if (identity.contentMac === null) return { kind: 'forgotten' };
    const { session, members, profiles } = this.tools;
    const owner = await members.ofLane(session, identity.place.laneId);
    return owner.key === null
      ? { kind: 'forgotten' }
      : { kind: 'member', memberId: profiles.survivorOf(owner).memberId };
  }

  /** While another sale of the number lies in quarantine nothing is taken from whose it is but by their own name. */
  private mayMeanAnother({ program, memberId }: RoutedIntent, name: string, owner: Owner): boolean {
    if (owner.kind !== 'member') return false;
    const whose = { program, memberId: owner.memberId };
    return this.tools.numbers.mayBeMeant(name, { owner: whose, memberId, isWhole: false });
  }

  private async taken(intent: RoutedIntent, name: string, memberId: string): Promise<RoutedIntent> {
    const isByEmail = intent.ofReceipt?.isByEmail === true;
    const owned = memberId === intent.memberId ? intent : addressedTo(intent, { memberId, isByEmail });
    const [receipt, amount = null] = [this.receipts.get(name), intent.facts.amount];
    if (receipt === undefined) return owned;
    const [{ session, keys }, sale] = [this.tools, this.sales.get(name)];
    if (sale && owned.corrects) return decidedCorrection(session, { intent: owned, sale, receipt }, keys.members);
    const decision = decideTakingBack(receipt, { amount });
    if (decision.kind === 'over-refund') {
      return { ...owned, parked: { reason: 'over-refund', detail: decision.detail } };
    }
    this.receipts.set(name, evolveReceipt(receipt, { amount }));
    return owned;
  }

  private remember(judged: JudgedRecord): void {
    const intent = takenSale(judged);
    if (intent === null || !judged.identity?.businessKey) return;
    const name = judged.identity.businessKey.toString('hex');
    this.own.set(name, intent.memberId);
    this.receipts.set(name, { sold: intent.facts.amount ?? null, back: '0' });
  }
}

/** The sale that a record is recorded as; null: as none. */
function takenSale(judged: JudgedRecord): RoutedIntent | null {
  if (judged.identity === null || judged.record.verdict.kind !== 'routed') return null;
  const [intent] = judged.record.verdict.intents;
  return isTaken(judged.verdict) && intent?.businessKey?.scope === 'purchase' ? intent : null;
}

const isTaken = ({ kind }: IdentityVerdict): boolean => kind === 'new' || kind === 'sold-again';

/** Of a receipt that nobody knows: it lets the member's other work go on, and comes back with its sale. */
function unknown(intent: RoutedIntent): RoutedIntent {
  if (intent.ofReceipt?.ifUnknown !== 'park') return intent;
  return { ...intent, parked: { reason: 'missing-purchase', detail: unknownSale } };
}

function nobodys({ eventKeyText, eventContentText }: Refund['verdict']): RecordVerdict {
  return { kind: 'ignored', reason: 'no-member', identity: { eventKeyText, eventContentText, member: null } };
}

/**
 * Judges what takes a sale back by what is known of that: it is the member's who got it, whomever its event names, and no more
 * than is left of it. The sales' lanes are locked. Nothing is asked where no record takes back.
 */
export async function judgeRefunds(
  tools: ReceiptTools,
  records: readonly JudgedRecord[],
  known: ReadonlyMap<string, KnownIdentity>,
): Promise<readonly JudgedRecord[]> {
  const refunds = records.flatMap(({ record }) => refundedBy(record) ?? []);
  if (refunds.length === 0) return records;
  const { session, members } = tools;
  const sales = new Map(
    refunds.flatMap(({ intent, key: of }): [string, SalePlace][] => {
      const key = businessDigest(intent, of, members.all);
      const name = key.toString('hex');
      const place = known.get(name)?.place;
      return place ? [[name, { ...place, key }]] : [];
    }),
  );
  const receipts = new SegmentReceipts(tools, known, await findReceipts(session, [...sales.values()]), sales);
  const done: JudgedRecord[] = [];
  for (const judged of records) done.push(await receipts.judge(judged));
  return done;
}

/** Aside, or in its place as long as it is not posted alone. */
const awaitsSale = ({ ofReceipt, parked }: RoutedIntent): boolean =>
  parked === null ? ofReceipt?.ifUnknown === 'post' : parked.reason === 'missing-purchase';

/**
 * Marks of sales that are waited for, so that who records one sees it: one each, and none where one stands.
 * @param left by voids of the same records
 */
export function awaitedSales(
  items: readonly IntentToPlace[],
  members: KnownMembers,
  { known, awaited, left }: Pick<KnownKeys, 'known' | 'awaited'> & { readonly left: readonly IdentityToInsert[] },
): IdentityToInsert[] {
  const keys = items.flatMap(({ intent }) =>
    intent.ofReceipt && awaitsSale(intent) ? [businessDigest(intent, intent.ofReceipt.key, members)] : [],
  );
  const fresh = new Map(keys.map((key) => [key.toString('hex'), key]));
  for (const { key } of left) fresh.delete(Buffer.from(key).toString('hex'));
  // Of a sale of the same records its return waits for that.
  for (const { identity } of items) fresh.delete(identity.businessKey?.toString('hex') ?? '');
  return [...fresh].flatMap(([name, key]): IdentityToInsert[] =>
    known.has(name) || awaited.has(name) ? [] : [{ key, kind: 'mark', contentMac: noDigest, laneId: null, seq: null }],
  );
}
