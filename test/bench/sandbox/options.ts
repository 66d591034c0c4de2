import { parseArgs } from 'node:util';

import { UsageError, wholeNumber } from '../../support/process/program.js';

export interface SandboxBenchOptions {
  readonly isJson: boolean;
  readonly isHelp: boolean;
  /** Length of one measurement of transactions; the others take a quarter of it, one second at least. */
  readonly seconds: number;
  readonly connections: number;
  /** Counted rounds; one more comes first, uncounted, for code to be compiled. */
  readonly rounds: number;
  /** Folder for a V8 CPU profile of the sandbox, or null. */
  readonly profileFolder: string | null;
}

export const helpText = `npm run sandbox:bench -- [options]

Measures the wallet sandbox, a process of its own on Postgres (DATABASE_URL, else embedded, with fsync and
synchronous_commit on), from a load generator in another process, over loopback. Each round: transactions in a closed
loop (as many as it can); then at half of that rate in an open loop, latencies counted from when each request was due;
then issues, lookups, rewards and pages of 2,000 passes. Medians over the rounds.

  --json             one JSON object on standard output instead of the table
  --seconds N        of each measurement of transactions (4)
  --connections N    kept-alive connections of the load generator (128)
  --rounds N         counted rounds, one more is run first (5)
  --profile FOLDER   writes a V8 CPU profile of the sandbox into FOLDER
  --help             this text

Exit code 0: both bars hold (5,000 transactions/s; p99 below 20 ms at half load). 1: not so. 2: wrong usage.`;

const ranges = {
  seconds: { min: 1, max: 120 },
  connections: { min: 1, max: 1_000 },
  rounds: { min: 1, max: 100 },
} as const;

const readNumber = (name: keyof typeof ranges, text: string): number => wholeNumber(name, text, ranges[name]);

const parse = (args: readonly string[]) =>
  parseArgs({
    args: [...args],
    options: {
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
      seconds: { type: 'string', default: '4' },
      connections: { type: 'string', default: '128' },
      rounds: { type: 'string', default: '5' },
      profile: { type: 'string' },
    },
  });

/** @throws {UsageError} */
export const readSandboxBenchOptions = (args: readonly string[]): SandboxBenchOptions => {
  let values: ReturnType<typeof parse>['values'];
  try {
    ({ values } = parse(args));
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  return {
    isJson: values.json,
    isHelp: values.help,
    seconds: readNumber('seconds', values.seconds),
    connections: readNumber('connections', values.connections),
    rounds: readNumber('rounds', values.rounds),
    profileFolder: values.profile ?? null,
  };
};
