import type { ScheduleBody, ScheduleQuery } from '../contract/schedule-body.js';
import type { Wording } from '../contract/wordings.js';
import { givenConditions, type PassCondition } from '../passes/pass-condition.js';
import { requireEmailIdentifier } from '../passes/require-email-identifier.js';
import { statusIs } from '../passes/status-condition.js';
import type { Program } from '../seed/catalogue.js';

type Filters = NonNullable<ScheduleBody['filters']>;

/** What the filters of a schedule, those of its query or of its body, ask of a pass. Throws Refusal (400). */
export function scheduleConditions(
  filters: ScheduleQuery | Filters,
  program: Program,
  wording: Wording,
): PassCondition[] {
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
    ...(statusCode === undefined ? [] : [statusIs(String(statusCode))]),
  ];
}
