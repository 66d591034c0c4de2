/** What the judge is given and what it answers. Plain data, all of it as somebody outside of the service sees it. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined };
export type JsonObject = { readonly [key: string]: Json | undefined };

/** One record as its producer sent it. Records are given in the order of their acknowledgement. */
export interface SourceRecord {
  /** `TOPIC/PARTITION/OFFSET`: what lists and outcomes name as their cause. */
  readonly place: string;
  readonly key: string | null;
  readonly headers: { readonly [name: string]: string };
  /** The value as text or as parsed JSON; null is a tombstone. Text that is not JSON stays text. */
  readonly value: Json;
  readonly sentAtMs?: number;
  /** By when the service is known to have read it, as its consumer group tells everybody. */
  readonly readByMs?: number;
  /** By which declared source it came: found out by the judge, of what is no event of ours. */
  readonly source?: DeclaredSource;
}

/** The programs file as parsed YAML: plain data, read leniently. */
/** What comes by topics of its own, in a form of its own, and what it may say. */
export interface DeclaredSource {
  readonly topics: readonly string[];
  readonly types: readonly string[];
  readonly programs: readonly string[];
}

export interface ProgramsFile {
  readonly unknownProgram?: string;
  readonly sources?: { readonly [name: string]: DeclaredSource };
  readonly programs: { readonly [name: string]: Program };
}

export interface Program {
  readonly brandId: string | number;
  readonly programId: string | number;
  readonly currency?: string;
  /** Digits that an amount may have besides those of ISO 4217. */
  readonly currencyDigits?: number;
  readonly notBefore?: string;
  readonly uniqueIdKey?: string;
  readonly templateId?: string | number;
  readonly update?: { readonly via?: string };
  readonly tiers?: { readonly [tier: string]: string | number };
  readonly personAttributes?: { readonly [name: string]: Json };
  readonly purchaseKey?: readonly string[];
  readonly grantKey?: readonly string[];
  readonly refundUnknown?: string;
  readonly anonymousReceiptDays?: number;
  readonly ignoreReceipts?: { readonly [path: string]: Json | undefined };
  readonly purchases?: { readonly [kind: string]: TransactionMapping | undefined };
  readonly rewards?: { readonly [reward: string]: RewardMapping };
  readonly revoked?: { readonly via?: string; readonly id?: string | number; readonly pointsDelta?: number };
  readonly inFlightMs?: number;
  readonly onUnknown?: { readonly [operation: string]: string };
  readonly existingPass?: { readonly points?: string };
}

export interface TransactionMapping {
  readonly via?: string;
  readonly transactionTypeId?: string | number;
  readonly sign?: number;
  readonly attributes?: { readonly [name: string]: Json };
  readonly uniqueAttribute?: string;
  readonly uniqueEnforced?: boolean;
  readonly pointsDelta?: number;
}

export type RewardMapping =
  | string
  | number
  | {
      readonly id: string | number;
      readonly pointsDelta?: number;
      readonly spendsPoints?: boolean;
      readonly once?: string;
    };

/** What an operator asked for, and was granted. */
export interface OperatorAct {
  readonly act: 'replay' | 'resolve' | 'cancel' | 'correct' | 'resubmit' | 'discard' | 'erase' | 'adopt' | 'repair';
  /** The record that caused the intent, or that was set aside. */
  readonly place?: string;
  /** Of which event it is, where its record tells several: its type. */
  readonly type?: string;
  readonly program?: string;
  readonly member?: string;
  /** `resubmit`: the parts that replace those that arrived. */
  readonly corrected?: {
    readonly key?: string;
    readonly headers?: { readonly [name: string]: string };
    readonly value?: Json;
  };
  /** `correct`: what is to be sent instead of the event's own `data`. */
  readonly data?: JsonObject;
  readonly atMs?: number;
}

export interface PartnerPass {
  readonly brandId: string;
  readonly programId: string;
  readonly passId: string;
  readonly serialNumber?: string;
  /** Left out where the partner does not show it: then it is not judged. */
  readonly person?: JsonObject;
  readonly passdata: JsonObject;
  readonly templateId?: string | null;
  readonly templateTierId?: string | null;
  readonly groupId?: string | null;
  readonly currentMessage?: string | null;
  /** 200, 300 or 900. */
  readonly smsSubscription?: number | null;
}

/** One effect at the partner, as its own ledger has it. */
export interface LedgerEntry {
  readonly seq: number;
  readonly operation: string;
  readonly brandId: string;
  readonly programId: string;
  readonly passId: string | null;
  /** Id in the call's path: of the transaction type, the reward or the workflow. */
  readonly targetId: string | null;
  readonly requestId?: string;
  readonly arrivedAtMs?: number;
  readonly appliedAtMs?: number;
  readonly body: JsonObject | null;
}

export interface Partner {
  readonly passes: readonly PartnerPass[];
  readonly ledger: readonly LedgerEntry[];
  /** `seq` of the effects that other systems are known to have caused. */
  readonly others?: readonly number[];
  /** Ids of passes that others issued, or that were there before. */
  readonly otherPasses?: readonly string[];
  /** It is known to take a second time what it calls unique. */
  readonly breaksUniqueness?: boolean;
}

/** One line of a list that a person can see: the quarantine, or the intents that are not delivered. */
export interface ListEntry {
  readonly list: 'quarantined' | 'parked' | 'cancelled' | 'waiting' | 'open';
  readonly place: string;
  /** Of which event it is, where its record tells several: its type. */
  readonly type?: string;
  readonly reason: string | null;
  readonly member?: string | null;
  readonly operation?: string;
  /** Quarantine: what somebody did with it. */
  readonly dealtWith?: 'resubmitted' | 'discarded' | null;
  /** Since when it stands there for this reason. */
  readonly sinceMs?: number;
}

export interface Case {
  readonly records: readonly SourceRecord[];
  readonly programs: ProgramsFile;
  /** The file was another one for a while: what was set aside by it is not held against this one. */
  readonly hasReloaded?: boolean;
  /**
   * Transaction types by which such a file posted what the present one posts by another, to that one: each is posted once by one of
   * them, whichever was in force when it left. Left out: there were none.
   */
  readonly typesBefore?: Readonly<Record<string, string>>;
  /**
   * How far the service's clocks were wrong at most; left out: they were right. Of two events whose times lie closer together,
   * nobody outside can say which one it took for the newer.
   */
  readonly clocksWrongMs?: number;
  readonly operators: readonly OperatorAct[];
  readonly partner: Partner;
  readonly lists: readonly ListEntry[];
  /** Values of the outcomes topic, in its order; left out where that topic is turned off. */
  readonly outcomes?: readonly JsonObject[];
}

export const rules = {
  vanished: 'a record has neither an effect nor a place in a list',
  'set-aside-wrongly': 'a record was set aside for a reason that is not so',
  'taken-in-part': 'of what one record tells a part was taken, and the record is set aside',
  'beyond-authority': 'a source said what it may not, and it was taken',
  'no-reason': 'a list says that something is not done, and not why',
  'list-wrong': 'a list names another member than the record',
  'pass-missing': 'an enrolled member has no pass',
  'pass-twice': 'a member has two passes',
  'pass-unasked': 'there is a pass that nobody asked for',
  'pass-differs': 'the pass is not as the newest enrolment and updates say',
  'points-set-wrong': 'points were set to what no event says',
  'points-wrong': 'the points of a pass do not add up',
  'sale-missing': 'a sale is not there',
  'sale-twice': 'a sale is there more than once',
  'sale-amount': 'a sale has another amount',
  'sale-member': 'a sale is on another member',
  'sale-date': 'a sale has another date',
  'sale-attributes': 'a sale has other attributes',
  'sale-though-voided': 'a sale is there though it was voided in time',
  'refund-missing': 'a refund is not there',
  'refund-twice': 'a refund is there more than once',
  'refund-amount': 'a refund has another amount',
  'refund-sign': 'a refund has the sign of a sale',
  'refund-member': 'a refund is on another member',
  'refund-date': 'a refund has another date',
  'refund-attributes': 'a refund has other attributes',
  'refund-without-sale': 'a refund is there, and its sale was cancelled',
  'refund-though-voided': 'a refund is there though it was voided in time',
  'refund-before-sale': 'a refund took effect before its sale',
  'over-refund': 'more came back of a sale than was paid',
  'counter-missing': 'a voided sale is there, and its counter-entry is not',
  'counter-waiting': 'a void waits for a person though all returns of its sale are known',
  'counter-twice': 'a counter-entry is there more than once',
  'counter-amount': 'a counter-entry has another amount',
  'counter-member': 'a counter-entry is on another member',
  'counter-date': 'a counter-entry has another date',
  'counter-attributes': 'a counter-entry has other attributes',
  'counter-without-sale': 'a counter-entry is there, and its sale is not',
  'correction-missing': 'a correction of a sale is not there',
  'correction-twice': 'a correction of a sale is there more than once',
  'correction-amount': 'a correction has another amount than the difference',
  'correction-member': 'a correction is on another member',
  'correction-date': 'a correction has another date',
  'correction-attributes': 'a correction has other attributes',
  'correction-without-sale': 'a correction is there, and its sale was cancelled',
  'correction-before-sale': 'a correction took effect before its sale',
  'taken-from-another':
    'a return may mean a sale that stands in quarantine, and was taken from the member of another one',
  'digits-taken': 'an amount was sent whose digits are not those of its currency',
  'transaction-unasked': 'there is a transaction that no event asks for',
  'reward-missing': 'a reward is not there',
  'reward-twice': 'a reward is there more often than granted',
  'reward-though-revoked': 'a reward is there though it was revoked in time',
  'reward-though-expired': 'a reward is there though it was sent when it was good no longer',
  'reward-before-sale': 'a reward that spends points passed a sale before it that is held',
  'reward-of-no-sale': 'a reward is there, and the sale that it names was cancelled or taken back before it',
  'reward-unasked': 'there is a reward that no event asks for',
  'revocation-vanished': 'a revoked reward is there, and nobody is told',
  'left-yet-sent': 'what happened after its member had left is there',
  'erased-yet-sent': 'what was told after its member was erased is there',
  'number-of-another': 'an enrolment of somebody else under a number was taken without a person',
  'absorbed-yet-sent': 'what was told of an absorbed member is on that member, not on the one who lives on',
  'left-unasked': 'a list says that a member has left who has not',
  'held-wrongly': 'a list says held of what nothing may pass',
  'cancelled-unasked': 'something was cancelled that nobody took back',
  'cancelled-yet-there': 'a list calls cancelled what is there',
  'refused-yet-there': 'a list calls refused what is there',
  'correction-ignored': 'an operator mended something, and it still stands where it stood',
  'told-untrue': 'the shop was told something that is not so',
  'told-other-pass': 'the shop was told the pass of another member',
  'not-told': 'something took effect, and the shop was not told',
} as const;

export type Rule = keyof typeof rules;

/** Assumptions about the partner and other systems that do not hold: counted, never hidden. */
export type Bucket =
  | 'somebody-elses-points'
  | 'somebody-elses-receipt'
  | 'somebody-elses-effect'
  | 'partner-applied-late'
  | 'partner-applied-out-of-order'
  | 'partner-applied-twice'
  | 'partner-broke-uniqueness'
  | 'resent-as-asked'
  | 'operator-decided'
  | 'erased';

export interface Finding {
  readonly rule: Rule;
  readonly program: string | null;
  readonly member: string | null;
  /** What is wrong, with both values, in one line. */
  readonly what: string;
  readonly place?: string;
}

export interface Verdict {
  readonly findings: readonly Finding[];
  readonly buckets: { readonly [bucket in Bucket]: number };
  /** How much was looked at: a judge that looks at nothing finds nothing. */
  readonly judged: Judged;
}

export interface Judged {
  records: number;
  events: number;
  members: number;
  fields: number;
  points: number;
  sales: number;
  refunds: number;
  counters: number;
  corrections: number;
  rewards: number;
  outcomes: number;
}
