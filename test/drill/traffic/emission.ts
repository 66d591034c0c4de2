import type { Chance, CloudEvent, Sent, Topic } from '#shop';
import { encode, whatOf } from '#shop';

/** What an event, if it is a good one, is to leave at the partner. */
export interface Owed {
  readonly operation: 'issue' | 'issue-via-workflow' | 'transaction';
  readonly memberId: string;
  /** The unique attribute's value at the partner; null where there is none. */
  readonly key: string | null;
  /** Of a transaction, no two of a member alike; null for an enrolment. */
  readonly minor: number | null;
  /** Program, store and purchase that a transaction names; null for an enrolment. */
  readonly purchase: string | null;
}

/** One record to be produced. */
export interface Emission {
  /** Such as `purchase.completed`, `useless`, `duplicate`. */
  readonly what: string;
  readonly topic: Topic;
  readonly key: string | null;
  /** Null: a tombstone. */
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Null where it owes nothing, or what it owes is owed by another already. */
  readonly owed: Owed | null;
}

const binaryShare = 0.2;

export function emissionOf(sent: Sent, chance: Chance): Emission {
  const { topic, key, content } = sent;
  const encoded = encode(content, chance.happens(binaryShare) ? 'binary' : 'structured');
  return { what: whatOf(sent), topic, key, ...encoded, owed: owedOf(sent) };
}

/** Of the first event that asks for it: an enrolment, a purchase or a refund. */
function owedOf({ content, fate, name }: Sent): Owed | null {
  if (content.kind !== 'event' || (fate !== 'owed' && fate !== 'stranded')) return null;
  if (name === 'member.enrolled') return enrolmentOwed(content.event);
  return name === 'purchase.completed' || name === 'purchase.refunded' ? transactionOwed(content.event) : null;
}

interface OwedData {
  readonly program: string;
  readonly memberId: string;
  readonly storeId: string;
  readonly purchaseId: string;
  readonly refundId?: string;
  readonly total: { readonly minor: number };
}

function enrolmentOwed({ data }: CloudEvent): Owed {
  const { program, memberId } = data as unknown as OwedData;
  const operation = program === 'coffee-club' ? 'issue' : 'issue-via-workflow';
  return { operation, memberId, key: null, minor: null, purchase: null };
}

/** As the programs file has it (`installation/programs.ts`): purchases of the tea club carry no unique value. */
function transactionOwed({ data }: CloudEvent): Owed {
  const { program, memberId, storeId, purchaseId, refundId, total } = data as unknown as OwedData;
  const number = refundId ?? purchaseId;
  const key = program === 'coffee-club' ? `${storeId}-${number}` : (refundId ?? null);
  return {
    operation: 'transaction',
    memberId,
    key,
    minor: total.minor,
    purchase: `${program} ${storeId} ${purchaseId}`,
  };
}
