import { parseArgs } from 'node:util';

import { UsageError } from '../../support/process/program.js';

export interface SoakOptions {
  /** Traffic; start, rest and verdict come on top. */
  readonly minutes: number;
  readonly seed: number;
  /** Those that are restarted each minute; one more never is. */
  readonly daemons: number;
  /** Events a second in the high wave. */
  readonly rate: number;
  /** Where logs and tables of a run that breaks a bar go; null: a new temporary folder. */
  readonly folder: string | null;
  readonly isJson: boolean;
  readonly isHelp: boolean;
}

/** The run by minutes; one that is shorter than a minute is one round. */
export interface Rounds {
  readonly count: number;
  readonly seconds: number;
}

export const helpText = `npm run drill -- soak [options]

Runs the whole product as real processes on this machine's loopback (Kafka, Postgres, the wallet sandbox, daemons) as it
runs for months: traffic comes in waves; each minute every daemon but one is restarted, one after the other, the programs
file changes and is read again, the partner gives us another secret and operators get other tokens; once the file is wrong;
now and then the partner answers 429 and 503 for some seconds. Then everything must come to rest, and memory, log lines, leases, connections, the
checker and the partner's ledger are judged.

  --minutes N    traffic (20); below 1: one short round. Start, rest and verdict take about two minutes more
  --seed S       decides the traffic, not the machine's timing (1)
  --daemons N    processes that are restarted each minute (3); one more runs from the beginning to the end
  --rate N       events a second in the high wave (120)
  --folder PATH  logs and dumps of a run that breaks a bar go here (a new temporary folder)
  --json         one JSON object on standard output instead of the tables
  --help         this text

Exit code 0: every bar holds. 1: not so; the folder with the evidence is named. 2: wrong usage.`;

/** What repeats a run. */
export function commandOf({ minutes, seed, daemons, rate }: SoakOptions): string {
  return `npm run drill -- soak --minutes ${minutes} --seed ${seed} --daemons ${daemons} --rate ${rate}`;
}

export function roundsOf({ minutes }: Pick<SoakOptions, 'minutes'>): Rounds {
  const count = Math.max(1, Math.round(minutes));
  return { count, seconds: (minutes * 60) / count };
}

interface Range {
  readonly min: number;
  readonly max: number;
  readonly isWhole: boolean;
}

/** Ten hours: what a process logs is kept in memory here until it ends. */
const minutesMax = 600;

const ranges = {
  minutes: { min: 0.2, max: minutesMax, isWhole: false },
  seed: { min: 0, max: 2_147_483_647, isWhole: true },
  daemons: { min: 1, max: 9, isWhole: true },
  rate: { min: 1, max: 10_000, isWhole: true },
} as const satisfies Record<string, Range>;

function readNumber(name: keyof typeof ranges, text: string): number {
  const { min, max, isWhole }: Range = ranges[name];
  const value = Number(text);
  const isRight = text.trim() !== '' && value >= min && value <= max && (!isWhole || Number.isInteger(value));
  if (!isRight) throw new UsageError(`--${name} wants ${min} to ${max}`);
  return value;
}

function parse(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string', default: '20' },
      seed: { type: 'string', default: '1' },
      daemons: { type: 'string', default: '3' },
      rate: { type: 'string', default: '120' },
      folder: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
}

function parsed(args: readonly string[]): ReturnType<typeof parse> {
  try {
    return parse(args);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** @throws UsageError */
export function readOptions(args: readonly string[]): SoakOptions {
  const { values } = parsed(args);
  return {
    minutes: readNumber('minutes', values.minutes),
    seed: readNumber('seed', values.seed),
    daemons: readNumber('daemons', values.daemons),
    rate: readNumber('rate', values.rate),
    folder: values.folder ?? null,
    isJson: values.json,
    isHelp: values.help,
  };
}
