import type { ClaimedLane, StepResult } from '#intents';
import type { AttemptReport, LookupReport } from '#gateway';

import type { CoordinationEvent } from './coordination-event.js';

/** What happens to the delivery engine. Every answer names the effect it belongs to. */
export type DeliveryEvent =
  /** Time has passed or work may be due. */
  | { readonly type: 'Woken'; readonly isWorkLikely: boolean }
  | {
      readonly type: 'Claimed';
      readonly program: string;
      readonly asked: number;
      readonly lanes: readonly ClaimedLane[];
    }
  | { readonly type: 'ClaimFailed'; readonly program: string }
  | { readonly type: 'Flushed'; readonly flushId: number; readonly results: readonly StepResult[] }
  | {
      readonly type: 'FlushFailed';
      readonly flushId: number;
      /** The database could not be reached or was busy. Otherwise one of the steps is at fault. */
      readonly isAway: boolean;
    }
  | {
      readonly type: 'LookupAnswered';
      readonly laneId: number;
      readonly epoch: number;
      readonly report: LookupReport;
      /** Passes that the listing counts; null when it was not asked, or could not tell. */
      readonly listed: number | null;
    }
  | {
      readonly type: 'AttemptAnswered';
      readonly laneId: number;
      readonly epoch: number;
      readonly report: AttemptReport<unknown>;
      /** Of the trace that the attempt is told in; absent where nothing is traced. */
      readonly traceId?: string;
    }
  | { readonly type: 'DrainRequested' }
  | CoordinationEvent;
