import type { IntentStatus, Operation } from '#domain';

/** An intent as lists show it: nothing personal. */
export interface ListedIntent {
  readonly laneId: number;
  readonly seq: number;
  readonly program: string;
  readonly memberId: string;
  readonly operation: Operation;
  readonly status: IntentStatus;
  /** Why it is parked, what it waits for, or what made it unknown; null otherwise. */
  readonly reason: string | null;
  /** What its last attempt ended with; null for what is on its way. */
  readonly code: string | null;
  /** Tells refusals with the same wording; null for what was not refused. */
  readonly fingerprint: string | null;
  /** Since when it stands so, epoch ms; null where only its lane tells. */
  readonly since: number | null;
  /** Epoch ms. */
  readonly recordedAt: number;
  readonly occurredAt: number;
  readonly eventType: string;
  readonly source: string | null;
  readonly storeId: string | null;
  readonly purchaseId: string | null;
  readonly amountMinor: number | null;
  readonly currency: string | null;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

/** What a list shows: all of these at once. Absent ones do not count. */
export interface IntentFilter {
  readonly status?: IntentStatus;
  readonly operation?: string;
  readonly program?: string;
  readonly memberId?: string;
  readonly laneId?: number;
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

/** The last one that a page has looked at. */
export interface ListPosition {
  readonly recordedAt: number;
  readonly laneId: number;
  readonly seq: number;
}

type Check = (filter: IntentFilter, intent: ListedIntent) => boolean;

function equals(key: keyof IntentFilter, valueOf: (intent: ListedIntent) => unknown): Check {
  return (filter, intent) => filter[key] === undefined || filter[key] === valueOf(intent);
}

const checks: readonly Check[] = [
  equals('status', ({ status }) => status),
  equals('operation', ({ operation }) => operation),
  equals('program', ({ program }) => program),
  equals('memberId', ({ memberId }) => memberId),
  equals('laneId', ({ laneId }) => laneId),
  equals('seq', ({ seq }) => seq),
  equals('source', ({ source }) => source),
  equals('store', ({ storeId }) => storeId),
  equals('purchaseId', ({ purchaseId }) => purchaseId),
  equals('reason', ({ reason }) => reason),
  equals('code', ({ code }) => code),
  equals('fingerprint', ({ fingerprint }) => fingerprint),
  ({ from }, { recordedAt }) => from === undefined || recordedAt >= from,
  ({ to }, { recordedAt }) => to === undefined || recordedAt < to,
];

/** Pure. */
export function isWanted(filter: IntentFilter, intent: ListedIntent): boolean {
  return checks.every((check) => check(filter, intent));
}
