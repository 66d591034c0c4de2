import type { CallOperation } from '../http/operation.js';
import { chanceAt } from './chance.js';
import type { FaultKind } from './fault-kind.js';
import type { FaultRule } from './fault-plan.js';

interface RuleIdentity {
  readonly seed: number;
  readonly index: number;
  readonly fault: FaultKind;
}

/** A rule of the plan with its counts. */
export class ActiveRule {
  private seenCount = 0;
  private struckCount = 0;

  constructor(
    readonly rule: FaultRule,
    private readonly identity: RuleIdentity,
  ) {}

  get fault(): FaultKind {
    return this.identity.fault;
  }

  /** Counts a call if the rule matches it, and says whether the fault strikes. */
  strikes(operation: CallOperation): boolean {
    if (!this.matches(operation)) return false;
    this.seenCount += 1;
    const isDue = this.struckCount < (this.rule.count ?? Infinity) && this.isDrawn(this.seenCount);
    if (isDue) this.struckCount += 1;
    return isDue;
  }

  /** The rule as it was put, how many calls it matched and how many it struck. */
  describe(): FaultRule & { readonly seen: number; readonly struck: number } {
    return { ...this.rule, seen: this.seenCount, struck: this.struckCount };
  }

  private matches(operation: CallOperation): boolean {
    const isMeant = this.rule.operation === '*' || this.rule.operation === operation;
    return isMeant && this.fault.operations?.includes(operation) !== false;
  }

  private isDrawn(ordinal: number): boolean {
    const { sequence, probability } = this.rule;
    if (sequence !== undefined) return sequence.includes(ordinal);
    return probability === undefined || chanceAt(this.identity.seed, this.identity.index, ordinal) < probability;
  }
}
