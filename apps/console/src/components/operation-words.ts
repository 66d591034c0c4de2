import type { Answer } from '../api/api-types.js';

export type Operation = Answer<'/intents/{id}'>['operation'];

interface OperationWords {
  /** One of them, as people outside call it. */
  readonly one: string;
  /** What it does at the partner. */
  readonly does: string;
}

const words: Readonly<Record<Operation, OperationWords>> = {
  issue: { one: 'enrolment', does: 'issues the member’s pass' },
  'issue-via-workflow': { one: 'enrolment', does: 'issues the member’s pass by a workflow' },
  'update-via-workflow': { one: 'update', does: 'updates the member’s pass by a workflow' },
  transaction: { one: 'purchase', does: 'posts a purchase' },
  reward: { one: 'reward', does: 'grants a reward' },
  'schedule-update': { one: 'scheduled update', does: 'changes passes at a chosen time' },
};

export const operations = Object.keys(words) as readonly Operation[];
export const isOperation = (text: string | undefined): text is Operation => operations.some((one) => one === text);

/** What people outside call them: `purchases`, and one of them `purchase`. */
export function operationName(operation: Operation, count = 2): string {
  const { one } = words[operation];
  return count === 1 ? one : `${one}s`;
}

/** With the word of the API, the programs file and the command line: `purchase (transaction)`. */
export const operationFullName = (operation: Operation, count = 2): string =>
  `${operationName(operation, count)} (${operation})`;

/** As an address or a detail has it: in full where it is one, else as it stands there. */
export const operationText = (text: string): string => (isOperation(text) ? operationFullName(text) : text);

/** What it does at the partner: `posts a purchase`. */
export const operationAction = (operation: Operation): string => words[operation].does;

/** Begins a sentence or a title. */
export const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
