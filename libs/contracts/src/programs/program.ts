import type { AttributeDataType } from '../partner/brands.js';
import type { DeclaredSource } from './source.js';

/**
 * The programs file after validation (contracts.md section 2), every default filled in. Plain JSON data, frozen, so
 * that its canonical text can be hashed and stored.
 */
export interface ProgramsFile {
  /** What happens to an event of a program that is not in the file. */
  readonly unknownProgram: 'quarantine' | 'ignore';
  readonly programs: Readonly<Record<string, Program>>;
  /** Absent where nothing is declared: then the file means what it meant before there was such a section. */
  readonly provision?: ProvisionSection;
  /** By their names. Absent: the native topics alone are read. */
  readonly sources?: Readonly<Record<string, DeclaredSource>>;
}

/** Where a value sent to the partner comes from: a path into the event's `data`, or a constant. */
export type PlainSource =
  | {
      readonly kind: 'path';
      /** The path's segments: `attributes.campaign` is `['attributes', 'campaign']`. */
      readonly path: readonly string[];
      /** Absent at the source: `false` omits the attribute, `true` makes the event `invalid`. */
      readonly required: boolean;
    }
  | { readonly kind: 'value'; readonly value: string | number | boolean };

/** Values of several paths as one text, so that different values never give the same one. */
interface JoinedSource {
  readonly kind: 'join';
  readonly paths: readonly (readonly string[])[];
  /** One character between two parts; where it stands within a part it is written as `%2D`, and `%` as `%25`. */
  readonly separator: string;
  /** As of a path: any part may be the one that is absent. */
  readonly required: boolean;
}

/** When it happened by the clock of the till's own place, as the event's `time` writes it: `2026-01-01`, `00:30:00`, or both. */
interface LocalSource {
  readonly kind: 'local';
  readonly part: 'date' | 'time' | 'dateTime';
}

export type AttributeSource = PlainSource | JoinedSource | LocalSource;

/** Every path of the event's `data` that a value is made of; none for a constant. */
export function pathsOf(source: AttributeSource): readonly (readonly string[])[] {
  switch (source.kind) {
    case 'path':
      return [source.path];
    case 'join':
      return source.paths;
    case 'value':
    case 'local':
      return [];
    default:
      return source satisfies never;
  }
}

/** How a purchase that was completed, refunded or voided becomes a transaction (partner-api.md 4.7). */
export interface TransactionMapping {
  readonly via: 'transaction';
  readonly transactionTypeId: string;
  readonly sign: 1 | -1;
  readonly attributes: Readonly<Record<string, AttributeSource>>;
  /** One of `attributes`, or `null`. */
  readonly uniqueAttribute: string | null;
  /** The operator's claim that the partner refuses a second transaction with the same value. */
  readonly uniqueEnforced: boolean;
  /** By how much one such transaction moves the pass's points; known only where always the same. */
  readonly pointsDelta: number | null;
}

interface NotMapped {
  readonly via: 'none';
}

/** A reward at the partner (partner-api.md 4.6). */
export interface RewardMapping {
  readonly id: string;
  readonly pointsDelta: number | null;
  /** Whether it goes after all sales of its member before it, also those that are held. Absent: where `pointsDelta` is below 0. */
  readonly spendsPoints?: boolean;
  /** Where a grant says what it is given for once to each member, such as a campaign. Segments as in `AttributeSource`. Absent: each grant is given. */
  readonly once?: readonly string[];
}

/** What to do when the partner's answer was lost: a person looks, send again, or ask the partner first. */
type UnknownPolicy = 'park' | 'resend' | 'probe';
type ParkPolicy = 'block' | 'continue';
type PriorityLevel = 'high' | 'normal' | 'low';

/** The operations as the programs file groups them; `issue` and `update` include their workflow forms. */
type OperationGroup = 'issue' | 'update' | 'transaction' | 'reward' | 'schedule-update';

/** A workflow of the partner (4.3). */
export interface WorkflowMapping {
  readonly via: 'workflow';
  /** Where `choose` names no other one. */
  readonly workflowId: string;
  /** Another one, by the text of a field of the event's `data`. Absent: none; then the file means what it meant before. */
  readonly choose?: { readonly by: readonly string[]; readonly workflows: Readonly<Record<string, string>> };
}

/** A field of an event's `data`, and values of it. */
export interface FieldValues {
  /** Segments as in `AttributeSource`. */
  readonly path: readonly string[];
  readonly values: readonly (string | number | boolean)[];
}

export interface Program {
  readonly brandId: string;
  readonly programId: string;
  /** ISO 4217; `null` only where no purchase is mapped. */
  readonly currency: string | null;
  /**
   * How many `digits` an amount of this currency may have besides those of ISO 4217: for producers that count in tenths of a
   * cent. `null`: no others.
   */
  readonly currencyDigits: number | null;
  /** Epoch ms: what happened earlier says a clock that was reset. */
  readonly notBefore: number;
  /** The key in `passdata.metaData` that carries our memberId. */
  readonly uniqueIdKey: string;
  readonly lookup: { readonly by: 'unique_id' | 'email' | 'person_id' };
  readonly enrolment: { readonly via: 'issue' } | WorkflowMapping;
  readonly update: WorkflowMapping | { readonly via: 'schedule' } | NotMapped;
  /** Whether an enrolment of a member who has a pass already sets its points: a shop's usual 0 would wipe a balance. */
  readonly existingPass: { readonly points: 'keep' | 'overwrite' };
  readonly templateId: number | null;
  /** Our tier -> the partner's templateTierId. */
  readonly tiers: Readonly<Record<string, number>>;
  /** Our tier -> the template of its passes, where it is another one than `templateId`. Absent: none. */
  readonly tierTemplates?: Readonly<Record<string, number>>;
  /** The partner's name of a child attribute -> where its value comes from. */
  readonly personAttributes: Readonly<Record<string, PlainSource>>;
  /** What makes a purchase number unique; always contains `purchaseId`. Segments as in `AttributeSource`. */
  readonly purchaseKey: readonly (readonly string[])[];
  /** What makes a grant's number unique; always contains `grantId`. A revocation means the grant with the same key. */
  readonly grantKey: readonly (readonly string[])[];
  /** A refund of a purchase that nobody knows steps aside for that, or is posted when it has waited for it. */
  readonly refundUnknown: 'park' | 'post';
  /** For so long a sale without a card is remembered, so that nobody's card is charged with its returns; 0: not at all. */
  readonly anonymousReceiptDays: number;
  /** Purchases, refunds and voids that do not count: a field of theirs is one of these values, as text. */
  readonly ignoreReceipts: readonly FieldValues[];
  readonly purchases: {
    /** `null`: not configured, such an event is unroutable; `via: none`: ignored on purpose. */
    readonly completed: TransactionMapping | NotMapped | null;
    readonly refunded: TransactionMapping | NotMapped | null;
    /** What a void sends when the purchase was delivered already. */
    readonly voided: TransactionMapping | NotMapped;
    /** The same of a void that means a refund. */
    readonly refundVoided: TransactionMapping | NotMapped;
    /** What a correction of a sale's total sends, by how much that changed, when the sale may be there already. */
    readonly corrected: TransactionMapping | NotMapped;
  };
  /** Our reward -> the partner's. */
  readonly rewards: Readonly<Record<string, RewardMapping>>;
  /** What a revocation sends when the grant was delivered already; `none` parks it for a person. */
  readonly revoked: NotMapped | ({ readonly via: 'reward' } & RewardMapping);
  readonly missingPass: { readonly waitMs: number };
  /** What becomes of what was kept while a member was away, once they have enrolled again: kept for a person, or sent. */
  readonly onRejoin: 'keep' | 'send';
  /** How long a void, a revocation or a refund that is then posted waits, at the head of its lane, for what is not known. */
  readonly missingPurchase: { readonly waitMs: number };
  readonly retries: { readonly maxAttempts: number; readonly maxAgeMs: number };
  /** How long a call may still take effect after we lost sight of it. */
  readonly inFlightMs: number;
  readonly onUnknown: Readonly<Record<OperationGroup, UnknownPolicy>>;
  readonly onPark: Readonly<Record<OperationGroup, ParkPolicy>>;
  readonly autoPause: { readonly sameRefusals: number };
  /** `null`: adaptive only. */
  readonly limits: {
    readonly requestsPerSecond: number | null;
    readonly concurrency: number | null;
    readonly replayShare: number;
  };
  /** How soon something is sent, by its event's type or, before that, its source. What is in neither goes by its operation. */
  readonly priority: {
    readonly types: Readonly<Record<string, PriorityLevel>>;
    readonly sources: Readonly<Record<string, PriorityLevel>>;
  };
  /** What an event may have done by its own word alone; the rest waits in quarantine for a person. */
  readonly eventsMay: {
    /** `erase: true` of an opt-out. */
    readonly erase: boolean;
    /** That members are one, or are so no longer. */
    readonly merge: boolean;
    /** Members that events erase, merge or separate within 60 minutes, at most. */
    readonly perHour: number;
  };
  /** Overrides of the dialect (contracts.md section 6), validated by the gateway. */
  readonly dialect: Readonly<Record<string, unknown>>;
}

/**
 * What a brand and its programs are to have at the partner: the `provision` section of the programs file. Nothing of it
 * routes or delivers anything. What is left out of a thing is not sent.
 */
export interface ProvisionSection {
  /** By the partner's id of the brand. */
  readonly brands: Readonly<Record<string, DeclaredBrand>>;
  /** By our name of the program. */
  readonly programs: Readonly<Record<string, DeclaredProgram>>;
}

interface DeclaredBrand {
  /** partner-api.md 4.13; `null`: it keeps the name that it has. */
  readonly name: string | null;
  /** By their names. */
  readonly attributes: Readonly<Record<string, DeclaredBrandAttribute>>;
}

/** partner-api.md 4.10 and 4.11. */
export interface DeclaredBrandAttribute {
  /** The partner's id of one that exists already; `null`: we create it. */
  readonly id: string | null;
  readonly dataType: AttributeDataType;
  readonly searchable: boolean;
  readonly unique: boolean;
  readonly description?: string;
  readonly required?: boolean;
  readonly encrypted?: boolean;
  readonly statusCode?: string;
}

export interface DeclaredProgram {
  /** By the partner's id of the type: none can be created. */
  readonly transactionTypes: Readonly<Record<string, DeclaredTransactionType>>;
  /** By their names. */
  readonly templates: Readonly<Record<string, DeclaredTemplate>>;
}

export interface DeclaredTransactionType {
  /** partner-api.md 4.8; `null`: it keeps the name that it has. */
  readonly name: string | null;
  /** By their names. */
  readonly attributes: Readonly<Record<string, DeclaredTransactionAttribute>>;
}

/** partner-api.md 4.9. */
export interface DeclaredTransactionAttribute {
  /** It exists already, not made by us: never created. */
  readonly exists: boolean;
  readonly dataType: AttributeDataType;
  readonly required: boolean;
  readonly unique: boolean;
  readonly description?: string;
  readonly encrypted?: boolean;
}

/** partner-api.md 4.12. */
interface DeclaredTemplate {
  /** It exists already, not made by us: never created. */
  readonly exists: boolean;
  readonly passType: string;
}

/** How many things a section declares. */
export function countDeclared({ brands, programs }: ProvisionSection): number {
  const ofBrands = Object.values(brands).map(
    ({ name, attributes }) => (name === null ? 0 : 1) + Object.keys(attributes).length,
  );
  const ofPrograms = Object.values(programs).map(
    ({ transactionTypes, templates }) =>
      Object.keys(templates).length +
      Object.values(transactionTypes).reduce((sum, { attributes }) => sum + 1 + Object.keys(attributes).length, 0),
  );
  return [...ofBrands, ...ofPrograms].reduce((sum, count) => sum + count, 0);
}
