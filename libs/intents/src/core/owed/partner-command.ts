import type { Operation } from '../operation.js';

/** Any JSON value, as it arrived from a source event. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };
export type JsonObject = { readonly [key: string]: JsonValue };

/** SMS subscription values of partner-api.md section 2: 200 PROMOTIONAL, 300 TRANSACTIONAL, 900 OPTED_OUT. */
export type SmsSubscription = 200 | 300 | 900;

/** The person fields that the partner documents (partner-api.md section 2); others need `personAttributes`. */
export const PERSON_FIELDS = ['firstName', 'lastName', 'email', 'phone'] as const;

/** PassData of partner-api.md section 2 without `metaData`. */
export const PASS_FIELDS = [
  'optOut',
  'points',
  'seat',
  'row',
  'section',
  'gate',
  'expiryDate',
  'status',
  'profileImage',
] as const;

/** The pass's content as the partner's PassData (partner-api.md section 2). `null` clears a field in an update. */
export interface PassDataInput {
  readonly [field: string]: JsonValue | undefined;
  readonly metaData?: JsonObject;
}

/**
 * What an issue (4.2), an issue via workflow (4.3) or an update via workflow (4.3) carries.
 * Names are ours; the gateway's dialect gives each its name on the wire.
 */
export interface PassContent {
  readonly person?: JsonObject;
  readonly passdata?: PassDataInput;
  readonly tierId?: number | null;
  readonly message?: string | null;
  readonly groupId?: string | null;
  readonly smsSubscription?: SmsSubscription | null;
  readonly templateId?: number | null;
  readonly ipAddress?: string;
}

/** A program of a brand; both ids are the partner's and go into the path. */
export interface ProgramReference {
  readonly brandId: string;
  readonly programId: string;
}

/** Another parameter of the lookup than unique_id (partner-api.md 4.1), with its value. */
export interface LookupKey {
  readonly parameter: 'email' | 'person_id';
  readonly value: string;
}

/**
 * Which pass a command is about: the value stored in `passdata.metaData[uniqueIdKey]` when the pass was issued. What
 * else names the pass is sent only where the dialect asks for it and the value is known.
 */
export interface PassReference extends ProgramReference {
  readonly uniqueId: string;
  readonly uniqueIdKey: string;
  /** How the pass is looked up where the program's `lookup.by` is not unique_id; absent: by unique_id. */
  readonly by?: LookupKey;
  readonly passId?: string;
  readonly serialNumber?: string;
  /** What the partner called the member's pass when it last showed it, for calls that it answers with the pass: never sent. */
  readonly shown?: PassName;
}

/** What the partner calls a pass, as far as it has shown it. */
export interface PassName {
  readonly passId?: string;
  readonly serialNumber?: string;
  readonly personId?: string;
}

/** What names the pass in a call about it; the dialect says so by operation. Absent: `unique_id`. */
export type PassNaming = Readonly<Partial<Record<Operation, 'unique_id' | 'passId' | 'serialNumber'>>>;

/** @param pass an answered one; a number and its text are the same name */
export function passNameOf(pass: { readonly [Part in keyof PassName]?: unknown }): PassName {
  const { passId, serialNumber, personId } = pass;
  return {
    ...textUnder('passId', passId),
    ...textUnder('serialNumber', serialNumber),
    ...textUnder('personId', personId),
  };
}

function textUnder(part: keyof PassName, value: unknown): PassName {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text.trim() !== '' ? { [part]: text } : {};
}

export interface IssueCommand extends PassReference {
  readonly operation: 'issue';
  readonly content: PassContent;
}

export interface WorkflowCommand extends PassReference {
  readonly operation: 'issue-via-workflow' | 'update-via-workflow';
  readonly workflowId: string;
  readonly content: PassContent;
}

/** A text as it stands, or what a total says. */
export type TotalPart = { readonly text: string } | { readonly of: 'minor' | 'digits' };

/** What of a transaction is made of its event's total: it goes with the amount, whoever changes that. */
export interface OfTotal {
  /** Of the total, as it was told. */
  readonly digits: number;
  /** Of a correction, whose amount is the difference: the total before it. Absent: the amount is the total. */
  readonly before?: { readonly amount: string; readonly isLowered: boolean };
  /** Attributes, and what they are made of; one part alone is a number. */
  readonly attributes: Readonly<Record<string, readonly TotalPart[]>>;
}

export interface TransactionCommand extends PassReference {
  readonly operation: 'transaction';
  readonly transactionTypeId: string;
  /** Exact decimal text such as `-59.99`; the gateway writes it as a JSON number without going through a float. */
  readonly amount: string;
  /** RFC 3339 in UTC with milliseconds, `2026-11-21T09:15:04.000Z`. */
  readonly transactionDate: string;
  /** How far the till's clock was from UTC, `+01:00`; absent where it wrote UTC. */
  readonly offset?: string;
  readonly attributes: JsonObject;
  /** Which of them the file makes of the event's total. Absent: none. Never sent. */
  readonly ofTotal?: OfTotal;
  /** The attribute whose value the partner is claimed to refuse twice; absent when none is mapped. */
  readonly uniqueAttribute?: { readonly name: string; readonly value: string; readonly enforced: boolean };
  /** By how much the transaction moves the pass's points; known only where the programs file says so. */
  readonly pointsDelta?: number;
}

export interface RewardCommand extends PassReference {
  readonly operation: 'reward';
  readonly rewardId: string;
  readonly pointsDelta?: number;
  /** RFC 3339 in UTC with milliseconds: from then on it is not sent any more. Absent: it is good for ever. Never sent. */
  readonly validUntil?: string;
}

export interface ScheduleUpdateCommand extends PassReference {
  readonly operation: 'schedule-update';
  readonly scheduledName: string;
  readonly content: PassContent;
}

/**
 * One call to the partner, complete as the event was routed: every attempt sends exactly this as soon as one may have taken
 * effect (design.md section 3). It is stored encrypted in `intent.payload`.
 */
export type PartnerCommand =
  IssueCommand | WorkflowCommand | TransactionCommand | RewardCommand | ScheduleUpdateCommand;

/** Whether what it was good for is over. */
export function isExpired(command: PartnerCommand, now: number): boolean {
  if (command.operation !== 'reward' || command.validUntil === undefined) return false;
  return now >= Date.parse(command.validUntil);
}

/** What is to be recorded behind an enrolment; no command: the program says of no way to update, a person must look. */
export interface Renewal {
  readonly command: WorkflowCommand | ScheduleUpdateCommand | null;
}
