import type { KnownIdentity, RoutedIntent } from '#intents/core';
import { addressedTo, nobody } from '#intents/core';
import type { SqlSession } from '#platform';

import type { JudgedRecord } from './identities.js';
import { businessDigest } from './identities.js';
import type { MemberCache } from './members.js';
import type { RecordVerdict } from './recording.js';

/** What is known of receipts while a segment's records are looked at in order. */
interface Receipts {
  readonly session: SqlSession;
  readonly members: MemberCache;
  readonly known: ReadonlyMap<string, KnownIdentity>;
  /** Of sales in the segment itself: whose they are, by their keys. */
  readonly own: Map<string, string>;
}

/** Whose a receipt is. `unknown`: nobody has told of it. `forgotten`: of a member who is erased. */
type Owner = { readonly kind: 'member'; readonly memberId: string } | { readonly kind: 'unknown' | 'forgotten' };

async function ownerOf(intent: RoutedIntent, { session, members, known, own }: Receipts): Promise<Owner> {
  if (intent.ofReceipt === undefined) return { kind: 'unknown' };
  const name = businessDigest(intent, intent.ofReceipt.key, members.all).toString('hex');
  const ownMember = own.get(name);
  if (ownMember !== undefined) return { kind: 'member', memberId: ownMember };
  const identity = known.get(name);
  if (identity === undefined || identity.place === null) return { kind: 'unknown' };
  if (identity.contentMac === null) return { kind: 'forgotten' };
  const { memberId, key } = await members.ofLane(session, identity.place.laneId);
  return key === null ? { kind: 'forgotten' } : { kind: 'member', memberId };
}

/** A record with what the receipt says of whose it is. */
async function addressed(judged: JudgedRecord, receipts: Receipts): Promise<JudgedRecord> {
  const { record, identity } = judged;
  if (identity === null || judged.verdict.kind !== 'new' || record.verdict.kind !== 'routed') return judged;
  const [intent] = record.verdict.intents;
  if (intent?.ofReceipt === undefined) return judged;
  const owner = await ownerOf(intent, receipts);
  if (owner.kind === 'forgotten') return { ...judged, verdict: { kind: 'forgotten' } };
  const memberId = owner.kind === 'member' ? owner.memberId : intent.memberId;
  if (memberId === nobody) return { ...judged, record: { ...record, verdict: nobodys(record.verdict) } };
  if (memberId === intent.memberId) return judged;
  const { isByEmail } = intent.ofReceipt;
  const intents = record.verdict.intents.map((each) => addressedTo(each, { memberId, isByEmail }));
  return { ...judged, record: { ...record, verdict: { ...record.verdict, intents } } };
}

function nobodys({ eventKeyText, eventContentText }: Extract<RecordVerdict, { kind: 'routed' }>): RecordVerdict {
  return { kind: 'ignored', reason: 'no-member', identity: { eventKeyText, eventContentText, member: null } };
}

function remember({ record, identity, ...judged }: JudgedRecord, own: Map<string, string>): void {
  if (!identity?.businessKey || record.verdict.kind !== 'routed' || !('verdict' in judged)) return;
  const [intent] = record.verdict.intents;
  const isTaken = judged.verdict.kind === 'new' || judged.verdict.kind === 'sold-again';
  if (isTaken && intent?.businessKey?.scope === 'purchase') {
    own.set(identity.businessKey.toString('hex'), intent.memberId);
  }
}

/**
 * Gives what takes a sale back to the member who got that, whomever its event names. Of a receipt that nobody knows it is the
 * named member's; where it names none, nothing is taken. Nothing is done, and nothing is asked, where no record takes back.
 */
export async function addressRefunds(
  { session, members }: Pick<Receipts, 'session' | 'members'>,
  records: readonly JudgedRecord[],
  known: ReadonlyMap<string, KnownIdentity>,
): Promise<readonly JudgedRecord[]> {
  if (!records.some(takesBack)) return records;
  const receipts: Receipts = { session, members, known, own: new Map() };
  const done: JudgedRecord[] = [];
  for (const judged of records) {
    const item = await addressed(judged, receipts);
    remember(item, receipts.own);
    done.push(item);
  }
  return done;
}

const takesBack = ({ record: { verdict } }: JudgedRecord): boolean =>
  verdict.kind === 'routed' && verdict.intents[0]?.ofReceipt !== undefined;
