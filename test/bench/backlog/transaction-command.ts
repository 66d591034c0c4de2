import type { TransactionCommand } from '#domain';
import { memberId } from './purchase-event.js';

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
