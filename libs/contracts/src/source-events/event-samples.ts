import type { SourceEvent, SourceEventFrame, SourceEventName } from './source-event.js';

/**
 * One valid `data` per event type, the examples of contracts.md section 1. Tests, documentation and `trigger` start
 * from them.
 */
export const SOURCE_EVENT_SAMPLES = {
  'loyalty.member.enrolled.v1': {
    program: 'coffee-club',
    memberId: 'm_81273',
    person: {
      firstName: 'Ada',
      lastName: 'L',
      email: 'ada@example.org',
      phone: '+4915112345678',
      birthDate: '1990-02-01',
    },
    tier: 'basic',
    groupId: 'g-1',
    message: 'Welcome',
    smsSubscription: 'promotional',
    pass: { points: 0, expiryDate: '2027-12-31' },
    metaData: { shopify: '7741' },
    ipAddress: '203.0.113.7',
  },
  'loyalty.member.updated.v1': {
    program: 'coffee-club',
    memberId: 'm_81273',
    changed: ['tier', 'pass.points'],
    tier: 'gold',
    pass: { points: 120 },
    person: {},
    groupId: null,
    message: null,
    smsSubscription: null,
    metaData: {},
  },
  'loyalty.member.opted-out.v1': { program: 'coffee-club', memberId: 'm_81273', scope: 'sms', erase: false },
  'loyalty.member.merged.v1': { program: 'coffee-club', memberId: 'm_81273', absorbed: ['m_90001'] },
  'loyalty.purchase.completed.v1': {
    program: 'coffee-club',
    memberId: 'm_81273',
    purchaseId: 'B07-118834',
    channel: 'pos',
    storeId: 'berlin-07',
    total: { minor: 5999, currency: 'EUR', digits: 2 },
    lines: [{ sku: 'SHOE-42', quantity: 1, net: { minor: 5041, currency: 'EUR', digits: 2 } }],
    attributes: { campaign: 'autumn' },
  },
  'loyalty.purchase.refunded.v1': {
    program: 'coffee-club',
    memberId: 'm_81273',
    refundId: 'R-5512',
    purchaseId: 'B07-118834',
    storeId: 'berlin-07',
    total: { minor: 5041, currency: 'EUR', digits: 2 },
    reason: 'return',
  },
  'loyalty.purchase.voided.v1': {
    program: 'coffee-club',
    memberId: 'm_81273',
    purchaseId: 'B07-118834',
    storeId: 'berlin-07',
    total: { minor: 5999, currency: 'EUR', digits: 2 },
    reason: 'cashier void',
  },
  'loyalty.reward.granted.v1': {
    program: 'coffee-club',
    memberId: 'm_81273',
    grantId: 'g_771',
    reward: 'free-coffee',
    purchaseId: 'B07-118834',
  },
  'loyalty.reward.revoked.v1': {
    program: 'coffee-club',
    memberId: 'm_81273',
    grantId: 'g_771',
    reason: 'granted by mistake',
  },
} as const satisfies Record<SourceEventName, unknown>;

/** What a sample differs in: fields of `data` (`undefined` takes one away) and attributes of the frame. */
interface SampleChanges {
  readonly data?: Readonly<Record<string, unknown>>;
  readonly frame?: Partial<SourceEventFrame>;
}

/** A whole event as the decoder would give it, made of the sample of its type. What it is changed to is not checked. */
export function sampleEvent<Name extends SourceEventName>(
  name: Name,
  changes: SampleChanges = {},
): Extract<SourceEvent, { readonly name: Name }> {
  const data = JSON.parse(JSON.stringify({ ...SOURCE_EVENT_SAMPLES[name], ...changes.data })) as unknown;
  const time = '2026-11-21T10:15:04+01:00';
  const event = {
    id: '01JD7Z0Q9W3M',
    source: '/pos/berlin-07/till-3',
    type: name,
    name,
    subject: null,
    time,
    timeMs: Date.parse(time),
    sequence: null,
    traceparent: null,
    data,
    sentData: data,
    ...changes.frame,
  };
  return event as unknown as Extract<SourceEvent, { readonly name: Name }>;
}
