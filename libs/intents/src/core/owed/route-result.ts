import type { Priority } from '../lane/priority.js';
import type { IdentityPlace } from '../identity/judge-identities.js';
import type { Operation } from '../operation.js';
import type { TotalChange } from '../receipt/account.js';
import { sumOf } from '../receipt/account.js';
import { withTotalSaid } from './of-total.js';
import type { LookupKey, PartnerCommand, TransactionCommand } from './partner-command.js';

/** Why a source event comes to nothing: counted, never set aside. */
export const IGNORED_REASONS = [
  'no-member',
  'unknown-program',
  'nothing-changed',
  'not-mapped',
  'does-not-count',
  'void-after-delivery',
  'nothing-to-cancel',
  'tombstone',
  'row-deleted',
  'row-changed',
  'unmapped',
  'stale',
  'duplicate-event',
  'duplicate-business-key',
] as const;

export type IgnoredReason = (typeof IGNORED_REASONS)[number];

/** Why a record is set aside (contracts.md section 1, What bad input gets). */
export const QUARANTINE_REASONS = [
  'unreadable',
  'oversized',
  'invalid',
  'unsupported-type',
  'unknown-program',
  'unroutable',
  'not-allowed',
  'not-permitted',
  'conflict',
  'place-differs',
  'erased',
] as const;

export type QuarantineReason = (typeof QUARANTINE_REASONS)[number];

/**
 * A business key (contracts.md section 1, Identity): the till's own number for a thing, unique per program for ever.
 * `parts` are joined by the caller into the text that is hashed into `dedup.key`; an enrolment's key is completed by
 * the member's generation, which only the database knows (`perGeneration`).
 */
export interface BusinessKey {
  readonly scope:
    | 'purchase'
    | 'refund'
    | 'return'
    | 'void'
    | 'refund-void'
    | 'correction'
    | 'grant'
    | 'campaign'
    | 'revocation'
    | 'enrolment'
    /** Of which only its room knows: `rewards.redemption`. */
    | `${string}.${string}`;
  readonly parts: readonly string[];
  readonly perGeneration: boolean;
  /** Of its member: who enrols after an erasure is a new one. Absent: it is the same for ever. */
  readonly perLife?: true;
}

/** What stays readable beside the encrypted payload, for search and for the value at stake. Never personal. */
export interface IntentFacts {
  readonly storeId?: string;
  readonly purchaseId?: string;
  /** Exact decimal text with the digits of the event, without a sign: `5999.00`. */
  readonly amount?: string;
  readonly currency?: string;
  /** `RewardCommand.validUntil`. */
  readonly validUntil?: string;
}

/**
 * The sale that something takes back. That says whose it is (`addressedTo`), whomever its event names: a return without the card,
 * or with the card of who got it as a present.
 */
export interface TakenBack {
  readonly key: BusinessKey;
  /** As `CancelRequest`. */
  readonly isByEmail: boolean;
  /** What becomes of it while nobody has told of the sale: it steps aside for that, or waits in its place and is posted. */
  readonly ifUnknown: 'park' | 'post';
  /** For how long a return without a card is remembered, where nobody has told of the sale. 0: it is not. */
  readonly rememberedDays: number;
}

/** A sale without a card: it asks for nothing, and is remembered so that its returns take from nobody. */
export interface AnonymousReceipt {
  readonly program: string;
  readonly key: BusinessKey;
  /** Exact decimal text. */
  readonly amount: string;
  /** Epoch ms. */
  readonly soldAt: number;
  /** For how long it is remembered. */
  readonly days: number;
}

/** The till's own number of a sale or refund that cannot be taken in: what takes that back must not be taken for another one's. */
export interface RefusedNumber {
  readonly program: string;
  readonly key: BusinessKey;
}

export interface RoutedIntent {
  readonly program: string;
  readonly memberId: string;
  readonly operation: Operation;
  /** Absent only for an intent that is born parked. */
  readonly command: PartnerCommand | null;
  readonly businessKey: BusinessKey | null;
  /** Canonical text of what must be equal when the same business key comes again under a new event id. */
  readonly businessContent: string | null;
  /** Another number that it is known by, and what must be equal then. Absent: none. */
  readonly alias?: { readonly key: BusinessKey; readonly content: string };
  /** The intent waits until the intent with this business key has settled (a refund for its purchase). */
  readonly waitsFor: BusinessKey | null;
  /** It takes a sale back, or some of one. Absent: it does not. */
  readonly ofReceipt?: TakenBack;
  /** It corrects the total of its receipt's sale, by the amount of `facts`. Absent: it does not. */
  readonly corrects?: TotalChange;
  /** The sale that it corrects says so itself: nothing of it has left. Absent: it does not. */
  readonly inSale?: IdentityPlace;
  /** It also waits where that is not known yet. Absent: then it goes at once. */
  readonly awaitsUnknown?: true;
  /** Born parked: no call can be made, a person must look. */
  readonly parked: {
    readonly reason: 'unroutable' | 'merged' | 'conflict' | 'not-a-member' | 'missing-purchase' | 'over-refund';
    readonly detail: string;
    /** Of a sale that is claimed: how much of it had come back without a card. Absent: nothing. */
    readonly cameBack?: string;
    /** Of a void of a whole sale: it goes by itself, of what is left, once all else of the receipt is settled. Absent: a person sends it. */
    readonly takesRest?: true;
  } | null;
  /** Born parked: paths of the profile that its event takes back all the same. */
  readonly withdraws?: readonly string[];
  /** As the programs file says by type or source; absent: by its operation. */
  readonly priority?: Priority;
  readonly facts: IntentFacts;
  /** What it says that was paid, as `CancelRequest.total`; absent where nothing is. */
  readonly total?: string;
}

/** The member id of a void that names no member: what it means says whose it is. No member has it. */
export const nobody = '';

/**
 * Ask to cancel what has not begun: a voided purchase, a revoked grant, everything of a member who left.
 * Cancels come before the `intents` of the same result: those are never cancelled by it.
 */
export interface CancelRequest {
  readonly program: string;
  /** Whom the event names, perhaps `nobody`, or in whom that one lives on. The target may be another member's. */
  readonly memberId: string;
  /** Whom it names where that one lives on in another; absent: `memberId`. */
  readonly absorbed?: string;
  readonly target: BusinessKey | 'everything-queued';
  readonly reason: 'voided' | 'revoked' | 'opted-out';
  /**
   * To be recorded when the target has begun or was delivered: the mapped counter-entry, or an intent born parked. It is
   * that member's whose the target is (`addressedTo`). `null`: nothing, the event then counts as ignored
   * `void-after-delivery`.
   */
  readonly ifTooLate: RoutedIntent | null;
  /** The program looks passes up by their email: what is recorded for another member looks for that member's. */
  readonly isByEmail?: true;
  /** The amount that it names, with its currency: where the target is not known yet, both must agree. Absent: none. */
  readonly total?: string;
}

/** That members live on in another one, or do so no longer. */
export interface Merge {
  /** The member id of the survivor. */
  readonly into: string;
  readonly absorbed: readonly string[];
  /** The merge is taken back. */
  readonly isUndone: boolean;
}

/** What an event does to the member itself, beside its intents. */
export interface MemberEffects {
  /** The member left the program: the next enrolment is a new one (contracts.md section 1, Identity). */
  readonly raisesGeneration: boolean;
  /** The erasure of contracts.md section 7 is to run once the intents of this event are settled. */
  readonly erase: boolean;
  /** Members of its program that live on in this one, or do so no longer. Absent: none. */
  readonly merge?: Merge;
}

/** A record's half that is set aside for a person, while the other half takes effect. */
export interface LeftForPerson {
  readonly reason: QuarantineReason;
  readonly detail: string;
}

/**
 * What an event has done to other members, or to its own for ever, by its own word alone: each is audited, and they are
 * limited by hour and program.
 */
export interface OwnWord {
  readonly program: string;
  readonly does: 'erase' | 'merge' | 'unmerge';
  /** How many members it is about. */
  readonly members: number;
  /** So many within 60 minutes, at most. */
  readonly perHour: number;
}

/** Total result of routing one valid source event through the programs file. Pure and deterministic. */
export type RouteResult =
  | {
      readonly kind: 'routed';
      readonly intents: readonly RoutedIntent[];
      readonly cancels: readonly CancelRequest[];
      /** Only where there are any. */
      readonly memberEffects?: MemberEffects;
      /** Absent: it does nothing that takes more than its own word, or a person has said it. */
      readonly ownWord?: OwnWord;
      /** Absent: all of it takes effect. */
      readonly leftForPerson?: LeftForPerson;
    }
  | { readonly kind: 'ignored'; readonly reason: IgnoredReason; readonly receipt?: AnonymousReceipt }
  | {
      readonly kind: 'quarantine';
      readonly reason: QuarantineReason;
      readonly detail: string;
      /** Absent: it tells of no sale or refund, or its number cannot be read. */
      readonly number?: RefusedNumber;
    };

/** The first text that is an email, as what the partner looks a pass up by; null: none is. */
export function emailKeyOf(texts: readonly (string | null | undefined)[]): LookupKey | null {
  const email = texts.find((text) => text?.includes('@'));
  return email ? { parameter: 'email', value: email } : null;
}

/** What takes something back, for the member whose that is: whom its event names may be another one, or nobody. */
export function addressedTo(
  intent: RoutedIntent,
  { memberId, isByEmail }: { readonly memberId: string; readonly isByEmail: boolean },
): RoutedIntent {
  if (intent.command === null) return { ...intent, memberId };
  const { by: _named, ...command } = intent.command;
  const by = isByEmail ? emailKeyOf([memberId]) : null;
  return { ...intent, memberId, command: { ...command, uniqueId: memberId, ...(by !== null && { by }) } };
}

/** A transaction of so much more or less; null: it is none, or nothing would be left of it. */
export function changedBy(command: PartnerCommand | null, change: string): TransactionCommand | null {
  if (command?.operation !== 'transaction') return null;
  const { amount } = command;
  const changed = sumOf([amount.replace('-', ''), change]);
  if (changed.startsWith('-')) return null;
  return withTotalSaid({ ...command, amount: withSignOf(amount, changed) });
}

const withSignOf = (signed: string, amount: string): string =>
  signed.startsWith('-') && /[1-9]/.test(amount) ? `-${amount}` : amount;

/** The same transaction of another amount, an exact decimal without a sign. */
export function commandOfAmount(command: TransactionCommand, amount: string): TransactionCommand {
  return withTotalSaid({ ...command, amount: withSignOf(command.amount, amount) });
}

/** The same of another amount, an exact decimal without a sign. */
export function ofAmount(intent: RoutedIntent, amount: string): RoutedIntent {
  const { command } = intent;
  const facts = { ...intent.facts, amount };
  if (command?.operation !== 'transaction') return { ...intent, facts };
  return { ...intent, facts, command: commandOfAmount(command, amount) };
}

export function routed(intents: readonly RoutedIntent[], cancels: readonly CancelRequest[] = []): RouteResult {
  return { kind: 'routed', intents, cancels };
}

export function ignored(reason: IgnoredReason, receipt?: AnonymousReceipt): RouteResult {
  return { kind: 'ignored', reason, ...(receipt && { receipt }) };
}

export function quarantine(reason: QuarantineReason, detail: string): RouteResult {
  return { kind: 'quarantine', reason, detail };
}

/**
 * The intent that carries an event's business key, if it has one: the first, or what is recorded where the event comes too
 * late to cancel. The latter's key is the event's only as soon as it is recorded.
 */
export function keyedIntent(route: {
  readonly intents: readonly RoutedIntent[];
  readonly cancels: readonly CancelRequest[];
}): RoutedIntent | null {
  return route.intents[0] ?? route.cancels[0]?.ifTooLate ?? null;
}

/** Whether a `CancelRequest.total` is what this command, in its currency, asks for; what is no transaction has none. */
export function isSoldFor(total: string, command: PartnerCommand, currency: string | null): boolean {
  if (command.operation !== 'transaction' || currency === null) return true;
  const [amount = '', of] = total.split(' ');
  return of === currency && shortAmount(command.amount.replace('-', '')) === shortAmount(amount);
}

/** A person who corrects an amount may write 60 or 60.0 for 60.00. */
function shortAmount(amount: string): string {
  return amount.includes('.') ? amount.replace(/\.?0+$/, '') : amount;
}
