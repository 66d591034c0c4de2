import type { PartnerId, ScheduleAnswer, ScheduleTime, WalletPass } from '#contracts';
import type { PartnerCommand, PassContent, PassReference, ProgramReference } from '#intents/core';
import type { AttemptReport, CallEvidence, CallFailure, CallOptions } from './call.js';

/** Which passes of a program are meant; what is given must all fit. */
export interface PassSelection {
  readonly uniqueId?: string;
  /** Only where the brand's unique identifier is the email (partner-api.md 4.1). */
  readonly email?: string;
  readonly personId?: string;
  readonly serialNumber?: string;
  readonly groupId?: string;
  readonly templateId?: PartnerId;
  readonly templateTierId?: PartnerId;
  /** A status name as `ACTIVE`, or its number. */
  readonly statusCode?: string | number;
}

/** Which pass is asked for: by `unique_id` = `uniqueId`, or as `by` says. Every command is one. */
export type PassLookup = PassReference;

/**
 * Result of asking for a member's pass (partner-api.md 4.1). `found`: the pass carries our id in its metaData, or has
 * no metaData and the dialect trusts that. `absent`: a refusal that fits the dialect, or (`isDead`) a pass that is no card any
 * more by its status. `failed` is everything else:
 * `code` is that of an attempt's outcome (`timeout`, `http-503`, `unauthorized`, `no-token`, `refused`,
 * `invalid-request`, ...), or `foreign-pass` (its metaData carries another id), `not-a-pass` (an answer without pass id
 * and serial number), `several-passes` or `empty-list` (a list, which the dialect does not read as one pass).
 */
export type LookupReport =
  | {
      readonly kind: 'found';
      readonly pass: WalletPass;
      readonly shapeAlarms: readonly string[];
      readonly evidence: CallEvidence;
    }
  | { readonly kind: 'absent'; readonly isDead?: true; readonly evidence: CallEvidence }
  | (CallFailure & { readonly kind: 'failed'; readonly evidence: CallEvidence });

/**
 * A change of passes at a later time (4.4). At least one of `uniqueId`, `query` and `filters` must select: without
 * them it would hit a whole program, and is refused with stage `request`. A `ScheduleUpdateCommand` fits.
 */
export interface ScheduledUpdate extends ProgramReference {
  readonly scheduledName: string;
  /**
   * The change, as an update's, where the dialect's `schedule.changeProperty` or `schedule.changeAt` puts it; without
   * either, refused. Absent: the documented body as it is, which names no change.
   */
  readonly content?: PassContent;
  /** Absent: as soon as possible, `schedule.leadMs` from now. */
  readonly at?: ScheduleTime;
  /** One pass, by its unique_id; the dialect's `schedule.selectBy` says where it goes. */
  readonly uniqueId?: string;
  readonly query?: Pick<PassSelection, 'uniqueId' | 'email' | 'personId'>;
  readonly filters?: PassSelection;
}

/** The calls that concern one member's pass: all that delivery needs. */
export interface PassOperations {
  /** 4.1 Get wallet pass by unique identifier. */
  findPass(lookup: PassLookup, options: CallOptions): Promise<LookupReport>;
  /** What a command asks for: 4.2 and 4.3 issue or change a pass, 4.4, 4.6 apply a reward, 4.7 create a transaction. */
  send(command: PartnerCommand, options: CallOptions): Promise<AttemptReport<unknown>>;
  /** 4.4 Schedule a wallet update by filter. `applied` means accepted: the change itself comes later. */
  scheduleUpdate(update: ScheduledUpdate, options: CallOptions): Promise<AttemptReport<ScheduleAnswer>>;
}
