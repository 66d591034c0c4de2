import { transactionBodySchema, transactionSchema } from '#contracts';
import type { TransactionCommand } from '#intents/core';
import type { PlannedRequest, SentValues, Dialect, AnswerProof, JsonObject } from '#gateway/core';
import {
  readShape,
  withNumbers,
  checkInput,
  programPath,
  queryText,
  refuse,
  segment,
  NOTHING_SENT,
  operation,
  contradiction,
  contradicts,
  isIdentifier,
  isJsonObject,
  isSameId,
  isSameTime,
  isWithin,
  numberText,
  unlessDenied,
} from '#gateway/core';

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
  const { amount, transactionDate, attributes, offset } = command;
  checkInput(transactionBodySchema, { amount, transactionDate, attributes });
  if (amount.startsWith('-') && !dialect.transaction.negativeAmounts) {
    refuse('amount', 'negative amounts cannot be sent in this dialect');
  }
  const numeric = withNumbers(attributes, dialect.transactionAttribute.numbers, 'attributes');
  const rest = JSON.stringify({
    transactionDate: dateText({ date: transactionDate, offset }, dialect),
    attributes: numeric,
  });
  return `{"amount":${amount},${rest.slice(1)}`;
}

interface Moment {
  /** ISO 8601 with `Z`; without a fraction of a second it gets none. */
  readonly date: string;
  readonly offset: string | undefined;
}

function dateText({ date, offset }: Moment, { transaction: { dateFormat } }: Dialect): string {
  switch (dateFormat) {
    case 'iso':
      return date;
    case 'iso-till':
      return offset === undefined ? date : withOffset(date, offset);
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

/** The same moment by the till's clock. */
function withOffset(date: string, offset: string): string {
  const [hours = 0, minutes = 0] = offset.slice(1).split(':').map(Number);
  const aheadMs = (hours * 60 + minutes) * 60_000 * (offset.startsWith('-') ? -1 : 1);
  const local = new Date(Date.parse(date) + aheadMs).toISOString();
  return `${date.includes('.') ? local.slice(0, -1) : local.slice(0, -'.000Z'.length)}${offset}`;
}

/** 4.7 answers the transaction: its id, and what it is, as far as the partner shows it. */
const transactionProof: AnswerProof<TransactionCommand> = {
  needed: (_transaction, { success }) => success.proof.transaction,
  shown: unlessDenied((answer, command, { dialect }) => {
    if (isOtherTransaction(answer, command, dialect)) return 'otherwise';
    return isIdentifier(answer['transactionId']) ? 'documented' : 'none';
  }),
};

/** 4.7 Create a transaction. */
export const createTransaction = operation({
  plan: planTransaction,
  read: (answer) => readShape(transactionSchema, answer),
  sentValues: uniqueAttribute,
  needsPass: true,
  proof: transactionProof,
});

function ownValue(object: unknown, name: string): unknown {
  return isJsonObject(object) && Object.hasOwn(object, name) ? object[name] : undefined;
}

/**
 * Whether the answer to 4.7 is about another transaction than the one that was sent (partner-api.md 4.7 documents amount,
 * type and date as answered). The unique attribute is compared where the partner shows attributes, too: it names the sale.
 */
function isOtherTransaction(answer: JsonObject, command: TransactionCommand, dialect: Dialect): boolean {
  const { amount, transactionTypeId, transactionDate, uniqueAttribute } = command;
  const { amountTolerance, dateToleranceSeconds } = dialect.success.compare;
  const value = uniqueAttribute === undefined ? undefined : ownValue(answer['attributes'], uniqueAttribute.name);
  return contradicts(
    [
      contradiction('amount', { asked: amount, shown: answer['amount'] }, (asked, has) =>
        isWithin(numberText(asked), numberText(has), amountTolerance),
      ),
      contradiction('transactionTypeId', { asked: transactionTypeId, shown: answer['transactionTypeId'] }, isSameId),
      contradiction('transactionDate', { asked: transactionDate, shown: answer['transactionDate'] }, (asked, has) =>
        isSameTime(String(asked), has, dateToleranceSeconds * 1_000),
      ),
      contradiction('uniqueAttribute', { asked: uniqueAttribute?.value, shown: value }, isSameId),
    ],
    dialect,
  );
}
