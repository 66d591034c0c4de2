import type { ScheduleBody, ScheduleQuery } from '../contract/schedule-body.js';
import type { Wording } from '../contract/wordings.js';
import { givenConditions, type PassCondition } from '../passes/pass-condition.js';
import { requireEmailIdentifier } from '../passes/require-email-identifier.js';
import type { StatusNumbers } from '../passes/status.js';
import { statusCondition } from '../passes/status-condition.js';
import type { Program } from '../seed/catalogue.js';

type Filters = NonNullable<ScheduleBody['filters']>;

export interface ScheduleContext {
  readonly program: Program;
  readonly numbers: StatusNumbers;
  readonly wording: Wording;
}

/** What the filters of a schedule, those of its query or of its body, ask of a pass. Throws Refusal (400). */
export function scheduleConditions(filters: ScheduleQuery | Filters, context: ScheduleContext): PassCondition[] {
  const { program, wording } = context;
  if (filters.email !== undefined) requireEmailIdentifier(program, wording);
  const { serialNumber, groupId, templateId, templateTierId, statusCode }: Filters = filters;
  return [
    ...givenConditions([
      ['uniqueId', filters.unique_id],
      ['uniqueId', filters.email],
      ['personId', filters.person_id],
      ['serialNumber', serialNumber],
      ['groupId', groupId],
      ['templateId', templateId],
      ['templateTierId', templateTierId],
    ]),
    ...statusConditions(statusCode, context),
  ];
}

function statusConditions(value: Filters['statusCode'], { numbers, wording }: ScheduleContext): PassCondition[] {
  return value === undefined ? [] : [statusCondition({ value: String(value), comparison: 'eq' }, numbers, wording)];
}
