import type { AttributeSource, Program } from '#contracts';
import { eventType } from '#events/core';

import {
  purchaseCompletedSchema,
  purchaseCorrectedSchema,
  purchaseRefundedSchema,
  purchaseVoidedSchema,
} from './purchase-events.js';
import {
  anonymousReceipt,
  judgedContent,
  refundNumberOf,
  routeCompleted,
  routeCorrected,
  routeRefunded,
  routeVoided,
  saleNumberOf,
} from './route-purchase.js';

type Mapping = Program['purchases'][keyof Program['purchases']];

function attributesOf(mapping: Mapping): Readonly<Record<string, AttributeSource>> {
  return mapping?.via === 'transaction' ? mapping.attributes : {};
}

/** What each shows operators. */
const shown = { purchaseId: 'shop-id', storeId: 'shop-id', total: 'money', attributes: 'names' } as const;
const original = { members: { purchaseId: 'shop-id', storeId: 'shop-id' } } as const;

const completed = eventType({
  name: 'loyalty.purchase.completed.v1',
  rule: 'purchases.completed',
  subject: 'purchases',
  schema: purchaseCompletedSchema,
  shown: { ...shown, channel: 'channel', lines: { items: { members: { quantity: 'number', net: 'money' } } } },
  correctable: ['storeId', 'channel', 'attributes'],
  route: routeCompleted,
  ofNobody: anonymousReceipt,
  numberOf: saleNumberOf,
  judged: judgedContent,
  ownNumber: 'purchaseId',
  attributes: ({ purchases }) => attributesOf(purchases.completed),
  sample: {
    program: 'coffee-club',
    memberId: 'm_81273',
    purchaseId: 'B07-118834',
    channel: 'pos',
    storeId: 'berlin-07',
    total: { minor: 5999, currency: 'EUR', digits: 2 },
    lines: [{ sku: 'SHOE-42', quantity: 1, net: { minor: 5041, currency: 'EUR', digits: 2 } }],
    attributes: { campaign: 'autumn' },
  },
});

const refunded = eventType({
  name: 'loyalty.purchase.refunded.v1',
  rule: 'purchases.refunded',
  subject: 'purchases',
  schema: purchaseRefundedSchema,
  shown: { ...shown, refundId: 'shop-id', returnId: 'shop-id', original },
  correctable: ['storeId', 'reason', 'attributes'],
  route: routeRefunded,
  numberOf: refundNumberOf,
  judged: judgedContent,
  ownNumber: 'refundId',
  needsNoMember: true,
  attributes: ({ purchases }) => attributesOf(purchases.refunded),
  sample: {
    program: 'coffee-club',
    memberId: 'm_81273',
    refundId: 'R-5512',
    purchaseId: 'B07-118834',
    storeId: 'berlin-07',
    total: { minor: 5041, currency: 'EUR', digits: 2 },
    reason: 'return',
  },
});

const voided = eventType({
  name: 'loyalty.purchase.voided.v1',
  rule: 'purchases.voided',
  subject: 'purchases',
  schema: purchaseVoidedSchema,
  shown: { ...shown, original: { members: { ...original.members, refundId: 'shop-id' } } },
  correctable: ['storeId', 'reason', 'attributes'],
  route: routeVoided,
  judged: judgedContent,
  needsNoMember: true,
  attributes: ({ purchases }) => attributesOf(purchases.voided),
  sample: {
    program: 'coffee-club',
    memberId: 'm_81273',
    purchaseId: 'B07-118834',
    storeId: 'berlin-07',
    total: { minor: 5999, currency: 'EUR', digits: 2 },
    reason: 'cashier void',
  },
});

const corrected = eventType({
  name: 'loyalty.purchase.corrected.v1',
  rule: 'purchases.corrected',
  subject: 'purchases',
  schema: purchaseCorrectedSchema,
  shown: { ...shown, correctionId: 'shop-id', previousTotal: 'money', original },
  correctable: ['storeId', 'reason', 'attributes'],
  route: routeCorrected,
  judged: judgedContent,
  ownNumber: 'correctionId',
  needsNoMember: true,
  attributes: ({ purchases }) => attributesOf(purchases.corrected),
  sample: {
    program: 'coffee-club',
    memberId: 'm_81273',
    correctionId: 'C-17',
    purchaseId: 'B07-118834',
    storeId: 'berlin-07',
    previousTotal: { minor: 5999, currency: 'EUR', digits: 2 },
    total: { minor: 4999, currency: 'EUR', digits: 2 },
    reason: 'deposit was forgotten',
  },
});

/** What tills say of purchases. */
export const purchaseEventTypes = [completed, refunded, voided, corrected] as const;
