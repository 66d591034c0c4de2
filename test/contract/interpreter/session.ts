import { setTimeout as delay } from 'node:timers/promises';

import type { CallName, Expectation, Row, Setup, Specification, Step } from '../specification.js';
import type { ContractClient, ResolvedStep, Seen } from './contract-client.js';
import type { SuccessStatuses } from './judge-answer.js';
import { mismatches, problemsOf } from './judge-answer.js';
import type { Names, Scope } from './names.js';
import { NotRun, resolve, valueAt } from './names.js';

/** One call that was really made, and whether all of its answer was as expected. */
interface CallMade {
  readonly call: CallName;
  readonly ok: boolean;
}

/** `not-run`: the setup or the dialect lacks something. `otherwise`: not as assumed where the document shows nothing. */
type RowVerdict = 'passed' | 'failed' | 'not-run' | 'otherwise';

export interface RowResult {
  readonly id: string;
  readonly client: 'plain' | 'gateway';
  readonly verdict: RowVerdict;
  /** What was wrong, or why it was not run. */
  readonly problems: readonly string[];
  readonly calls: readonly CallMade[];
}

interface SessionOptions {
  readonly specification: Specification;
  readonly setup: Setup;
  /** Part of every value that is written, so that no two runs meet. */
  readonly run: string;
  readonly names: SuccessStatuses & Pick<Names, 'pages'>;
}

/** One pass over the rows by one kind of client: scenes run once, whichever row asks first. */
export class Session {
  private readonly scenes = new Map<string, Promise<Scope>>();

  constructor(private readonly options: SessionOptions) {}

  async runRow(row: Row, client: ContractClient): Promise<RowResult> {
    const calls: CallMade[] = [];
    const result = (verdict: RowResult['verdict'], problems: readonly string[] = []): RowResult => ({
      id: row.id,
      client: client.name,
      verdict,
      problems,
      calls,
    });
    try {
      if (client.name === 'gateway' && row.gateway !== undefined) {
        const problems = await this.observe(row.gateway, client);
        calls.push({ call: 'token', ok: problems.length === 0 });
        return result(problems.length === 0 ? 'passed' : 'failed', problems);
      }
      await this.take(row, client, calls);
      return result('passed');
    } catch (error) {
      if (error instanceof NotRun) return result('not-run', [error.message]);
      if (error instanceof StepFailed) {
        const problems = error.problems.map((told) => `${error.call}: ${told}`);
        return error.assumed === undefined
          ? result('failed', problems)
          : result('otherwise', [...problems, error.assumed]);
      }
      return result('failed', [error instanceof Error ? `${error.name}: ${error.message}` : String(error)]);
    }
  }

  /** Runs the steps of a row or probe after its scenes; what it saved comes back. @throws StepFailed, NotRun */
  async take(work: Pick<Row, 'id' | 'after' | 'steps'>, client: ContractClient, calls: CallMade[]): Promise<Scope> {
    const scope = await this.scopeAfterScenes(work.after, client, work.id);
    return runSteps(work.steps, scope, { client, rules: this.rules((call) => calls.push(call)) });
  }

  /** What a row or probe knows before its first step. */
  scopeOf(id: string): Scope {
    return { setup: this.options.setup, pages: this.options.names.pages, self: this.nameOf(id) };
  }

  async scopeAfterScenes(scenes: readonly string[], client: ContractClient, id: string): Promise<Scope> {
    return { ...(await this.scopeAfter(scenes, client)), ...this.scopeOf(id) };
  }

  rules(made: StepRules['made']): StepRules {
    const { specification, setup, names } = this.options;
    return { calls: specification.calls, mayNot: setup.mayNot, success: names, made };
  }

  private async observe({ observes, expect }: NonNullable<Row['gateway']>, client: ContractClient): Promise<string[]> {
    return mismatches(expect, await client.observe(observes));
  }

  private async scopeAfter(names: readonly string[], client: ContractClient): Promise<Scope> {
    const scenes = await Promise.all(names.map(async (name) => [name, await this.scene(name, client)] as const));
    const inherited = scenes.flatMap(([, { inherited: further }]) => Object.entries((further ?? {}) as Scope));
    return { setup: this.options.setup, ...Object.fromEntries([...inherited, ...scenes]) };
  }

  private scene(name: string, client: ContractClient): Promise<Scope> {
    const known = this.scenes.get(name) ?? this.playScene(name, client);
    this.scenes.set(name, known);
    return known;
  }

  private async playScene(name: string, client: ContractClient): Promise<Scope> {
    const scene = this.options.specification.scenes[name];
    if (scene === undefined) throw new Error(`there is no scene ${name}`);
    const inherited = await this.scopeAfter(scene.after, client);
    let scope: Scope = { ...inherited, ...this.scopeOf(name) };
    for (const [variable, value] of Object.entries(scene.vars)) scope = { ...scope, [variable]: resolve(value, scope) };
    const played = await runSteps(scene.steps, scope, { client, rules: this.rules(() => undefined) });
    return { ...played, inherited };
  }

  private nameOf(id: string): string {
    return `ct-${this.options.run}-${id.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-|-$/g, '')}`.toLowerCase();
  }
}

/** Answers were not as expected. The steps after them were not taken. */
class StepFailed extends Error {
  override readonly name = 'StepFailed';

  constructor(
    readonly call: CallName,
    readonly problems: readonly string[],
    /** What is not shown here; undefined where the document is contradicted, or the client is wrong. */
    readonly assumed: string | undefined,
  ) {
    super(problems.join('; '));
  }
}

interface StepRules {
  readonly calls: Specification['calls'];
  readonly mayNot: readonly string[];
  readonly success: SuccessStatuses;
  /** Told of every call that was made. */
  readonly made: (call: CallMade) => void;
}

const pollDelayMs = 100;

/** Takes the steps in turn; returns the scope with all that they saved. @throws StepFailed, NotRun */
async function runSteps(steps: readonly Step[], scope: Scope, hands: StepHands): Promise<Scope> {
  let known = scope;
  for (const step of steps) {
    const seen = await takeStep(step, known, hands);
    if (mustNotSend(step, hands.client)) break;
    known = { ...known, ...saved(step, seen) };
  }
  return known;
}

interface StepHands {
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
    if (isLast) throw new StepFailed(step.call, problems, seen.problems.length > 0 ? undefined : step.assumed);
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

interface RowsRun {
  readonly rows: readonly Row[];
  readonly session: Session;
  /** As many rows at a time as there are clients; each client has one row at a time. */
  readonly clients: readonly ContractClient[];
}

/** Checks every row; the results are in the order of the rows. Waits of one row cost the others nothing. */
export async function runRows({ rows, session, clients }: RowsRun): Promise<RowResult[]> {
  const results: RowResult[] = [];
  const waiting = rows.map((row, index) => ({ row, index }));
  const work = async (client: ContractClient): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      results[next.index] = await session.runRow(next.row, client);
    }
  };
  await Promise.all(clients.map(work));
  return results;
}
