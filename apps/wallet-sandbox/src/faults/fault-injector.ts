import { Inject, Injectable } from '@nestjs/common';
import type { Answer } from '../http/answer.js';
import type { Call } from '../http/call.js';
import { ActiveRule, type Strike } from './active-rule.js';
import type { Next, Onward } from './fault-kind.js';
import type { FaultPlan } from './fault-plan.js';
import { faultKinds } from './kinds/index.js';
import { Outstanding } from './outstanding.js';
import { Strangers } from './strangers.js';

export interface DescribedPlan {
  readonly seed: number;
  readonly rules: readonly ReturnType<ActiveRule['describe']>[];
}

/** Holds the plan and lets its faults strike. In memory: a restart is a partner in good health. */
@Injectable()
export class FaultInjector {
  private seed = 0;
  private rules: readonly ActiveRule[] = [];

  constructor(
    private readonly outstanding: Outstanding,
    @Inject(Strangers) private readonly strangers: Pick<Strangers, 'show'>,
  ) {}

  /** Replaces the plan; all counts start anew. */
  put(plan: FaultPlan): void {
    this.seed = plan.seed;
    this.rules = plan.rules.flatMap((rule, index) => {
      const fault = faultKinds.get(rule.kind);
      return fault === undefined ? [] : [new ActiveRule(rule, { seed: plan.seed, index, fault })];
    });
  }

  /** No rules, and nothing outstanding: what is put off still belongs to the state that is being dropped. */
  reset(): void {
    this.put({ seed: 0, rules: [] });
    this.outstanding.clear();
  }

  describe(): DescribedPlan {
    return { seed: this.seed, rules: this.rules.map((rule) => rule.describe()) };
  }

  /** Runs the call inside every fault that strikes it, the first rule outermost. */
  around(call: Call, handle: Next): Promise<Answer> {
    const strikes = this.rules.map((rule) => rule.strike(call.operation)).filter((strike) => strike !== null);
    const chain = strikes.reduceRight<Next>(
      (next, strike) => (passed) => strike.fault.around(passed, strike.rule, this.onward(next, strike)),
      handle,
    );
    return chain(call);
  }

  private onward(next: Next, { chance }: Strike): Onward {
    return {
      next,
      later: (call, ms) => this.outstanding.add(ms, () => next(call)),
      chance,
      showStranger: (call, place) => this.strangers.show(call, place),
    };
  }
}
