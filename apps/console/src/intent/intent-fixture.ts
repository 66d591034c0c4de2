import type { Attempt, Intent, IntentEvent } from './intent-words.js';

const begin = Date.parse('2026-11-27T10:00:00Z');
/** So many milliseconds into the story. */
export const at = (ms: number): string => new Date(begin + ms).toISOString();
export const atMs = (ms: number): number => begin + ms;

let versions = 0;

export function event(type: string, ms: number, parts: Partial<IntentEvent> = {}): IntentEvent {
  versions += 1;
  return { version: versions, type, at: at(ms), attempt: null, data: {}, evidence: null, ...parts };
}

export const attempt = (parts: Partial<Attempt>): Attempt => ({
  attempt: 1,
  begunAt: at(0),
  endedAt: null,
  durationMs: null,
  outcome: null,
  code: null,
  phase: null,
  request: null,
  response: null,
  nextTryAt: null,
  ...parts,
});

/** A purchase that was recorded, for specs. */
export const intent = (parts: Partial<Intent> = {}): Intent => ({
  id: 'coffee-club~m-1~3',
  program: 'coffee-club',
  memberId: 'm-1',
  seq: 3,
  operation: 'transaction',
  status: 'pending',
  reason: null,
  code: null,
  fingerprint: null,
  since: null,
  recordedAt: at(0),
  occurredAt: at(-2_000),
  eventType: 'loyalty.purchase.completed.v1',
  source: '/pos/berlin/till-3',
  storeId: 'berlin',
  purchaseId: 'P295',
  amount: { minor: 1_250, currency: 'EUR', digits: 2 },
  attemptCount: 0,
  cause: { topic: 'loyalty.purchases', partition: 1, offset: 32 },
  isErased: false,
  command: {},
  route: { rule: 'purchases.completed', programsHash: 'ab'.repeat(16), isInForce: true, brokerAt: at(-1_000) },
  nextRequest: null,
  sourceRecord: null,
  traceId: null,
  events: [],
  attempts: [],
  ...parts,
});
