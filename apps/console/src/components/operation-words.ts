import type { Answer } from '../api/api-types.js';

export type Operation = Answer<'/intents/{id}'>['operation'];

const names: Readonly<Record<Operation, string>> = {
  issue: 'enrolments',
  'issue-via-workflow': 'enrolments',
  'update-via-workflow': 'updates',
  transaction: 'purchases',
  reward: 'rewards',
  'schedule-update': 'scheduled updates',
};

export const operations = Object.keys(names) as readonly Operation[];

/** What people outside call them: `purchases`, and one of them `purchase`. */
export function operationName(operation: Operation, count = 2): string {
  return count === 1 ? names[operation].replace(/s$/, '') : names[operation];
}
