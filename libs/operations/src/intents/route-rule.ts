import { ruleOfType } from '#events';
import type { Operation } from '#intents/core';

/**
 * Which part of its program in the programs file an intent came by; null: none says how, as of a merge. Of what concerns the pass
 * the operation tells: an enrolment of a member who has a pass may go by the program's `update`.
 * @param eventType in any version
 */
export function routeRule(eventType: string, operation: Operation): string | null {
  const rule = ruleOfType(eventType);
  if (rule !== undefined) return rule;
  return operation === 'issue' || operation === 'issue-via-workflow' ? 'enrolment' : 'update';
}
