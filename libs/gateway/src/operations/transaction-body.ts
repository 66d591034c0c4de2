import { transactionBodySchema } from '#contracts';
import type { TransactionCommand } from '#domain';
import type { Dialect } from '../dialect/dialect-schema.js';
import { checkInput } from '../wallet/check-input.js';
import { refuse } from '../wallet/invalid-request.js';

/**
 * Body of 4.7 (partner-api.md). The amount's text becomes the JSON number as it stands: through a float 0.1 + 0.2 or
 * a long amount would change.
 * @returns JSON text
 * @throws InvalidRequest when the amount is no exact decimal number or the dialect refuses negative ones
 */
export function transactionBody(command: TransactionCommand, dialect: Dialect): string {
  const { amount, transactionDate, attributes } = command;
  checkInput(transactionBodySchema, { amount, transactionDate, attributes });
  if (amount.startsWith('-') && !dialect.transaction.negativeAmounts) {
    refuse('amount', 'negative amounts cannot be sent in this dialect');
  }
  const rest = JSON.stringify({ transactionDate, attributes });
  return `{"amount":${amount},${rest.slice(1)}`;
}
