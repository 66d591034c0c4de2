import { routeRule } from './route-rule.js';

it.each([
  ['loyalty.purchase.completed.v1', 'transaction', 'purchases.completed'],
  ['loyalty.purchase.voided.v2', 'transaction', 'purchases.voided'],
  ['loyalty.reward.granted.v1', 'reward', 'rewards'],
  ['loyalty.member.enrolled.v1', 'issue-via-workflow', 'enrolment'],
  ['loyalty.member.enrolled.v1', 'update-via-workflow', 'update'],
  ['loyalty.member.opted-out.v1', 'schedule-update', 'update'],
  ['loyalty.member.merged.v1', 'update-via-workflow', null],
] as const)('%s as %s came by %s', (eventType, operation, rule) => {
  expect(routeRule(eventType, operation)).toBe(rule);
});
