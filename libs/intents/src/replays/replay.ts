import type { ActingRole } from '../operator/operator-action.js';

/** Intents in one replay, at most. */
export const replayItemsMax = 100_000;

export type ReplayState = 'planned' | 'running' | 'paused' | 'stopped' | 'cancelled' | 'done';

/** What was to be expected of an item, by our own history, when the selection was frozen. */
export type Forecast =
  | 'will-post'
  /** The partner refused it: it will do so again unless something was mended. */
  | 'was-refused'
  /** It may have taken effect: somebody must say first whether it did. */
  | 'needs-decision'
  /** The same, and the partner answered an attempt with a 2xx that proved nothing: it was most likely done. */
  | 'answered-yes'
  /** Its lane is blocked by an intent that is not selected: that one must be mended first. */
  | 'lane-blocked'
  | 'nothing-to-send'
  | 'member-gone';

export type ReplayItemState = 'waiting' | 'sent' | 'delivered' | 'parked' | 'cancelled' | 'refused' | 'skipped';

/** What a replay may select: parked intents, by any of what lists filter by. */
export interface ReplayFilter {
  /** A member's id, or a purchase's. */
  readonly q?: string;
  readonly operation?: string;
  readonly program?: string;
  readonly memberId?: string;
  readonly seq?: number;
  readonly source?: string;
  readonly store?: string;
  readonly purchaseId?: string;
  readonly reason?: string;
  readonly code?: string;
  readonly fingerprint?: string;
  /** Recorded at or after, epoch ms. */
  readonly from?: number;
  /** Recorded before, epoch ms. */
  readonly to?: number;
}

export interface ReplayCounts {
  readonly byState: Readonly<Partial<Record<ReplayItemState, number>>>;
  readonly byForecast: Readonly<Partial<Record<Forecast, number>>>;
}

export interface Replay {
  readonly replayId: string;
  readonly query: ReplayFilter;
  readonly reason: string;
  readonly ratePerSecond: number;
  /** One, then ten, then the rest; stops by itself when they fail again. */
  readonly isCanary: boolean;
  /** Also what was replayed often without success. */
  readonly isForced: boolean;
  readonly canaryFrom: number;
  readonly state: ReplayState;
  readonly stoppedBecause: string | null;
  readonly money: readonly { readonly currency: string; readonly minor: number }[];
  /** Epoch ms. */
  readonly createdAt: number;
  readonly createdBy: string;
  /** What starting, resuming or cancelling it takes: the role of who planned it, or the higher one of who started it. */
  readonly needsRole: ActingRole;
  /** Who had it sent, when and why; null of a dry run that nobody has started. */
  readonly startedAt: number | null;
  readonly startedBy: string | null;
  readonly startReason: string | null;
  readonly finishedAt: number | null;
  /** Null while items move: they are to be counted. */
  readonly counts: ReplayCounts | null;
}

/** SQL: the columns of a `Replay`. */
export const replayColumns = `replay_id AS "replayId", query, reason, rate_per_second AS "ratePerSecond",
  is_canary AS "isCanary", is_forced AS "isForced", canary_from AS "canaryFrom", state,
  stopped_because AS "stoppedBecause", money, created_at AS "createdAt", created_by AS "createdBy", COALESCE(needs_role, 'admin') AS "needsRole",
  started_at AS "startedAt", started_by AS "startedBy", start_reason AS "startReason", finished_at AS "finishedAt", counts`;
