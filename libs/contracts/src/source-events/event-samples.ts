import type { SourceEventName } from './source-event.js';

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
