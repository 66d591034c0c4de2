import { parseArgs } from 'node:util';

import { UsageError, wholeNumber } from '../../support/process/program.js';

export interface ChaosOptions {
  /** Traffic and faults together; start, drain and verdict come on top. */
  readonly seconds: number;
  readonly seed: number;
  readonly daemons: number;
  /** Events a second, on average. */
  readonly rate: number;
  /** Only these faults, one after the other; empty: the whole programme. */
  readonly only: readonly string[];
  /** Where the evidence of a violation goes; null: a new temporary folder. */
  readonly folder: string | null;
  readonly isJson: boolean;
  readonly isHelp: boolean;
}

export const helpText = `npm run chaos -- [options]

Runs the whole product as real processes on this machine's loopback: Kafka (Java, else the embedded broker, said
loudly), Postgres, the wallet sandbox, several daemons with a TCP proxy before each of their peers. Produces traffic,
breaks everything in every way it knows (first each fault alone, then SIGKILL paired with calls whose effect is there
and whose answer is lost, then random mixes), heals, waits until everything is at rest, and lets the checker judge.

  --seconds N    traffic and faults (600); start, drain and verdict take about a minute more
  --seed S       decides traffic and faults, not the machine's timing (1)
  --daemons N    processes with all roles (3)
  --rate N       events a second (210)
  --only KIND    only this fault; may be repeated; a wrong one lists all
  --folder PATH  logs and dumps of a run that breaks a bar go here (a new temporary folder)
  --json         one JSON object on standard output instead of the table
  --help         this text

Exit code 0: every bar holds. 1: not so; the folder with the evidence is named. 2: wrong usage.`;

/** What repeats a run. */
export function commandOf({ seconds, seed, daemons, rate, only }: ChaosOptions): string {
  const kinds = only.map((kind) => ` --only ${kind}`).join('');
  const size = `--daemons ${daemons} --rate ${rate}`;
  return `npm run chaos -- --seconds ${seconds} --seed ${seed} ${size}${kinds}`;
}

const ranges = {
  seconds: { min: 5, max: 86_400 },
  seed: { min: 0, max: 2_147_483_647 },
  daemons: { min: 1, max: 9 },
  rate: { min: 1, max: 10_000 },
} as const;

function readNumber(name: keyof typeof ranges, text: string): number {
  return wholeNumber(name, text, ranges[name]);
}

function parse(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    options: {
      seconds: { type: 'string', default: '600' },
      seed: { type: 'string', default: '1' },
      daemons: { type: 'string', default: '3' },
      rate: { type: 'string', default: '210' },
      only: { type: 'string', multiple: true, default: [] },
      folder: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
}

/**
 * @param known every fault there is
 * @throws UsageError
 */
export function readOptions(args: readonly string[], known: readonly string[]): ChaosOptions {
  const { values } = parsed(args);
  const unknown = values.only.find((kind) => !known.includes(kind));
  if (unknown !== undefined) throw new UsageError(`no fault is called ${unknown}; known are:\n  ${known.join('\n  ')}`);
  return {
    seconds: readNumber('seconds', values.seconds),
    seed: readNumber('seed', values.seed),
    daemons: readNumber('daemons', values.daemons),
    rate: readNumber('rate', values.rate),
    only: values.only,
    folder: values.folder ?? null,
    isJson: values.json,
    isHelp: values.help,
  };
}

function parsed(args: readonly string[]): ReturnType<typeof parse> {
  try {
    return parse(args);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
