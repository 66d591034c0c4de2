import { transactionBodySchema, transactionSchema } from '#contracts';
import type { TransactionCommand } from '#intents/core';
import { readShape } from '../call/answer-body.js';
import { withNumbers } from '../call/exact-number.js';
import { checkInput, type PlannedRequest, programPath, queryText, refuse, segment } from '../call/planned-request.js';
import { NOTHING_SENT, type SentValues } from '../call/duplicate-refusal.js';
import type { Dialect } from '../dialect/dialect-schema.js';
import { transactionProof } from './answer-proof.js';
import { operation } from './operation.js';

export function planTransaction(command: TransactionCommand, dialect: Dialect): PlannedRequest {
  const type = segment('transactionTypeId', command.transactionTypeId);
  const path = `${programPath(command)}/transaction-types/${type}/transactions${identification(command, dialect)}`;
  return { method: 'POST', path, body: transactionBody(command, dialect) };
}

function identification({ uniqueId, serialNumber }: TransactionCommand, { transaction }: Dialect): string {
  return transaction.identifyBy === 'serialNumber' && serialNumber !== undefined
    ? queryText([[transaction.serialNumberParameter, serialNumber, 'serialNumber']])
    : queryText([['unique_id', uniqueId, 'uniqueId']]);
}

function uniqueAttribute({ uniqueId, uniqueAttribute: unique, attributes }: TransactionCommand): SentValues {
  if (unique === undefined) return NOTHING_SENT;
  const others = Object.entries(attributes).flatMap(([name, value]) => (name === unique.name ? [] : [value]));
  const texts = [uniqueId, ...others].filter((text) => typeof text === 'string');
  return { values: [unique.value], names: [unique.name], others: texts };
}

/**
 * Body of 4.7 (partner-api.md). The amount's text becomes the JSON number as it stands: through a float 0.1 + 0.2 or
 * a long amount would change.
 * @returns JSON text
 * @throws InvalidRequest when the amount is no exact decimal number or the dialect refuses negative ones
 */
function transactionBody(command: TransactionCommand, dialect: Dialect): string {
  const { amount, transactionDate, attributes } = command;
  checkInput(transactionBodySchema, { amount, transactionDate, attributes });
  if (amount.startsWith('-') && !dialect.transaction.negativeAmounts) {
    refuse('amount', 'negative amounts cannot be sent in this dialect');
  }
  const numeric = withNumbers(attributes, dialect.transactionAttribute.numbers, 'attributes');
  const rest = JSON.stringify({ transactionDate: dateText(transactionDate, dialect), attributes: numeric });
  return `{"amount":${amount},${rest.slice(1)}`;
}

/** @param date ISO 8601 with `Z`; without a fraction of a second it gets none */
function dateText(date: string, { transaction: { dateFormat } }: Dialect): string {
  switch (dateFormat) {
    case 'iso':
      return date;
    case 'iso-seconds':
      return date.replace(/\.\d+/, '');
    case 'iso-offset':
      return date.replace('Z', '+00:00');
    case 'iso-local':
      return date.replace('Z', '');
    case 'compact':
      return date.replace(/\.\d+|[-:]/g, '');
    default:
      return dateFormat satisfies never;
  }
}

/** 4.7 Create a transaction. */
export const createTransaction = operation({
  plan: planTransaction,
  read: (answer) => readShape(transactionSchema, answer),
  sentValues: uniqueAttribute,
  needsPass: true,
  proof: transactionProof,
});
