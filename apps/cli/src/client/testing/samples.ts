import type { IntentView, JobView } from '#contracts';

export function sampleIntent(changes: Partial<IntentView> = {}): IntentView {
  return {
    id: 'coffee-club~m-1~2',
    program: 'coffee-club',
    memberId: 'm-1',
    seq: 2,
    operation: 'transaction',
    status: 'parked',
    reason: 'rejected',
    code: 'refused',
    fingerprint: 'f0f0',
    since: '2026-11-20T10:00:00.000Z',
    recordedAt: '2026-11-20T09:00:00.000Z',
    occurredAt: '2026-11-20T08:00:00.000Z',
    eventType: 'loyalty.purchase.completed.v1',
    source: '/pos/1',
    storeId: 'berlin-07',
    purchaseId: 'B-1',
    amount: { minor: 1_250, currency: 'EUR', digits: 2 },
    attemptCount: 2,
    cause: { topic: 'loyalty.purchases', partition: 3, offset: 42 },
    ...changes,
  };
}

export function sampleJob(changes: Partial<JobView> = {}): JobView {
  return {
    id: 'j-1',
    kind: 'reconcile',
    state: 'done',
    program: 'coffee-club',
    request: {},
    lines: 0,
    reason: 'monthly',
    createdAt: '2026-11-20T10:00:00.000Z',
    createdBy: 'ann',
    startedAt: '2026-11-20T10:00:00.000Z',
    startedBy: 'ann',
    startReason: 'monthly',
    finishedAt: '2026-11-20T10:00:10.000Z',
    selection: null,
    ratePerSecond: null,
    canary: false,
    canaryProgress: null,
    progress: { looked: 10 },
    report: { missingThere: 0 },
    error: null,
    ...changes,
  };
}

type Selection = NonNullable<JobView['selection']>;

/** A replay of two purchases. */
export function sampleReplay(changes: Partial<JobView> = {}, of: Partial<Selection> = {}): JobView {
  const money = [{ currency: 'EUR', minor: 2_500, digits: 2 }];
  return sampleJob({
    ...{ id: 'r-1', kind: 'replay', program: null, request: { query: { operation: 'transaction' }, force: false } },
    ...{ reason: 'mended', startReason: 'mended', progress: {}, report: null, ratePerSecond: 10, canary: true },
    ...{ canaryProgress: { settled: 2, failed: 0 } },
    selection: { items: 2, members: 2, money, byState: { delivered: 2 }, byForecast: { 'was-refused': 2 }, ...of },
    ...changes,
  });
}
