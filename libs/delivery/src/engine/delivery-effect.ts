import type { PartnerCommand } from '#domain';
import type { LaneStep, LateOutcome } from '#intents';

import type { CoordinationEffect } from './coordination-effect.js';
import type { Observation } from './observation.js';

/** A call for the lane under this lease; its answer must name the lease again. */
export interface PartnerCall {
  readonly program: string;
  readonly laneId: number;
  readonly epoch: number;
  readonly command: PartnerCommand;
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
