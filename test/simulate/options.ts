import { parseArgs } from 'node:util';

import { UsageError } from '../support/process/program.js';
import type { Fault } from './world/fault.js';
import { faultNames } from './world/fault.js';

export interface SimulateOptions {
  readonly seeds: number;
  readonly from: number;
  /** Goes on with further seeds until then; null: as many as `seeds` says. */
  readonly minutes: number | null;
  readonly workers: number | null;
  /** One seed only, in this process. */
  readonly replay: number | null;
  readonly isTraced: boolean;
  readonly without: ReadonlySet<Fault>;
  /** Name of a planted bug, to see it found. */
  readonly plant: string | null;
  /** Prints who names which planted bug, in `seeds` worlds each. */
  readonly isSurvey: boolean;
  /** The retailer's judge (test/judge) says what is wrong, too. */
  readonly asksRetailer: boolean;
  readonly isJson: boolean;
  readonly isHelp: boolean;
}

export const helpText = `npm run simulate -- [options]

Runs whole worlds in virtual time: daemons with their real loops and their real SQL on an in-process Postgres, a
simulated Kafka and partner, and everything that can go wrong. Each world follows from its seed; the checker and the
retailer's judge (test/judge) say what is wrong.

  --seeds N          how many worlds (1000)
  --from S           the first seed (1)
  --minutes M        as many worlds as fit into M minutes, instead of --seeds
  --workers W        processes (as many as there are processors)
  --replay SEED      one world in this process; says what is wrong with it
  --trace            with --replay: everything that happens, line by line
  --without A,B      faults that are switched off; with --replay, as a failing seed's shrinking says
  --plant NAME       puts a known bug between the daemons and the outside, to see it found
  --survey           plants each known bug in turn, and prints which judge names it by which rule, as a table
  --no-retailer      asks the checker alone
  --json             one JSON object on standard output instead of text
  --help             this text

Exit code 0: no world broke an invariant. 1: some did; each prints the command that replays it. 2: wrong usage.`;

function wholeNumber(name: string, text: string | undefined, least: number): number | null {
  if (text === undefined) return null;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < least) throw new UsageError(`--${name} wants a number from ${least} on`);
  return value;
}

function faultsOf(text: string | undefined): ReadonlySet<Fault> {
  const names = (text ?? '').split(',').filter((name) => name !== '');
  return new Set(
    names.map((name) => {
      const fault = faultNames.find((known) => known === name);
      if (fault === undefined) throw new UsageError(`--without knows ${faultNames.join(', ')}`);
      return fault;
    }),
  );
}

const parse = (args: readonly string[]) =>
  parseArgs({
    args: [...args],
    allowNegative: true,
    options: {
      seeds: { type: 'string' },
      from: { type: 'string' },
      minutes: { type: 'string' },
      workers: { type: 'string' },
      replay: { type: 'string' },
      trace: { type: 'boolean', default: false },
      without: { type: 'string' },
      plant: { type: 'string' },
      survey: { type: 'boolean', default: false },
      retailer: { type: 'boolean', default: true },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });

/** @throws {UsageError} */
export function readOptions(args: readonly string[]): SimulateOptions {
  let values: ReturnType<typeof parse>['values'];
  try {
    ({ values } = parse(args));
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  return {
    seeds: wholeNumber('seeds', values.seeds, 1) ?? 1_000,
    from: wholeNumber('from', values.from, 0) ?? 1,
    minutes: wholeNumber('minutes', values.minutes, 1),
    workers: wholeNumber('workers', values.workers, 1),
    replay: wholeNumber('replay', values.replay, 0),
    isTraced: values.trace,
    without: faultsOf(values.without),
    plant: values.plant ?? null,
    isSurvey: values.survey,
    asksRetailer: values.retailer,
    isJson: values.json,
    isHelp: values.help,
  };
}
