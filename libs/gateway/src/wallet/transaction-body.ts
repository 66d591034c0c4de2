import { amountTextSchema } from '#contracts';
import type { TransactionCommand } from '#domain';
import type { Dialect } from '../dialect/dialect-schema.js';

/**
 * Body of 4.7 (partner-api.md). The amount's text becomes the JSON number as it stands: through a float 0.1 + 0.2 or
 * a long amount would change.
 * @returns JSON text, or `null` when the amount cannot be sent
 */
export function transactionBody(command: TransactionCommand, dialect: Dialect): string | null {
  const { amount, transactionDate, attributes } = command;
  if (!amountTextSchema.safeParse(amount).success) return null;
  if (amount.startsWith('-') && !dialect.transaction.negativeAmounts) return null;
  const rest = JSON.stringify({ transactionDate, attributes });
  return `{"amount":${amount},${rest.slice(1)}`;
}
