import type { LoadGenerator, MeasuredLoad } from './load-generator.js';
import type { SandboxBenchOptions } from './options.js';

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

export type SandboxRound = Readonly<Record<SandboxMeasureName, MeasuredLoad>>;
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
