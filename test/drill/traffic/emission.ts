import type { Chance, CloudEvent, EventName, Sent, Topic } from '#shop';
import { encode, eventsOf, nameOf, whatOf } from '#shop';

/** What an event, if it is a good one, may leave at the partner. */
export interface Told {
  readonly operation: 'issue' | 'issue-via-workflow' | 'transaction';
  /** Whom it names; empty: nobody. */
  readonly memberId: string;
  /** The unique attribute's value at the partner; null where there is none. */
  readonly key: string | null;
  /** Of a transaction; null for an enrolment. */
  readonly minor: number | null;
  /** Program, store and purchase that a transaction names; null for an enrolment. */
  readonly purchase: string | null;
  /** What it tells of: however often it is told, and by whom, one effect of it is there at most. */
  readonly thing: string;
  /** Of a return: the sale that it takes back, and whether it comes after that only (`refundUnknown`). */
  readonly takesBack: { readonly sale: string; readonly isAfterIt: boolean } | null;
  /** It is there, or a person can see why not; else it may be there. */
  readonly isOwed: boolean;
}

/** One record to be produced. */
export interface Emission {
  /** Such as `purchase.completed`, `useless`, `duplicate`. */
  readonly what: string;
  readonly topic: Topic;
  /** In a market's own form, by its own topic. */
  readonly isReceipt: boolean;
  readonly key: string | null;
  /** Null: a tombstone. */
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Nothing where nothing can come of it, or nothing that another has not told already. */
  readonly told: readonly Told[];
}

const binaryShare = 0.2;

export function emissionOf(sent: Sent, chance: Chance): Emission {
  const { topic, key, content } = sent;
  const encoded = encode(content, chance.happens(binaryShare) ? 'binary' : 'structured');
  return { what: whatOf(sent), topic, isReceipt: content.kind === 'receipt', key, ...encoded, told: toldBy(sent) };
}

function toldBy({ content, fate, part }: Sent): readonly Told[] {
  if (part !== null && part !== 'no-member') return [];
  return eventsOf(content).flatMap((event) => {
    const name = nameOf(event);
    const effectOf = name === null ? undefined : effects[name];
    if (effectOf === undefined) return [];
    // What somebody claims is theirs, or a person decides.
    const isClaimed = name === 'purchase.completed' && part === null;
    return [{ ...effectOf(event), isOwed: isClaimed || fate === 'owed' || fate === 'stranded' }];
  });
}

type Effect = Omit<Told, 'isOwed'>;

interface Receipt {
  readonly storeId: string;
  readonly purchaseId: string;
}

interface ToldData extends Receipt {
  readonly program: string;
  readonly memberId?: string;
  readonly total: { readonly minor: number };
}

interface ReturnData extends ToldData {
  readonly refundId: string;
  readonly returnId: string;
  readonly original?: Receipt;
}

function enrolment({ data }: CloudEvent): Effect {
  const { program, memberId = '' } = data as unknown as ToldData;
  const operation = program === 'coffee-club' ? 'issue' : 'issue-via-workflow';
  const thing = `pass ${memberId}`;
  return { operation, memberId, key: null, minor: null, purchase: null, thing, takesBack: null };
}

/** As the programs file has it (`installation/programs.ts`): receipts of the tea club are told apart without their store. */
function saleOf(program: string, { storeId, purchaseId }: Receipt): string {
  return program === 'coffee-club' ? `sale ${program} ${storeId} ${purchaseId}` : `sale ${program} ${purchaseId}`;
}

function transaction({ program, memberId = '', storeId, purchaseId, total: { minor } }: ToldData) {
  return { operation: 'transaction', memberId, minor, purchase: `${program} ${storeId} ${purchaseId}` } as const;
}

/** Purchases of the tea club carry no unique value. */
function sale({ data }: CloudEvent): Effect {
  const told = data as unknown as ToldData;
  const { program, storeId, purchaseId } = told;
  const key = program === 'coffee-club' ? `${storeId}-${purchaseId}` : null;
  return { ...transaction(told), key, thing: saleOf(program, told), takesBack: null };
}

function takenBack({ data }: CloudEvent): Effect {
  const told = data as unknown as ReturnData;
  const { program, storeId, refundId, returnId, original = told } = told;
  const isCoffee = program === 'coffee-club';
  const key = isCoffee ? `${storeId}-${refundId}` : refundId;
  const takesBack = { sale: saleOf(program, original), isAfterIt: isCoffee };
  return { ...transaction(told), key, thing: `return ${program} ${returnId}`, takesBack };
}

/** A correction tells its sale once more, with another total. */
const effects: Partial<Record<EventName, (event: CloudEvent) => Effect>> = {
  'member.enrolled': enrolment,
  'purchase.completed': sale,
  'purchase.corrected': sale,
  'purchase.refunded': takenBack,
};
