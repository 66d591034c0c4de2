import { type Child, startChild } from '../child.js';
import { type CpuReading, meterCpu } from './cpu-meter.js';
import type { LoadFigures, LoadJob } from './load/load-job.js';
import type { LoadAnswer, LoadRequest } from './load-process.js';
import type { BenchedSandbox } from './start-sandbox.js';

/** What one job measured, and how many processors were busy meanwhile. */
export interface MeasuredLoad extends LoadFigures {
  readonly cores: CpuReading & { readonly generator: number };
}

export type LoadWish = Omit<LoadJob, 'run' | 'requestsMax' | 'rate'> &
  Partial<Pick<LoadJob, 'run' | 'requestsMax' | 'rate'>>;

/** Grace beyond a job's own length: an open loop waits for every answer. */
const answerGraceMs = 60_000;

/** The process that sends requests. */
export class LoadGenerator {
  private jobs = 0;
  private effects = 0;

  private constructor(
    private readonly child: Child,
    private readonly sandbox: BenchedSandbox,
  ) {}

  static async start(sandbox: BenchedSandbox): Promise<LoadGenerator> {
    const { child } = await startChild('sandbox/load-process', []);
    return new LoadGenerator(child, sandbox);
  }

  /** How many effects were answered with 200 so far. */
  get effectsDone(): number {
    return this.effects;
  }

  /** @throws when an answer is not a 200 */
  async run(wish: LoadWish): Promise<MeasuredLoad> {
    this.jobs += 1;
    const job: LoadJob = { run: `r${this.jobs}`, requestsMax: null, rate: null, ...wish };
    const request: LoadRequest = { job, target: this.sandbox.target };
    const cpu = meterCpu(await this.sandbox.processes());
    const answer = await this.child.ask<LoadAnswer>(request, job.seconds * 1_000 + answerGraceMs);
    const cores = cpu.read();
    if ('error' in answer) throw new Error(`${job.kind}: ${answer.error}`);
    const { figures } = answer;
    if (job.kind !== 'lookup' && job.kind !== 'list') this.effects += figures.done;
    return { ...figures, cores: { ...cores, generator: figures.cpuSeconds / figures.seconds } };
  }

  stop(): Promise<void> {
    return this.child.stop();
  }
}
