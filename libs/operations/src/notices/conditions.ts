import type { MoneyView, NoticeCondition, NoticesEnvironment } from '#contracts';

import type { Overview } from '../stats/overview.js';

/** Something that is wrong now. */
export interface Condition {
  /** Tells it from all others; the same as long as it lasts. */
  readonly key: string;
  readonly detail: NoticeCondition;
}

/** Conditions that are kept at most: the pauses first. */
const conditionsMax = 1_000;

/** How many intents of a program a person has to find out about. */
export interface Doubts {
  readonly program: string;
  readonly intents: number;
}

const nothing = { operation: null, factor: null, reason: null, intents: null, money: null };

function conditionOf(detail: Partial<NoticeCondition> & Pick<NoticeCondition, 'kind' | 'program'>): Condition {
  const { kind, program, operation, factor, money } = { ...nothing, ...detail };
  const key = JSON.stringify([kind, program, operation, factor, money?.currency ?? null]);
  return { key, detail: { ...nothing, ...detail } };
}

const decimals = (text: string): number => text.split('.')[1]?.length ?? 0;

/** Whether a sum is as much as an amount, compared in the smallest unit of the two. @param amount exact decimal text */
function isAsMuch({ minor, digits }: MoneyView, amount: string): boolean {
  const finest = Math.max(digits, decimals(amount));
  const [whole = '', part = ''] = amount.split('.');
  return BigInt(Math.round(minor)) * 10n ** BigInt(finest - digits) >= BigInt(whole + part.padEnd(finest, '0'));
}

type Limits = Pick<NoticesEnvironment, 'doubts' | 'money'>;

/** What of an overview is to be told, if it lasts. */
export function conditionsIn(
  { pauses, valueAtRisk }: Pick<Overview, 'pauses' | 'valueAtRisk'>,
  doubts: readonly Doubts[],
  limits: Limits,
): readonly Condition[] {
  const paused = pauses.flatMap(({ program, operation, factor = null, automatic, reason }) =>
    automatic && program !== null ? conditionOf({ kind: 'automatic-pause', program, operation, factor, reason }) : [],
  );
  const doubtful = doubts
    .filter(({ intents }) => intents >= limits.doubts)
    .map(({ program, intents }) => conditionOf({ kind: 'doubts', program, intents }));
  const held = valueAtRisk.flatMap(({ program, intents, ...money }) => {
    const least = limits.money[money.currency];
    return least !== undefined && isAsMuch(money, least)
      ? conditionOf({ kind: 'held-money', program, intents, money })
      : [];
  });
  return [...paused, ...doubtful, ...held].slice(0, conditionsMax);
}
