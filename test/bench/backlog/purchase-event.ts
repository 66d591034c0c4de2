import type { TransactionCommand } from '#intents/core';

import { programName } from '../bench-parts.js';

/**
 * A till's event as structured CloudEvent: the `rank`-th purchase of a member, from 1.
 * @param hasCard false: it names nobody
 */
export const purchaseEvent = (member: number, rank: number, hasCard = true): Buffer =>
  Buffer.from(
    JSON.stringify({
      specversion: '1.0',
      id: `e-${member}-${rank}`,
      source: `/pos/berlin-07/till-${member % 10}`,
      type: 'loyalty.purchase.completed.v1',
      subject: memberId(member),
      time: '2026-11-21T10:15:04+01:00',
      datacontenttype: 'application/json',
      data: {
        program: programName,
        memberId: hasCard ? memberId(member) : null,
        purchaseId: `${member}-${rank}`,
        channel: 'pos',
        storeId: 'berlin-07',
        total: { minor: 5_999, currency: 'EUR', digits: 2 },
        lines: [{ sku: 'SHOE-42', quantity: 1, net: { minor: 5_041, currency: 'EUR', digits: 2 } }],
        attributes: { campaign: 'autumn' },
      },
    }),
  );

export const memberId = (member: number): string => `m_${member}`;

export const eventHeaders = { 'content-type': 'application/cloudevents+json' } as const;

/** What routing makes of `purchaseEvent`. */
export const transactionCommand = (member: number, rank: number): TransactionCommand => ({
  operation: 'transaction',
  brandId: '101',
  programId: '2001',
  uniqueId: memberId(member),
  uniqueIdKey: 'memberId',
  transactionTypeId: '31',
  amount: '59.99',
  transactionDate: '2026-11-21T09:15:04.000Z',
  attributes: { store: 'berlin-07', receipt: `${member}-${rank}`, campaign: 'autumn' },
});
