import type { JsonObject } from '#intents/core';
import { DialectRegistry, rereadAnswer } from '#gateway';

import type { ResolvedStep, Seen } from '../interpreter/contract-client.js';
import type { ReadRefusal } from '../prove-unique.js';
import type { Setup } from '../specification.js';

/** How the gateway reads the answer to a transaction, as `rejected duplicate`: what the words of a refusal come to. */
export function refusalReader(dialect: Readonly<Record<string, unknown>> | null, { memberKey }: Setup): ReadRefusal {
  const dialects = new DialectRegistry({ file: dialect, programs: [] });
  return (step: ResolvedStep, { status, body }: Seen, attribute: string) => {
    const { amount, transactionDate, attributes } = step.body as {
      readonly amount: unknown;
      readonly transactionDate: string;
      readonly attributes: JsonObject;
    };
    const value = attributes[attribute];
    const outcome = rereadAnswer(
      {
        operation: 'transaction',
        brandId: step.path['brand_id'] ?? '',
        programId: step.path['program_id'] ?? '',
        uniqueId: String(step.query['unique_id']),
        uniqueIdKey: memberKey,
        transactionTypeId: step.path['transaction_type_id'] ?? '',
        amount: String(amount),
        transactionDate,
        attributes,
        uniqueAttribute: { name: attribute, value: typeof value === 'string' ? value : '', enforced: true },
      },
      { status: status ?? 0, headers: {}, body: body === undefined ? '' : JSON.stringify(body), truncated: false },
      dialects,
    );
    return outcome.kind === 'applied' ? 'applied' : `${outcome.kind} ${outcome.code}`;
  };
}
