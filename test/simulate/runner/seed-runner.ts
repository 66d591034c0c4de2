import type { History } from '../../checker/index.js';
import { MemberKeysPool } from '../daemon/member-keys-pool.js';
import { PgliteEngine } from '../database/pglite-engine.js';
import type { SimulateOptions } from '../options.js';
import type { PlantedBug } from '../planted/planted-bug.js';
import { noBug } from '../planted/planted-bug.js';
import { plantedBugs } from '../planted/planted-bugs.js';
import type { Fault } from '../world/fault.js';
import type { Scenario } from '../world/scenario.js';
import { scenarioOf } from '../world/scenario.js';
import type { WorldResult } from '../world/world.js';
import { World } from '../world/world.js';

export interface RunOptions {
  readonly without?: ReadonlySet<Fault>;
  readonly bug?: PlantedBug;
  readonly asksRetailer?: boolean;
  readonly print?: ((line: string) => void) | null;
  /** Is handed the history that the checker judges. */
  readonly keep?: ((history: History) => void) | null;
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
    const { world } = options.bug ?? noBug;
    return this.runScenario(world(scenarioOf(seed, options.without)), options);
  }

  async runScenario(
    scenario: Scenario,
    { bug = noBug, print = null, keep = null, asksRetailer = false }: RunOptions = {},
  ): Promise<WorldResult> {
    await this.renew();
    const world = new World(this.engine, scenario, { bug, keys: this.keys, print, keep, asksRetailer });
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

/** Runs one world here and tells everything about it. @returns whether nothing is wrong */
export async function replay(seed: number, options: SimulateOptions, say: (text: string) => void): Promise<boolean> {
  const bug = plantedBugs.find(({ name }) => name === options.plant) ?? noBug;
  const runner = await SeedRunner.open();
  try {
    const { without, isTraced, isJson, asksRetailer } = options;
    const result = await runner.run(seed, {
      without,
      bug,
      asksRetailer,
      ...(isTraced && { print: (line: string) => void process.stdout.write(line) }),
    });
    if (isJson) {
      say(JSON.stringify(result, null, 2));
    } else {
      say(`faults: ${scenarioOf(seed, without).faults.join(', ')}`);
      say(`${result.steps} steps, ${Math.round(result.virtualMs / 1_000)} virtual seconds, trace ${result.traceHash}`);
      say(result.problems.length === 0 ? 'no invariant was broken' : result.problems.join('\n'));
    }
    return result.problems.length === 0;
  } finally {
    await runner.close();
  }
}
