import { parseArgs } from 'node:util';

import { drillRanges } from '../options.js';
import { UsageError, wholeNumber } from '../../support/process/program.js';

export const disasters = ['backup', 'replica', 'synchronous-replica'] as const;
export type Disaster = (typeof disasters)[number];

export interface RestoreOptions {
  readonly disaster: Disaster;
  readonly seed: number;
  /** Events a second. */
  readonly rate: number;
  /** Traffic before the disaster, and after it. */
  readonly calmSeconds: number;
  /** `backup`: traffic after the moment that is restored, all of it forgotten. */
  readonly lostSeconds: number;
  /** `backup`, `replica`: how long there is no database, while tills go on. */
  readonly downSeconds: number;
  readonly isJson: boolean;
  readonly isHelp: boolean;
}

const ranges = {
  ...drillRanges,
  // The log of the moment must be archived before the server is gone.
  lost: { min: 5, max: 600 },
  down: { min: 0, max: 3_600 },
} as const;

export const helpText = `npm run drill -- restore DISASTER [options]

Loses the database of two daemons under traffic, gets it back as docs/restore.md says, and lets judges look at all that
was told and all that the partner has. Real Postgres and Kafka, on this machine alone; ends by itself.

  backup               the server is gone; a base backup and its archived log are restored to a moment before
  replica              the server is gone; a replica that follows a little behind is promoted
  synchronous-replica  the server is gone; a replica that has every commit is promoted, and nobody restarts the daemons

  --seed N      of the traffic (1)
  --rate N      events a second (30)
  --calm N      seconds of traffic before the disaster, and after it (15)
  --lost N      backup: seconds of traffic after the moment that is restored (5)
  --down N      backup, replica: seconds without any database, while tills go on (90)
  --json        one JSON object on standard output instead of text
  --help        this text

Exit code 0: nothing was lost or doubled. 1: something was; every table lies in a folder that is named. 2: wrong usage.`;

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        seed: { type: 'string', default: '1' },
        rate: { type: 'string', default: '30' },
        calm: { type: 'string', default: '15' },
        lost: { type: 'string', default: '5' },
        down: { type: 'string', default: '90' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** @throws UsageError */
export function readOptions(args: readonly string[]): RestoreOptions {
  const { values, positionals } = parse(args);
  const disaster = disasters.find((name) => name === positionals[0]);
  if (!values.help && (disaster === undefined || positionals.length > 1)) {
    throw new UsageError(`one disaster is wanted: ${disasters.join(', ')}`);
  }
  return {
    disaster: disaster ?? 'backup',
    seed: wholeNumber('seed', values.seed, ranges.seed),
    rate: wholeNumber('rate', values.rate, ranges.rate),
    calmSeconds: wholeNumber('calm', values.calm, ranges.calm),
    lostSeconds: wholeNumber('lost', values.lost, ranges.lost),
    downSeconds: wholeNumber('down', values.down, ranges.down),
    isJson: values.json,
    isHelp: values.help,
  };
}
