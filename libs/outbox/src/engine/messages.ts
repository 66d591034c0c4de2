import type { HoldTarget, LookupPurpose, PartnerCommand } from '#intents/core';
import type { AttemptReport, LookupReport } from '#gateway';
import type {
  BeginsWithLease,
  ClaimedLane,
  CoordinationState,
  DeferredLanes,
  LaneStep,
  LateOutcome,
  ReplicaReport,
  StepResult,
} from '#intents';

import type { WantedHold } from '../gate/refusal-window.js';
import type { AttemptAnswer, Observation } from './observation.js';

/** The partner's answer to a lookup of a pass. */
export interface LookupAnswer {
  readonly report: LookupReport;
  /** Passes that the listing counts; null when it was not asked, or gave no count. */
  readonly listed: number | null;
}

/** In reports of calls that never became a request. */
export const noRequest = { method: '', path: '', body: null };

/** Begun but, for lack of time under its lease, never sent: so nothing can have happened. */
export const sentTooLate: AttemptReport<unknown> = {
  outcome: {
    kind: 'not-applied',
    code: 'send-window-missed',
    answered: false,
    systemic: false,
    retryAfterMs: null,
  },
  stage: 'request',
  phase: 'not-sent',
  durationMs: 0,
  request: noRequest,
  response: null,
  value: null,
  shapeAlarms: [],
};

/** Begun with the lease, and what was read then says that it must not be sent, or not yet: nothing has happened. */
export const withdrawn: AttemptReport<unknown> = {
  ...sentTooLate,
  outcome: { kind: 'not-applied', code: 'withdrawn', answered: false, systemic: false, retryAfterMs: null },
};

/** What happens to the delivery engine. Every answer names the effect it belongs to. */
export type DeliveryEvent =
  /** Time has passed or work may be due. */
  | { readonly type: 'Woken'; readonly isWorkLikely: boolean }
  | {
      readonly type: 'Claimed';
      readonly program: string;
      readonly asked: number;
      readonly lanes: readonly ClaimedLane[];
      /** Epoch ms before which nothing comes due that is not reported to us; absent: that is not known. */
      readonly quietUntil?: number;
    }
  | { readonly type: 'ClaimFailed'; readonly program: string }
  /** What was being recorded is, with the lanes that have begun; none: it was refused. */
  | { readonly type: 'TookOver'; readonly program: string; readonly lanes: readonly ClaimedLane[] }
  /** Whether they have begun is not known. */
  | { readonly type: 'TakeOverFailed'; readonly program: string }
  | { readonly type: 'Flushed'; readonly flushId: number; readonly results: readonly StepResult[] }
  | {
      readonly type: 'FlushFailed';
      readonly flushId: number;
      /** The database could not be reached or was busy. Otherwise one of the steps is at fault. */
      readonly isAway: boolean;
    }
  | ({
      readonly type: 'LookupAnswered';
      readonly laneId: number;
      readonly epoch: number;
    } & LookupAnswer)
  | ({ readonly type: 'AttemptAnswered'; readonly laneId: number; readonly epoch: number } & AttemptAnswer)
  | { readonly type: 'DrainRequested' }
  | CoordinationEvent;

/** What is reported to the engine about the other replicas, and of what it asked for. */
export type CoordinationEvent =
  /** Time for a report. From the first one on nothing is begun without a fresh answer. */
  | { readonly type: 'CoordinationDue' }
  | {
      readonly type: 'Coordinated';
      /** Our own. */
      readonly replicaId: string;
      /** `at` of the effect. */
      readonly at: number;
      readonly state: CoordinationState;
      /** Epoch ms before which nothing of the programs that were looked at comes due that is not reported to us. */
      readonly quietUntil?: ReadonlyMap<string, number>;
    }
  | { readonly type: 'CoordinationFailed' }
  | ({
      readonly type: 'PauseSet';
      readonly program: string;
      /** False: it could not be recorded. */
      readonly isSet: boolean;
    } & HoldTarget)
  /** A hold of ours has ended, or a person had lifted it. */
  | ({ readonly type: 'HoldLifted'; readonly program: string } & HoldTarget)
  | { readonly type: 'Resumed'; readonly count: number }
  /** Lanes to be tried have become due. */
  | { readonly type: 'Recalled'; readonly count: number };

/** Why the member's pass is looked up. `probe`: only to see whether the partner is back. */
export type LookupCallPurpose = LookupPurpose | 'probe';

/** What a call is for, as traces show it. */
export interface CallOrigin {
  readonly seq: number;
  readonly attempt: number;
  readonly purpose: LookupCallPurpose | 'send';
  /** When its lane was claimed, epoch ms. */
  readonly claimedAt: number | undefined;
  /** W3C context that the intent was recorded in. */
  readonly traceparent: string | undefined;
  /** An operator has requeued the intent. */
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
  | {
      readonly type: 'Claim';
      readonly program: string;
      readonly limit: number;
      readonly leaseUntil: number;
      /** Of which lanes the first attempt begins with the lease. */
      readonly begins: BeginsWithLease;
      /** Whether calls name a pass by what the partner calls it. */
      readonly namesPasses: boolean;
      /** Nothing is known to be due: claims only where a look finds otherwise. */
      readonly looksFirst: boolean;
    }
  /** A claim with this lease was not answered: what it may have begun is ours to send, or to withdraw. Answered as a claim is. */
  | { readonly type: 'FindBegun'; readonly program: string; readonly leaseUntil: number; readonly namesPasses: boolean }
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

/** What the engine wants done so that all replicas act as one. */
export type CoordinationEffect =
  | {
      readonly type: 'Coordinate';
      readonly report: Omit<ReplicaReport, 'replicaId'>;
      /** When it was asked for, epoch ms: the answer is no older than that. */
      readonly at: number;
      /** Programs of which nothing is known to be due: their next lane is looked for on the way. */
      readonly looks: readonly string[];
    }
  | ({ readonly type: 'SetPause'; readonly program: string } & WantedHold)
  /** End a hold of ours: the partner serves such calls again. */
  | ({ readonly type: 'LiftHold'; readonly program: string } & HoldTarget)
  /** Make lanes due that nothing holds any more. */
  | { readonly type: 'Resume'; readonly targets: readonly DeferredLanes[] }
  /** Make one lane of each of these due, to be tried. */
  | { readonly type: 'Recall'; readonly targets: readonly DeferredLanes[] };
