import type { Child } from '../child.js';
import { startChild } from '../child.js';
import type { CpuReading } from './cpu-meter.js';
import { meterCpu } from './cpu-meter.js';
import type { LoadAnswer, LoadRequest } from './load-process.js';
import type { SandboxBenchOptions } from './options.js';
import type { LoadFigures, LoadJob } from './run-load.js';
import type { BenchedSandbox } from './start-sandbox.js';

/** What one job measured, and how many processors were busy meanwhile. */
export interface MeasuredLoad extends LoadFigures {
  readonly cores: CpuReading & { readonly generator: number };
}

type LoadWish = Omit<LoadJob, 'run' | 'requestsMax' | 'rate'> & Partial<Pick<LoadJob, 'run' | 'requestsMax' | 'rate'>>;

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

/** Five full pages of a listing; more than the members that a daemon serves at a time. */
export const passesIssued = 10_000;
const issueSecondsMax = 120;
const sideShare = 0.25;
const sideSecondsMin = 1;
/** A page of 2,000 passes is megabytes: with many at a time only their queue would be measured. */
const listConnections = 4;

/** Measures by name, in the order of a round. */
export const measureNames = ['transaction', 'half', 'issue', 'lookup', 'reward', 'list'] as const;
export type SandboxMeasureName = (typeof measureNames)[number];

type SandboxRound = Readonly<Record<SandboxMeasureName, MeasuredLoad>>;
export type SandboxRounds = readonly SandboxRound[];

const say = (text: string): void => void process.stderr.write(`${text}\n`);

const runRound = async (options: SandboxBenchOptions, generator: LoadGenerator): Promise<SandboxRound> => {
  const { connections, seconds } = options;
  const base = { passes: passesIssued, connections };
  const side = { ...base, seconds: Math.max(sideSecondsMin, seconds * sideShare) };
  const transaction = await generator.run({ ...base, kind: 'transaction', seconds });
  // Of this round's rate: what slows the machine down now slows both.
  const rate = transaction.done / transaction.seconds / 2;
  return {
    transaction,
    half: await generator.run({ ...base, kind: 'transaction', seconds, rate }),
    issue: await generator.run({ ...side, kind: 'issue' }),
    lookup: await generator.run({ ...side, kind: 'lookup' }),
    reward: await generator.run({ ...side, kind: 'reward' }),
    list: await generator.run({ ...side, kind: 'list', connections: Math.min(listConnections, connections) }),
  };
};

/** Issues the passes, warms up, and measures round by round, all measures taking turns. */
export const runSandboxRounds = async (
  options: SandboxBenchOptions,
  generator: LoadGenerator,
): Promise<SandboxRounds> => {
  const { connections, rounds } = options;
  say(`issuing ${passesIssued} passes`);
  const issue = { kind: 'issue', run: 'm', requestsMax: passesIssued } as const;
  await generator.run({ ...issue, passes: 0, connections, seconds: issueSecondsMax });
  say('warm-up');
  await runRound(options, generator);
  const results: SandboxRound[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    say(`round ${round} of ${rounds}`);
    results.push(await runRound(options, generator));
  }
  return results;
};
