import { createTransaction } from './create-transaction.js';

export { purchaseEventTypes } from './purchase-event-types.js';

/** How a sale is told to the partner (partner-api.md 4.7). */
export const purchaseCalls = { transaction: createTransaction } as const;
