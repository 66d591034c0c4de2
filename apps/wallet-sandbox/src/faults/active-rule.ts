import type { CallOperation } from '../http/operation.js';
import { chanceAt } from './chance.js';
import type { FaultKind } from './fault-kind.js';
import type { FaultRule } from './fault-plan.js';

interface RuleIdentity {
  readonly seed: number;
  readonly index: number;
  readonly fault: FaultKind;
}

/** One call that a rule strikes. */
export interface Strike {
  readonly fault: FaultKind;
  readonly rule: FaultRule;
  /** The n-th further number in [0, 1), from 1, that the seed draws for this call. */
  readonly chance: (n: number) => number;
}

/** A rule of the plan with its counts. */
export class ActiveRule {
  private seenCount = 0;
  private struckCount = 0;

  constructor(
    private readonly rule: FaultRule,
    private readonly identity: RuleIdentity,
  ) {}

  /** Counts a call if the rule matches it, and tells of the strike; null: it lets the call pass. */
  strike(operation: CallOperation): Strike | null {
    if (!this.matches(operation)) return null;
    this.seenCount += 1;
    const isDue = this.struckCount < (this.rule.count ?? Infinity) && this.isDrawn(this.seenCount);
    if (!isDue) return null;
    this.struckCount += 1;
    const { rule, seenCount: ordinal } = this;
    const { seed, index, fault } = this.identity;
    return { fault, rule, chance: (n) => chanceAt(seed, { ruleIndex: index, ordinal, n }) };
  }

  /** The rule as it was put, how many calls it matched and how many it struck. */
  describe(): FaultRule & { readonly seen: number; readonly struck: number } {
    return { ...this.rule, seen: this.seenCount, struck: this.struckCount };
  }

  private matches(operation: CallOperation): boolean {
    const isMeant = this.rule.operation === '*' || this.rule.operation === operation;
    return isMeant && this.identity.fault.operations?.includes(operation) !== false;
  }

  private isDrawn(ordinal: number): boolean {
    const { sequence, probability } = this.rule;
    if (sequence !== undefined) return sequence.includes(ordinal);
    const { seed, index: ruleIndex } = this.identity;
    return probability === undefined || chanceAt(seed, { ruleIndex, ordinal }) < probability;
  }
}
