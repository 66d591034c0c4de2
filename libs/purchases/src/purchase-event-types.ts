import type { AttributeSource, Program } from '#contracts';
import { eventType } from '#events/core';

import { purchaseCompletedSchema, purchaseRefundedSchema, purchaseVoidedSchema } from './purchase-events.js';
import { judgedContent } from './receipt/same-event.js';
import { routeCompleted, routeRefunded, routeVoided } from './route-purchase.js';

type Mapping = Program['purchases'][keyof Program['purchases']];

function attributesOf(mapping: Mapping): Readonly<Record<string, AttributeSource>> {
  return mapping?.via === 'transaction' ? mapping.attributes : {};
}

const completed = eventType({
  name: 'loyalty.purchase.completed.v1',
  rule: 'purchases.completed',
  subject: 'purchases',
  schema: purchaseCompletedSchema,
  route: routeCompleted,
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
  route: routeRefunded,
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

/** What tills say of purchases. */
export const purchaseEventTypes = [completed, refunded, voided] as const;
