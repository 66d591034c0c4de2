/** Requests that leave an effect, by the names that fault rules and the ledger use (partner-api.md 4.2-4.4, 4.6-4.13). */
const requestedEffects = [
  'issue',
  'issue-via-workflow',
  'update-via-workflow',
  'schedule-update',
  'reward',
  'transaction',
  'update-transaction-type',
  'create-transaction-attribute',
  'create-brand-attribute',
  'update-brand-attribute',
  'create-template',
  'update-brand',
] as const;

/** What the ledger holds: requested effects, and what an accepted schedule did to one pass when its time had come. */
export const effectOperations = [...requestedEffects, 'scheduled-change'] as const;

export type EffectOperation = (typeof effectOperations)[number];

/** What a request can be to the fault rules: effects by their ledger names, a workflow's call by its endpoint. */
export const callOperations = ['token', 'lookup', 'list', ...requestedEffects] as const;

export type CallOperation = (typeof callOperations)[number];

/** Operations that only read. */
export const readingOperations: readonly CallOperation[] = ['lookup', 'list'];

/** Operations that leave an effect. */
export const changingOperations: readonly CallOperation[] = callOperations.filter(
  (operation) => operation !== 'token' && !readingOperations.includes(operation),
);

/** Operations of partner-api.md section 4: all but the token request. */
export const partnerOperations: readonly CallOperation[] = callOperations.filter((operation) => operation !== 'token');
