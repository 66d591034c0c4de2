import type { Row, Specification } from '../reading/specification.js';
import type { Setup } from '../reading/setup.js';
import type { ContractClient } from './contract-client.js';
import { mismatches, type SuccessStatuses } from './judge-answer.js';
import type { CallMade, RowResult } from './row-result.js';
import { runSteps, StepFailed, type StepRules } from './run-steps.js';
import { NotRun, resolve, type Scope } from './scope.js';

export interface SessionOptions {
  readonly specification: Specification;
  readonly setup: Setup;
  /** Part of every value that is written, so that no two runs meet. */
  readonly run: string;
  readonly success: SuccessStatuses;
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
        return result(
          'failed',
          error.problems.map((told) => `${error.call}: ${told}`),
        );
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
    return { setup: this.options.setup, self: this.nameOf(id) };
  }

  async scopeAfterScenes(scenes: readonly string[], client: ContractClient, id: string): Promise<Scope> {
    return { ...(await this.scopeAfter(scenes, client)), ...this.scopeOf(id) };
  }

  rules(made: StepRules['made']): StepRules {
    const { specification, setup, success } = this.options;
    return { calls: specification.calls, mayNot: setup.mayNot, success, made };
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
    let scope: Scope = { ...inherited, self: this.nameOf(name) };
    for (const [variable, value] of Object.entries(scene.vars)) scope = { ...scope, [variable]: resolve(value, scope) };
    const played = await runSteps(scene.steps, scope, { client, rules: this.rules(() => undefined) });
    return { ...played, inherited };
  }

  private nameOf(id: string): string {
    return `ct-${this.options.run}-${id.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-|-$/g, '')}`.toLowerCase();
  }
}
