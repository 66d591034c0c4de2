import { setTimeout as delay } from 'node:timers/promises';
import type { CallName, Expectation, Specification, Step } from '../reading/specification.js';
import type { ContractClient, ResolvedStep, Seen } from './contract-client.js';
import { problemsOf, type SuccessStatuses } from './judge-answer.js';
import type { CallMade } from './row-result.js';
import { NotRun, resolve, type Scope } from './scope.js';
import { valueAt } from './value-at.js';

/** Answers were not as expected. The steps after them were not taken. */
export class StepFailed extends Error {
  override readonly name = 'StepFailed';

  constructor(
    readonly call: CallName,
    readonly problems: readonly string[],
  ) {
    super(problems.join('; '));
  }
}

export interface StepRules {
  readonly calls: Specification['calls'];
  readonly mayNot: readonly string[];
  readonly success: SuccessStatuses;
  /** Told of every call that was made. */
  readonly made: (call: CallMade) => void;
}

const pollDelayMs = 100;

/** Takes the steps in turn; returns the scope with all that they saved. @throws StepFailed, NotRun */
export async function runSteps(steps: readonly Step[], scope: Scope, hands: StepHands): Promise<Scope> {
  let known = scope;
  for (const step of steps) {
    const seen = await takeStep(step, known, hands);
    if (mustNotSend(step, hands.client)) break;
    known = { ...known, ...saved(step, seen) };
  }
  return known;
}

export interface StepHands {
  readonly client: ContractClient;
  readonly rules: StepRules;
}

function saved({ save }: Step, { body }: Seen): Scope {
  return Object.fromEntries(Object.entries(save).map(([name, path]) => [name, valueAt(body, path)]));
}

async function takeStep(step: Step, scope: Scope, hands: StepHands): Promise<Seen> {
  const { client, rules } = hands;
  if (rules.mayNot.includes(step.call)) throw new NotRun(`the setup says that the account may not ${step.call}`);
  const deadline = Date.now() + Number(resolve(step.withinMs ?? 0, scope));
  const body = client.spell(resolve(step.expect.body, scope)) as Expectation['body'];
  for (;;) {
    const seen = await client.perform(resolveStep(step, scope, rules));
    const problems = problemsIn(step, seen, { expected: { ...step.expect, body }, hands });
    const isFine = problems.length === 0;
    const isLast = isFine || Date.now() >= deadline;
    if (isLast) rules.made({ call: step.call, ok: isFine });
    if (isFine) return seen;
    if (isLast) throw new StepFailed(step.call, problems);
    await delay(pollDelayMs);
  }
}

function problemsIn(
  step: Step,
  seen: Seen,
  { expected, hands }: { readonly expected: Expectation; readonly hands: StepHands },
): readonly string[] {
  return mustNotSend(step, hands.client) ? seen.problems : problemsOf(expected, seen, hands.rules.success);
}

function mustNotSend({ gateway }: Step, client: ContractClient): boolean {
  return client.name === 'gateway' && gateway === 'unsent';
}

/** Times in it are those of the moment. @throws NotRun */
export function resolveStep(step: Step, scope: Scope, { calls }: Pick<StepRules, 'calls'>): ResolvedStep {
  const path = resolve({ ...calls[step.call].path, ...step.path }, scope) as Record<string, unknown>;
  return {
    call: step.call,
    path: Object.fromEntries(Object.entries(path).map(([name, value]) => [name, String(value)])),
    query: resolve(step.query, scope) as Record<string, unknown>,
    body: resolve(step.body, scope),
    form: step.form === undefined ? undefined : (resolve(step.form, scope) as Record<string, string | null>),
    token: step.token,
    gateway: resolve(step.gateway, scope) as Step['gateway'],
  };
}
