import type { INTENT_OPERATIONS, Program } from '#contracts';

/** What we owe the partner; the names of contracts.md section 5. One operation is one kind of partner call. */
export type Operation = (typeof INTENT_OPERATIONS)[number];

/** How the programs file groups operations for `onUnknown` and `onPark`. */
export type OperationGroup = keyof Program['onUnknown'];

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
  /** What a probe of an unknown outcome looks at: `look-up` for the pass itself. `park`: the partner shows nothing of it. */
  readonly probe: 'look-up' | 'probe-content' | 'probe-points' | 'park';
  /** Written into rows (`libs/intents/src/store/coordination`), 1 to 15: a number never changes its meaning. */
  readonly slot: number;
}

/** The one table of what operations are; the store's lists of operations are made of it. */
const facts: Readonly<Record<Operation, OperationFacts>> = {
  issue: { group: 'issue', pass: 'makes', probe: 'look-up', slot: 1 },
  'issue-via-workflow': { group: 'issue', pass: 'makes', probe: 'look-up', slot: 2 },
  'update-via-workflow': {
    ...{ group: 'update', pass: 'changes', answersKnownPass: true },
    ...{ probe: 'probe-content', slot: 3 },
  },
  transaction: { group: 'transaction', pass: 'uses', probe: 'probe-points', slot: 4 },
  reward: { group: 'reward', pass: 'uses', answersKnownPass: true, probe: 'probe-points', slot: 5 },
  'schedule-update': { group: 'schedule-update', pass: 'changes', probe: 'park', slot: 6 },
};

export const OPERATIONS = Object.keys(facts) as readonly Operation[];

/** All that is said of an operation. */
export function factsOf(operation: Operation): OperationFacts {
  return facts[operation];
}

/** The group whose policies an operation follows. */
export function groupOf(operation: Operation): OperationGroup {
  return facts[operation].group;
}

/** The operations of these roles, in the order of `OPERATIONS`. */
export function operationsThat(...roles: readonly PassRole[]): readonly Operation[] {
  return OPERATIONS.filter((operation) => roles.includes(facts[operation].pass));
}

/** True for the operations that need an existing pass at the partner (partner-api.md 4.6, 4.7). */
export function needsPass(operation: Operation): boolean {
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
