import { transactionTypeChangeSchema, transactionTypeSchema } from '#contracts';
import type { TransactionTypeReference, TransactionTypeUpdate } from '../port/administration.js';
import { checkInput } from '../wallet/check-input.js';
import type { PlannedRequest } from '../wallet/planned-request.js';
import { readShape } from '../wallet/read-shape.js';
import { programPath, segment } from '../wallet/request-path.js';
import { operation } from './operation.js';
import { sentName } from './sent-name.js';

/** @throws InvalidRequest */
export function transactionTypePath(reference: TransactionTypeReference): string {
  return `${programPath(reference)}/transaction-types/${segment('transactionTypeId', reference.transactionTypeId)}`;
}

export function planTransactionTypeUpdate(update: TransactionTypeUpdate): PlannedRequest {
  const { brandId, programId, transactionTypeId, ...change } = update;
  const body = JSON.stringify(checkInput(transactionTypeChangeSchema, change));
  return { method: 'PATCH', path: transactionTypePath({ brandId, programId, transactionTypeId }), body };
}

/** 4.8 Update a transaction type. */
export const updateTransactionType = operation({
  plan: planTransactionTypeUpdate,
  read: (answer) => readShape(transactionTypeSchema, answer),
  sentValues: sentName,
});
