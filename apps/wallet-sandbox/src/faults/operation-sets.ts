import { type CallOperation, callOperations } from '../http/operation.js';

/** Operations that only tell what is there. */
export const readingOperations: readonly CallOperation[] = ['lookup', 'list'];

/** Operations that leave an effect. */
export const changingOperations: readonly CallOperation[] = callOperations.filter(
  (operation) => operation !== 'token' && !readingOperations.includes(operation),
);

/** Operations of partner-api.md section 4: all but the token request. */
export const partnerOperations: readonly CallOperation[] = callOperations.filter((operation) => operation !== 'token');
