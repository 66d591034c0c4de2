import type { ListingQuery } from '../contract/listing-query.js';
import type { Comparison, PassCondition } from '../passes/pass-condition.js';
import { requireEmailIdentifier } from '../passes/require-email-identifier.js';
import type { StatusNumbers } from '../passes/status.js';
import { statusCondition } from '../passes/status-condition.js';
import type { Program } from '../seed/catalogue.js';

type Named =
  | readonly [PassCondition['field'], string | number | undefined, Comparison | undefined]
  | readonly [PassCondition['field'], string | number | undefined];

/** What a listing's query asks of a pass; both ends of a span belong to it. Throws Refusal (400). */
export function listingConditions(query: ListingQuery, program: Program, numbers: StatusNumbers): PassCondition[] {
  if (query.email !== undefined) requireEmailIdentifier(program);
  const named: readonly Named[] = [
    ['uniqueId', query.unique_id],
    ['uniqueId', query.email],
    ['serialNumber', query.serialNumber],
    ['groupId', query.groupId],
    ['templateId', query.templateId],
    ['templateTierId', query.templateTierId],
    ['updatedAt', query.lastUpdated, query.lastUpdatedQueryType],
    ['updatedAt', query.lastUpdatedStartDate, 'gte'],
    ['updatedAt', query.lastUpdatedEndDate, 'lte'],
  ];
  return [...given(named), ...statusConditions(query, numbers)];
}

function given(named: readonly Named[]): PassCondition[] {
  return named.flatMap(([field, value, comparison = 'eq']) =>
    value === undefined ? [] : [{ field, comparison, value }],
  );
}

function statusConditions(
  { statusCode, statusCodeQueryType = 'eq' }: ListingQuery,
  numbers: StatusNumbers,
): PassCondition[] {
  return statusCode === undefined ? [] : [statusCondition(statusCode, statusCodeQueryType, numbers)];
}
