import { transactionSchema } from '#contracts';
import type { TransactionCommand } from '#domain';
import type { Dialect } from '../dialect/dialect-schema.js';
import type { PlannedRequest } from '../wallet/planned-request.js';
import { readShape } from '../wallet/read-shape.js';
import { programPath, queryText, segment } from '../wallet/request-path.js';
import type { SentValues } from '../wallet/sent-values.js';
import { transactionProof } from './answer-proof.js';
import { operation } from './operation.js';
import { transactionBody } from './transaction-body.js';

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

function uniqueAttribute({ uniqueAttribute: unique }: TransactionCommand): SentValues {
  return unique === undefined ? { values: [], names: [] } : { values: [unique.value], names: [unique.name] };
}

/** 4.7 Create a transaction. */
export const createTransaction = operation({
  plan: planTransaction,
  read: (answer) => readShape(transactionSchema, answer),
  sentValues: uniqueAttribute,
  needsPass: true,
  proof: transactionProof,
});
