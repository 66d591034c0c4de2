import type { Operation } from '#intents/core';

/** Of events that only one part of a program says anything about. */
const rules: Readonly<Record<string, string>> = {
  'loyalty.purchase.completed': 'purchases.completed',
  'loyalty.purchase.refunded': 'purchases.refunded',
  'loyalty.purchase.voided': 'purchases.voided',
  'loyalty.reward.granted': 'rewards',
  'loyalty.reward.revoked': 'revoked',
};

/**
 * Which part of its program in the programs file an intent came by; null: none says how, as of a merge. Of what concerns the pass
 * the operation tells: an enrolment of somebody who has one may go by the program's `update`.
 * @param eventType in any version
 */
export function routeRule(eventType: string, operation: Operation): string | null {
  const type = eventType.replace(/\.v\d+$/, '');
  const rule = rules[type];
  if (rule !== undefined) return rule;
  if (type === 'loyalty.member.merged') return null;
  return operation === 'issue' || operation === 'issue-via-workflow' ? 'enrolment' : 'update';
}
