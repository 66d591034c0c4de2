import type { ListingQuery } from '../contract/queries.js';
import type { Wording } from '../contract/wordings.js';
import { givenConditions, type NamedValue, type PassCondition } from '../passes/pass-condition.js';
import { requireEmailIdentifier } from '../passes/require-email-identifier.js';
import { statusCondition } from '../passes/status-condition.js';
import type { StatusNumbers } from '../passes/status.js';
import type { Program } from '../seed/catalogue.js';

interface ListingContext {
  readonly program: Program;
  readonly numbers: StatusNumbers;
  readonly wording: Wording;
}

/** What a listing's query asks of a pass; both ends of a span belong to it. Throws Refusal (400). */
export function listingConditions(query: ListingQuery, context: ListingContext): PassCondition[] {
  if (query.email !== undefined) requireEmailIdentifier(context.program, context.wording);
  const named: readonly NamedValue[] = [
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
  return [...givenConditions(named), ...statusConditions(query, context)];
}

function statusConditions(query: ListingQuery, { numbers, wording }: ListingContext): PassCondition[] {
  const { statusCode: value, statusCodeQueryType: comparison = 'eq' } = query;
  return value === undefined ? [] : [statusCondition({ value, comparison }, numbers, wording)];
}
