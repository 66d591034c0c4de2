import type { OperatorToken } from '#contracts';

/** What somebody may do: read, act, or also see personal data and force. Each may all that the ones before it may. */
export type Role = OperatorToken['role'];

/** Who makes a request; stands in every action's event. */
export interface Operator {
  readonly name: string;
  readonly role: Role;
  /** When the token ends that let them in, epoch ms; absent: never. */
  readonly until?: number;
  /** Whether that token still lets them in; absent: for as long as `until` says. */
  readonly isStillIn?: () => boolean;
}

const ranks: Readonly<Record<Role, number>> = { viewer: 0, operator: 1, admin: 2 };

export function mayAct(operator: Operator, needed: Role): boolean {
  return ranks[operator.role] >= ranks[needed];
}
