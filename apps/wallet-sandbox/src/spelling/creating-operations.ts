import type { CallOperation } from '../http/operation.js';

const operations: readonly CallOperation[] = [
  'issue',
  'create-transaction-attribute',
  'create-brand-attribute',
  'create-template',
];

/** Operations whose success makes something new: only of 4.2 the status is not shown, the others go with it. */
export const creatingOperations: ReadonlySet<string> = new Set(operations);
