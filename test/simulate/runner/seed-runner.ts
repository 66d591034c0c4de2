import { MemberKeysPool } from '../daemon/member-keys-pool.js';
import { PgliteEngine } from '../database/pglite-engine.js';
import type { PlantedBug } from '../planted/planted-bug.js';
import { noBug } from '../planted/planted-bug.js';
import type { Fault } from '../world/fault.js';
import type { Scenario } from '../world/scenario.js';
import { scenarioOf } from '../world/scenario.js';
import type { WorldResult } from '../world/world.js';
import { World } from '../world/world.js';

export interface RunOptions {
  readonly without?: ReadonlySet<Fault>;
  readonly bug?: PlantedBug;
  readonly print?: (line: string) => void;
}

/**
 * Worlds on one in-process Postgres. It keeps its log and its files in memory: about a megabyte per world stays behind
 * (measured: 3 GB after 2,670 worlds).
 */
const worldsPerEngineMax = 500;

/** Runs one world after the other on an in-process Postgres, which takes seconds to start. */
export class SeedRunner {
  private readonly keys = new MemberKeysPool();
  private readonly unhandled: string[] = [];
  private readonly onUnhandled = (reason: unknown): void => {
    this.unhandled.push(reason instanceof Error ? (reason.stack ?? reason.message) : String(reason));
  };

  private worlds = 0;

  private constructor(private engine: PgliteEngine) {
    process.on('unhandledRejection', this.onUnhandled);
  }

  static async open(): Promise<SeedRunner> {
    return new SeedRunner(await PgliteEngine.create());
  }

  run(seed: number, options: RunOptions = {}): Promise<WorldResult> {
    return this.runScenario(scenarioOf(seed, options.without), options);
  }

  async runScenario(scenario: Scenario, { bug = noBug, print }: RunOptions = {}): Promise<WorldResult> {
    await this.renew();
    const world = new World(this.engine, scenario, { bug, keys: this.keys, print: print ?? null });
    const result = await world.run();
    const unhandled = this.unhandled.splice(0).map((stack) => `a rejection that nobody handles: ${stack}`);
    return { ...result, problems: [...result.problems, ...unhandled] };
  }

  private async renew(): Promise<void> {
    this.worlds += 1;
    if (this.worlds % worldsPerEngineMax !== 0) return;
    await this.engine.close();
    this.engine = await PgliteEngine.create();
  }

  async close(): Promise<void> {
    process.off('unhandledRejection', this.onUnhandled);
    await this.engine.close();
  }
}
