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

/** True for the operations that need an existing pass at the partner (partner-api.md 4.6, 4.7). */
export function needsPass(operation: Operation): operation is 'transaction' | 'reward' {
  return operation === 'transaction' || operation === 'reward';
}

/** True for what must never lead to a pass, although a workflow that updates passes may issue them, too (partner-api.md 4.3). */
export function touchesPass(operation: Operation): boolean {
  return groupOf(operation) !== 'issue';
}

/** How the programs file groups operations for `onUnknown` and `onPark`. */
export type OperationGroup = 'issue' | 'update' | 'transaction' | 'reward' | 'schedule-update';

/** The group whose policies an operation follows. */
export function groupOf(operation: Operation): OperationGroup {
  switch (operation) {
    case 'issue':
    case 'issue-via-workflow':
      return 'issue';
    case 'update-via-workflow':
      return 'update';
    case 'transaction':
    case 'reward':
    case 'schedule-update':
      return operation;
  }
}
