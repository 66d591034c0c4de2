import { transactionAttributeInputSchema, transactionAttributeSchema } from '#contracts';
import type { Dialect } from '../dialect/dialect-schema.js';
import type { TransactionAttributeCreation } from '../port/administration.js';
import { checkInput } from '../wallet/check-input.js';
import type { PlannedRequest } from '../wallet/planned-request.js';
import { readShape } from '../wallet/read-shape.js';
import { operation } from './operation.js';
import { withOurNames, withTheirNames } from './renamed.js';
import { sentName } from './sent-name.js';
import { transactionTypePath } from './update-transaction-type.js';

export function planTransactionAttribute(creation: TransactionAttributeCreation, dialect: Dialect): PlannedRequest {
  const { brandId, programId, transactionTypeId, ...input } = creation;
  const { names, dataTypes } = dialect.transactionAttribute;
  const { dataType, ...rest } = checkInput(transactionAttributeInputSchema, input);
  const body = withTheirNames({ ...rest, dataType: dataTypes[dataType] }, names);
  const path = `${transactionTypePath({ brandId, programId, transactionTypeId })}/attributes`;
  return { method: 'POST', path, body: JSON.stringify(body) };
}

/** 4.9 Create a transaction type attribute. */
export const createTransactionAttribute = operation({
  plan: planTransactionAttribute,
  read: (answer, { transactionAttribute: { names } }) =>
    readShape(transactionAttributeSchema, withOurNames(answer, names)),
  sentValues: sentName,
});
