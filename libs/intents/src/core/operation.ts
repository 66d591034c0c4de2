/** What we owe the partner; the names of contracts.md section 5. One operation is one kind of partner call. */
export const OPERATIONS = [
  'issue',
  'issue-via-workflow',
  'update-via-workflow',
  'transaction',
  'reward',
  'schedule-update',
] as const;

export type Operation = (typeof OPERATIONS)[number];

/** How the programs file groups operations for `onUnknown` and `onPark`. */
export type OperationGroup = 'issue' | 'update' | 'transaction' | 'reward' | 'schedule-update';

/**
 * What an operation is to its member's pass. `makes`: an enrolment, which may make one. `changes`: what is shown on it. `uses`:
 * it is refused without one (partner-api.md 4.6, 4.7).
 */
export type PassRole = 'makes' | 'changes' | 'uses';

interface OperationFacts {
  readonly group: OperationGroup;
  readonly pass: PassRole;
  /** Answered with the pass, which must be the one that the partner has shown before. */
  readonly answersKnownPass?: true;
}

/** The one table of what operations are; the store's lists of operations are made of it. */
const facts: Readonly<Record<Operation, OperationFacts>> = {
  issue: { group: 'issue', pass: 'makes' },
  'issue-via-workflow': { group: 'issue', pass: 'makes' },
  'update-via-workflow': { group: 'update', pass: 'changes', answersKnownPass: true },
  transaction: { group: 'transaction', pass: 'uses' },
  reward: { group: 'reward', pass: 'uses', answersKnownPass: true },
  'schedule-update': { group: 'schedule-update', pass: 'changes' },
};

/** The group whose policies an operation follows. */
export function groupOf(operation: Operation): OperationGroup {
  return facts[operation].group;
}

/** The operations of these roles, in the order of `OPERATIONS`. */
export function operationsThat(...roles: readonly PassRole[]): readonly Operation[] {
  return OPERATIONS.filter((operation) => roles.includes(facts[operation].pass));
}

/** True for the operations that need an existing pass at the partner (partner-api.md 4.6, 4.7). */
export function needsPass(operation: Operation): operation is 'transaction' | 'reward' {
  return facts[operation].pass === 'uses';
}

/** True for what must never lead to a pass, although a workflow that updates passes may issue them, too (partner-api.md 4.3). */
export function touchesPass(operation: Operation): boolean {
  return facts[operation].pass !== 'makes';
}

/** Whether it is answered with the pass, which must be the one that the partner has shown before: else it is another member's. */
export function answersKnownPass(operation: Operation): boolean {
  return facts[operation].answersKnownPass === true;
}
