import { Command, Option } from 'commander';

import { wholeNumber } from '../command-line/option-values.js';

export interface DemoOptions {
  readonly once: boolean;
  readonly events: number;
  readonly seed: number;
  readonly eventsPerSecond: number;
  readonly json: boolean;
  /** What ran stays up after its audit, to be looked at. */
  readonly stay: boolean;
  /** What stays up has problems in it, made before the traffic, or with --once after the audit. */
  readonly troubles: boolean;
}

interface Flags {
  readonly once?: boolean;
  readonly events?: number;
  readonly seed: number;
  readonly rate?: number;
  readonly json?: boolean;
  readonly stay?: boolean;
  readonly troubles: boolean;
}

/** Records of one run with --once. */
export const eventsDefault = 500;
const eventsMax = 1_000_000;
const eventsPerSecondOnce = 250;
/** As a chain of small shops: its figures visibly move, and a day of it is less than half a million records. */
const eventsPerSecondForever = 5;
const eventsPerSecondMax = 10_000;

const explanation = `
Starts Postgres, a Kafka broker, the wallet sandbox and the daemon on this machine, without Docker, and emits what a
shop's tills emit: enrolments, purchases, returns, rewards, updates; some twice, some broken, some before the enrolment
they need, some of members who never enrol.

A few troubles are made first: refusals, answers that never came, a pause, records that nobody can use, a member who is
waited for. Then traffic goes on until Ctrl-C; the pause ends by itself after five minutes.

With --once it ends when everything is settled, and audits: what the generator wrote down for each event against the
wallet sandbox's own ledger. Exit code 0 only if duplicatesAtPartner, outOfOrderAtPartner and lost are 0; 2 for wrong
usage; 1 otherwise. With --stay the troubles are made after that. Progress goes to standard error, results to standard
output.`;

/** Reads the words after \`npm run demo --\`. @throws {CommanderError} after it has said why */
export function readDemoOptions(words: readonly string[]): DemoOptions {
  const command = new Command('npm run demo --')
    .description('The whole product on embedded parts, with traffic.')
    .option('--once', 'end when everything is settled, and audit')
    .addOption(count('--events <n>', `records to emit with --once (default: ${eventsDefault})`, eventsMax))
    .addOption(
      count(
        '--rate <n>',
        `records per second (default: ${eventsPerSecondOnce} with --once, else ${eventsPerSecondForever})`,
        eventsPerSecondMax,
      ),
    )
    .addOption(count('--seed <n>', 'the same seed emits the same traffic', 2 ** 32 - 1).default(1))
    .option('--json', 'with --once: exactly one JSON object on standard output')
    .option('--stay', 'with --once: everything stays up after the audit, until Ctrl-C')
    .option('--no-troubles', 'nothing goes wrong on purpose, but what the traffic has in it')
    .addHelpText('after', explanation)
    .exitOverride();
  const flags = command.parse(words, { from: 'user' }).opts<Flags>();
  if (flags.once !== true && (flags.json === true || flags.stay === true || flags.events !== undefined)) {
    command.error('error: --events, --json and --stay go with --once');
  }
  return complete(flags);
}

function complete({
  once = false,
  events = eventsDefault,
  seed,
  json = false,
  stay = false,
  troubles,
  rate,
}: Flags): DemoOptions {
  const eventsPerSecond = rate ?? (once ? eventsPerSecondOnce : eventsPerSecondForever);
  return { once, json, stay, troubles, events, seed, eventsPerSecond };
}

function count(flags: string, description: string, max: number): Option {
  return new Option(flags, description).argParser((text) => wholeNumber(text, 1, max));
}
