import type { CancelRequest, IdentityPlace, RoutedIntent } from '#intents/core';
import { changeOf, nobody, ofAmount, sumOf } from '#intents/core';
import type { SqlSession, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';
import { lockLanes } from '../lanes/lane-locks.js';
import { appendByOthers } from '../lanes/locked-lane.js';
import { amountNow, changeNow } from '../lanes/receipt-account.js';
import { dayMs } from '../retention/retention-policy.js';
import type {
  IdentifiedRecord,
  IdentityToInsert,
  JudgedRecord,
  KnownMembers,
  KnownRecords,
  RecordIdentity,
  Unclaimed,
} from './identities.js';
import { anonymousIdOf, anonymousSale, businessDigest, dayOf, keyOfSale, noDigest } from './identities.js';
import { memberKey } from './members.js';
import { occurredAt } from './place-intents.js';
import type { CancelToDo } from './plan-segment.js';
import type { IngestKeys, PreparedRecord, RecordingContext } from './recording.js';

const findStatement: SqlStatement = {
  name: 'find_anonymous_receipts',
  text: `
SELECT key::text AS id, left_over::text AS "leftOver", sold_on::text AS "soldOn" FROM anonymous_receipt
WHERE key = ANY ($1::bigint[]) ORDER BY key FOR UPDATE`,
};

const insertStatement: SqlStatement = {
  name: 'insert_anonymous_receipts',
  text: `
INSERT INTO anonymous_receipt (key, left_over, forget_on, sold_on)
SELECT key, left_over, forget_on::date, sold_on::date
FROM unnest($1::bigint[], $2::numeric[], $3::timestamptz[], $4::text[]) AS w (key, left_over, forget_on, sold_on)
ORDER BY key ON CONFLICT (key) DO UPDATE SET left_over = GREATEST(anonymous_receipt.left_over + EXCLUDED.left_over, 0),
  sold_on = EXCLUDED.sold_on
WHERE anonymous_receipt.left_over < 0`,
};

/** What came back without a card before its sale was told: below nothing, until that comes. */
const owedStatement: SqlStatement = {
  name: 'remember_returns_without_sale',
  text: `
INSERT INTO anonymous_receipt (key, left_over, forget_on)
SELECT key, -sum(amount), max(forget_on)::date FROM unnest($1::bigint[], $2::numeric[], $3::timestamptz[]) AS w (key, amount, forget_on)
GROUP BY key ORDER BY key ON CONFLICT (key) DO UPDATE SET left_over = CASE WHEN anonymous_receipt.left_over < 0
  THEN anonymous_receipt.left_over + EXCLUDED.left_over ELSE GREATEST(anonymous_receipt.left_over + EXCLUDED.left_over, 0) END`,
};

const takeStatement: SqlStatement = {
  name: 'take_from_anonymous_receipts',
  text: `
UPDATE anonymous_receipt r SET left_over = GREATEST(r.left_over - w.amount, 0)
FROM (SELECT key, sum(amount) AS amount FROM unnest($1::bigint[], $2::numeric[]) AS u (key, amount) GROUP BY key) w
WHERE r.key = w.key`,
};

const waitingStatement: SqlStatement = {
  name: 'find_waiting_for_anonymous',
  text: `
SELECT i.lane_id AS "laneId", i.seq, COALESCE(-${changeNow('i')}, ${amountNow('i')})::text AS amount, encode(i.receipt, 'hex') AS name
FROM intent i JOIN intent_standing s USING (lane_id, seq)
WHERE i.receipt = ANY ($1::bytea[]) AND s.status = 'parked' AND s.reason = 'missing-purchase' ORDER BY i.lane_id, i.seq`,
};

const nameOf = (key: Uint8Array): string => Buffer.from(key).toString('hex');

function keyOfVoided(cancel: CancelRequest, members: KnownMembers): Buffer | null {
  const { target } = cancel;
  return typeof target === 'object' && target.scope === 'purchase' ? businessDigest(cancel, target, members) : null;
}

/** Keys of receipts that a record is about, each perhaps of a sale without a card. */
function keysAskedFor(identified: IdentifiedRecord, { members, known, awaited }: ReceiptLookup): Buffer[] {
  const { verdict } = identified.record;
  if (verdict.kind !== 'routed') return [];
  const taken = verdict.intents.flatMap((intent) =>
    intent.ofReceipt ? [businessDigest(intent, intent.ofReceipt.key, members)] : [],
  );
  const voided = verdict.cancels.flatMap((cancel) => keyOfVoided(cancel, members) ?? []);
  // A sale takes nothing; it is held up only by what something of its number has left.
  const sale = awaited.size === 0 ? null : keyOfSale(identified);
  const claimed = sale !== null && awaited.has(nameOf(sale)) ? [sale] : [];
  return [...taken, ...voided, ...claimed].filter((key) => !known.has(nameOf(key)));
}

/** A claim of which a person must say how much is theirs: no more than is left is sent, and can be taken back of it. */
function claimOf(intent: RoutedIntent, { leftOver: over, soldOn }: Unclaimed, claimedOn: string): RoutedIntent {
  const { amount = '0' } = intent.facts;
  const left = isOwed(over) ? leftOf(amount, over) : over;
  const detail = isOwed(over)
    ? `${over.slice(1)} of it came back without a card before it was told`
    : `sold without a card${soldOn === claimedOn ? '' : ` on ${soldOn}`}, ${left} left of it before it was claimed`;
  const cameBack = sumOf([amount, `-${left}`]);
  if (isOwed(cameBack)) return { ...intent, parked: { reason: 'conflict', detail } };
  return { ...ofAmount(intent, left), parked: { reason: 'conflict', detail, cameBack } };
}

interface WriteTools {
  readonly session: SqlSession;
  readonly keys: IngestKeys;
  readonly context: RecordingContext;
}

type ReceiptLookup = Pick<KnownRecords, 'known' | 'awaited' | 'unclaimed'> & { readonly members: KnownMembers };

/** Sales without a card, as far as the records of a segment are about them: what takes one back takes from nobody. */
export class AnonymousReceipts {
  private readonly taken: Taken[] = [];
  /** Taken from receipts of which nobody has told. */
  private readonly owed: (Taken & { readonly days: number })[] = [];
  /** Numbers of returns that have taken from nobody: the same return takes nothing again. */
  private readonly numbers: IdentityToInsert[] = [];

  private constructor(
    private readonly lookup: ReceiptLookup,
    /** What is left of each, by hex key in `dedup`. */
    private readonly leftOver: Map<string, Unclaimed>,
  ) {}

  static async find(
    session: SqlSession,
    records: readonly IdentifiedRecord[],
    lookup: ReceiptLookup,
  ): Promise<AnonymousReceipts> {
    const keys = records.flatMap((record) => keysAskedFor(record, lookup));
    if (keys.length === 0) return new AnonymousReceipts(lookup, new Map());
    const { rows } = await session.query<Unclaimed & { id: string }>(findStatement, [keys.map(anonymousIdOf)]);
    const found = new Map(rows.map(({ id, ...unclaimed }) => [id, unclaimed]));
    const left = keys.flatMap((key): [string, Unclaimed][] => {
      const unclaimed = found.get(anonymousIdOf(key));
      return unclaimed === undefined ? [] : [[nameOf(key), unclaimed]];
    });
    return new AnonymousReceipts(lookup, new Map(left));
  }

  /** One that the segment itself tells, before what is looked at next. */
  remember(record: PreparedRecord): void {
    const sale = anonymousSale(record, this.lookup.members);
    if (sale === null) return;
    const { amount: leftOver, soldAt } = sale.receipt;
    this.leftOver.set(nameOf(sale.key), { leftOver, soldOn: dayOf(soldAt) });
  }

  /** @returns whether the receipt is nobody's; then that much is taken from it */
  take(key: Buffer, amount: string | undefined): boolean {
    const left = this.leftOver.get(nameOf(key))?.leftOver;
    if (left === undefined || isOwed(left)) return false;
    this.taken.push({ key, amount: amount ?? left });
    return true;
  }

  /** A return without a card whose sale nobody has told of: who is sold that later gets what this has left. */
  private owes(key: Buffer, { memberId, corrects, ofReceipt, facts: { amount } }: RoutedIntent): boolean {
    const days = ofReceipt?.rememberedDays ?? 0;
    if (memberId !== nobody || corrects !== undefined || days === 0 || !amount) return false;
    this.owed.push({ key, amount, days });
    return true;
  }

  /** As `take`, of a refund: it is known by its numbers from now on. */
  takeBy(key: Buffer, intent: RoutedIntent, identity: RecordIdentity): boolean {
    const isNobodys = this.take(key, takenBy(intent)) || this.owes(key, intent);
    if (isNobodys) this.knowBy(intent, identity);
    return isNobodys;
  }

  private knowBy(intent: RoutedIntent, { businessKey, businessMac, alias }: RecordIdentity): void {
    const laneId = this.lookup.members.get(memberKey(intent))?.laneId ?? null;
    const own = businessKey !== null && businessMac !== null ? [{ key: businessKey, mac: businessMac }] : [];
    for (const { key: number, mac } of [...own, ...(alias ? [alias] : [])]) {
      // Of whom we do not know nothing is kept that could not be forgotten.
      const contentMac = laneId === null && intent.memberId !== nobody ? noDigest : mac;
      this.numbers.push({ key: number, kind: 'business', contentMac, laneId, seq: null });
    }
  }

  /** Of what nobody has bought nothing is to be cancelled but what somebody may claim of it later. */
  asNobodys(cancels: readonly CancelToDo[]): CancelToDo[] {
    return cancels.map((item) => {
      const key = keyOfVoided(item.cancel, this.lookup.members);
      return key !== null && this.take(key, undefined)
        ? { ...item, cancel: { ...item.cancel, memberId: nobody } }
        : item;
    });
  }

  /**
   * Somebody claims a sale of which some has come back meanwhile, or which was told with another total or of another day, and so may
   * be another one: how much of it is theirs a person must say.
   */
  claimed(judged: JudgedRecord): JudgedRecord {
    const { record } = judged;
    const isNone = this.leftOver.size + this.lookup.unclaimed.size === 0;
    if (isNone || record.verdict.kind !== 'routed') return judged;
    const key = keyOfSale(judged);
    const over = key === null ? undefined : this.leftUncancelled(nameOf(key));
    const [intent] = record.verdict.intents;
    const claimedOn = dayOf(occurredAt(record));
    if (over === undefined || intent === undefined || isSame(over, intent, claimedOn)) return judged;
    const parked = claimOf(intent, over, claimedOn);
    return { ...judged, record: { ...record, verdict: { ...record.verdict, intents: [parked] } } };
  }

  /** What was voided is cancelled as it is claimed: nothing is left to be said of it. */
  private leftUncancelled(name: string): Unclaimed | undefined {
    if (this.lookup.awaited.get(name) === true) return undefined;
    return this.leftOver.get(name) ?? this.lookup.unclaimed.get(name);
  }

  /**
   * Writes what the segment has told and taken.
   * @param left marks of its voids
   * @returns marks under what was taken, so that who claims it sees that, and the numbers of what took it
   */
  async write(
    tools: WriteTools,
    judged: readonly JudgedRecord[],
    left: readonly IdentityToInsert[],
  ): Promise<IdentityToInsert[]> {
    const { session, context } = tools;
    const sold = judged.flatMap((item) =>
      item.identity !== null && item.verdict.kind === 'new'
        ? (anonymousSale(item.record, this.lookup.members) ?? [])
        : [],
    );
    if (sold.length > 0) {
      await session.query(insertStatement, [
        sold.map(({ key }) => anonymousIdOf(key)),
        sold.map(({ receipt }) => receipt.amount),
        sold.map(({ receipt }) => timestamp(context.now + receipt.days * dayMs)),
        sold.map(({ receipt }) => dayOf(receipt.soldAt)),
      ]);
      await this.takeFromList(
        tools,
        sold.map(({ key }) => key),
      );
    }
    if (this.taken.length > 0) {
      await session.query(takeStatement, [
        this.taken.map(({ key }) => anonymousIdOf(key)),
        this.taken.map(({ amount }) => amount),
      ]);
    }
    if (this.owed.length > 0) {
      await session.query(owedStatement, [
        this.owed.map(({ key }) => anonymousIdOf(key)),
        this.owed.map(({ amount }) => amount),
        this.owed.map(({ days }) => timestamp(context.now + days * dayMs)),
      ]);
    }
    return [...this.numbers, ...this.marks(left)];
  }

  private marks(left: readonly IdentityToInsert[]): IdentityToInsert[] {
    const { known, awaited } = this.lookup;
    const keys = new Map([...this.taken, ...this.owed].map(({ key }) => [nameOf(key), key]));
    for (const { key } of left) keys.delete(nameOf(key));
    return [...keys].flatMap(([name, key]): IdentityToInsert[] =>
      known.has(name) || awaited.has(name)
        ? []
        : [{ key, kind: 'mark', contentMac: noDigest, laneId: null, seq: null }],
    );
  }

  /** What waits for a sale that turns out to be nobody's takes nothing. */
  private async takeFromList(
    { session, keys, context: { now: at } }: WriteTools,
    sold: readonly Buffer[],
  ): Promise<void> {
    const waitedFor = sold.filter((key) => this.lookup.awaited.has(nameOf(key)));
    if (waitedFor.length === 0) return;
    const find = (): Promise<{ rows: WaitingRow[] }> => session.query<WaitingRow>(waitingStatement, [waitedFor]);
    const before = await find();
    await lockLanes(
      session,
      before.rows.map(({ laneId }) => laneId),
    );
    for (const { name, amount, ...place } of (await find()).rows) {
      const event = { type: 'IntentCancelled', at, by: 'source-event', reason: 'no-member' } as const;
      await appendByOthers(session, { ...place, event, evidence: null, settles: true }, keys.members);
      this.taken.push({ key: Buffer.from(name, 'hex'), amount: amount ?? '0' });
    }
  }
}

interface Taken {
  readonly key: Buffer;
  readonly amount: string;
}

const isSame = ({ leftOver, soldOn }: Unclaimed, { facts }: RoutedIntent, claimedOn: string): boolean =>
  leftOver === facts.amount && soldOn === claimedOn;

/** Nobody has told of the sale, and so much came back. */
const isOwed = (leftOver: string): boolean => leftOver.startsWith('-');

function leftOf(amount: string | null | undefined, owed: string): string {
  const left = sumOf([amount ?? '0', owed]);
  return isOwed(left) ? '0' : left;
}

/** A correction upwards gives. */
function takenBy({ corrects, facts }: RoutedIntent): string | undefined {
  return corrects === undefined ? facts.amount : changeOf({ previous: corrects.total, total: corrects.previous });
}

interface WaitingRow extends IdentityPlace {
  readonly amount: string | null;
  /** Hex key in `dedup` of the sale. */
  readonly name: string;
}
