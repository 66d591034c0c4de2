/** Operations that leave an effect; the names of contracts.md section 5, used in the ledger. */
export const effectOperations = [
  'issue',
  'issue-via-workflow',
  'update-via-workflow',
  'transaction',
  'reward',
  'schedule-update',
] as const;

export type EffectOperation = (typeof effectOperations)[number];

/** What a request can be to the fault rules: effects by their ledger names, a workflow's call by its endpoint. */
export const callOperations = ['token', 'lookup', ...effectOperations] as const;

export type CallOperation = (typeof callOperations)[number];
