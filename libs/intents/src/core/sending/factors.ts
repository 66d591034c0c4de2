import type { FACTOR_KINDS } from '#contracts';

import type { Operation } from '../operation.js';
import type { OwedIntent } from './next-step.js';

type FactorKind = (typeof FACTOR_KINDS)[number];

/** What a call has in common with others that may fail for the same cause: a kind and its value, such as `reward:9002`. */
export type Factor = `${FactorKind}:${string}`;

/** What is held: all calls of an operation, or those with one factor. */
export interface HoldTarget {
  readonly operation: Operation;
  /** Null: all calls of the operation. */
  readonly factor: Factor | null;
}

/** The factors of an intent's call, the narrowest first. */
export function factorsOf({ command, storeId, source }: Pick<OwedIntent, 'command' | 'storeId' | 'source'>): Factor[] {
  const factors: Factor[] = [];
  if (command?.operation === 'reward') factors.push(`reward:${command.rewardId}`);
  if (command?.operation === 'transaction') factors.push(`transaction-type:${command.transactionTypeId}`);
  if (storeId !== undefined) factors.push(`store:${storeId}`);
  if (source !== undefined) factors.push(`source:${source}`);
  return factors;
}
