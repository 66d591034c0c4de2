import type { FACTOR_KINDS } from '#contracts';

import type { Operation } from '../operation.js';
import type { OwedIntent } from './next-step.js';

type FactorKind = (typeof FACTOR_KINDS)[number];

/** What a call has in common with others that may fail for the same cause: a kind and its value, such as `reward:9002`. */
export type Factor = `${FactorKind}:${string}`;

/** What is held of a program: all calls of an operation, those of one with a factor, or those of each with it. */
export interface HoldTarget {
  /** Null: each; then there is a factor. */
  readonly operation: Operation | null;
  /** Null: all calls of the operation. */
  readonly factor: Factor | null;
}

/** The factor of all that is owed to one member. It names no other: whoever is refused for their own sake holds nobody. */
export function memberFactor(memberId: string): Factor {
  return `member:${memberId}`;
}

export function isMemberFactor(factor: Factor | null): boolean {
  return factor?.startsWith('member:') === true;
}

/** The factors that an intent's call may have in common with others': first those that stop least where all else is equal. */
export function factorsOf({
  command,
  eventType,
  storeId,
  source,
}: Pick<OwedIntent, 'command' | 'eventType' | 'storeId' | 'source'>): Factor[] {
  const factors: Factor[] = [];
  if (command?.operation === 'reward') factors.push(`reward:${command.rewardId}`);
  if (storeId !== undefined) factors.push(`store:${storeId}`);
  if (source !== undefined) factors.push(`source:${source}`);
  if (command?.operation === 'transaction') factors.push(`transaction-type:${command.transactionTypeId}`);
  if (command?.operation === 'transaction' && eventType !== undefined) factors.push(`event-type:${eventType}`);
  return factors;
}

/** Whether it says where a call comes from, and not what is asked for: what one place does wrong others need not. */
export function isPlaceFactor(factor: Factor | null): boolean {
  return factor?.startsWith('store:') === true || factor?.startsWith('source:') === true;
}
