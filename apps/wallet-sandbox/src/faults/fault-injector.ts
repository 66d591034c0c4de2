import { Body, Controller, Delete, Get, Inject, Injectable, type OnApplicationShutdown, Put } from '@nestjs/common';
import type { Answer } from '../http/answer.js';
import type { Call } from '../http/call.js';
import type { CallOperation } from '../http/operation.js';
import { StderrLogger } from '../http/stderr-logger.js';
import type { FaultKind, Next, Onward } from './fault-kind.js';
import { faultKinds } from './fault-kinds.js';
import { type FaultPlan, faultPlanSchema, type FaultRule } from './fault-plan.js';
import { Strangers } from './strangers.js';

type Work = () => Promise<unknown>;

/** Calls that were answered before they take effect. In memory: SIGKILL forgets them, as a partner's outage would. */
@Injectable()
export class Outstanding implements OnApplicationShutdown {
  private readonly timers = new Map<NodeJS.Timeout, Work>();
  private readonly running = new Set<Promise<void>>();

  /** Does the work `ms` from now. */
  add(ms: number, work: Work): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      this.start(work);
    }, ms);
    this.timers.set(timer, work);
  }

  /** Drops what has not begun: the state that it was meant for is gone. */
  clear(): void {
    for (const timer of this.timers.keys()) clearTimeout(timer);
    this.timers.clear();
  }

  /** No caller is left who could wait: what is outstanding happens at once, and the stop waits for it. */
  async onApplicationShutdown(): Promise<void> {
    // A late call may meet a second fault that puts it off again.
    while (this.timers.size + this.running.size > 0) {
      const works = [...this.timers.values()];
      this.clear();
      for (const work of works) this.start(work);
      await Promise.all(this.running);
    }
  }

  private start(work: Work): void {
    const done = work()
      .catch((error: unknown) => StderrLogger.write('error', error))
      .then(() => void this.running.delete(done));
    this.running.add(done);
  }
}

/** Which call a number is drawn for. */
interface Draw {
  readonly ruleIndex: number;
  /** Of the calls that the rule has seen, from 1. */
  readonly ordinal: number;
  /** Further numbers of the same call; the first is 0. */
  readonly n?: number;
}

/**
 * A number in [0, 1) that depends on nothing but its arguments: the n-th call of a rule draws the same number in every
 * run of the same seed, whatever else happens in between.
 */
export function chanceAt(seed: number, { ruleIndex, ordinal, n = 0 }: Draw): number {
  const mixed = scramble(
    scramble(scramble(seed ^ Math.imul(n, 0x27d4eb2f)) ^ Math.imul(ruleIndex + 1, 0x9e3779b1)) ^
      Math.imul(ordinal, 0x85ebca6b),
  );
  return (mixed >>> 0) / 2 ** 32;
}

/** The finalizer of MurmurHash3: every input bit reaches every output bit. */
function scramble(value: number): number {
  let bits = value | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}

interface RuleIdentity {
  readonly seed: number;
  readonly index: number;
  readonly fault: FaultKind;
}

/** One call that a rule strikes. */
interface Strike {
  readonly fault: FaultKind;
  readonly rule: FaultRule;
  /** The n-th further number in [0, 1), from 1, that the seed draws for this call. */
  readonly chance: (n: number) => number;
}

/** A rule of the plan with its counts. */
class ActiveRule {
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

interface DescribedPlan {
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

/** Switches misbehaviour on and off; no token is needed. */
@Controller('__faults')
export class FaultsController {
  constructor(private readonly faults: FaultInjector) {}

  @Get()
  get(): DescribedPlan {
    return this.faults.describe();
  }

  @Put()
  put(@Body({ schema: faultPlanSchema }) plan: FaultPlan): DescribedPlan {
    this.faults.put(plan);
    return this.faults.describe();
  }

  @Delete()
  delete(): DescribedPlan {
    this.faults.put({ seed: 0, rules: [] });
    return this.faults.describe();
  }
}
