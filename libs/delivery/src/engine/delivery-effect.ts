import type { PartnerCommand } from '#domain';
import type { LaneStep, LateOutcome } from '#intents';

import type { CoordinationEffect } from './coordination-effect.js';
import type { LookupPurpose } from './next-action.js';
import type { Observation } from './observation.js';

/** What a call is for, as traces tell it. */
export interface CallOrigin {
  readonly seq: number;
  readonly attempt: number;
  readonly purpose: LookupPurpose | 'send';
  /** When its lane was claimed, epoch ms. */
  readonly claimedAt: number | undefined;
  /** W3C context that the intent was recorded in. */
  readonly traceparent: string | undefined;
  /** An operator has put the intent back. */
  readonly isReplay: boolean;
}

/** A call for the lane under this lease; its answer must name the lease again. */
export interface PartnerCall {
  readonly program: string;
  readonly laneId: number;
  readonly epoch: number;
  readonly command: PartnerCommand;
  readonly origin: CallOrigin;
}

/** What the delivery engine wants done. The shell does it and answers with an event. */
export type DeliveryEffect =
  | { readonly type: 'Claim'; readonly program: string; readonly limit: number; readonly leaseUntil: number }
  | { readonly type: 'Flush'; readonly flushId: number; readonly steps: readonly LaneStep[]; readonly isRetry: boolean }
  | ({
      readonly type: 'Lookup';
      /** Where no pass is found: also ask how many the listing counts. */
      readonly confirmsAbsence: boolean;
    } & PartnerCall)
  | ({
      readonly type: 'Send';
      /** Epoch ms: handed over later, the request could outlive the lease. It must then not be sent at all. */
      readonly sendBy: number;
    } & PartnerCall)
  | { readonly type: 'Release'; readonly lanes: readonly { readonly laneId: number; readonly epoch: number }[] }
  | { readonly type: 'RecordLate'; readonly outcomes: readonly LateOutcome[] }
  | { readonly type: 'Observe'; readonly observation: Observation }
  /** Wake me at this time (epoch ms) at the latest; replaces the timer before. */
  | { readonly type: 'SetTimer'; readonly at: number }
  | { readonly type: 'Drained' }
  | CoordinationEffect;
