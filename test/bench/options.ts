import { parseArgs } from 'node:util';

import { UsageError } from '../support/process/program.js';

export const measureNames = [
  'delivery',
  'sparse',
  'pending',
  'crowd',
  'ingest',
  'end-to-end',
  'rates',
  'disk',
  'log',
  'bill',
  'doubts',
  'retention',
  'idle',
  'pods',
  'consumers',
  'memory',
  'lists',
  'console',
  'flood',
  'readers',
  'start',
  'container',
  'receipts',
] as const;
/** What a full run leaves out: no other figure is compared with these, and two of them take as long as half of the rest. */
const onlyWhenAsked = new Set<MeasureName>(measureNames.slice(measureNames.indexOf('lists')));
const fullMeasures = measureNames.filter((name) => !onlyWhenAsked.has(name));
/** What `--quick` runs unless told otherwise. */
const quickMeasures: readonly MeasureName[] = ['delivery', 'ingest', 'end-to-end'];
export type MeasureName = (typeof measureNames)[number];

export interface BenchOptions {
  readonly isQuick: boolean;
  readonly isJson: boolean;
  readonly isHelp: boolean;
  /** Whether the report becomes docs/performance.md and docs/performance.json. */
  readonly isWritten: boolean;
  /** As a reader would repeat it. */
  readonly command: string;
  readonly only: readonly MeasureName[];
  readonly rounds: number | null;
  /** Folder for V8 profiles of the contestants, or null. */
  readonly profileFolder: string | null;
}

export const helpText = `npm run bench -- [options]

Measures on this machine, with Postgres (DATABASE_URL, else embedded, with fsync and synchronous_commit on), a partner
stub in a process of its own, and Kafka as for the tests:

  delivery   20,000 members with five intents each, side by side with job queues (as they are, two processes beside two,
             payloads sealed, attempts recorded as we do), engines of durable execution and bare loops, in alternating rounds
  sparse     200,000 members with one intent each, beside the same queues
  pending    the first 40,000 deliveries of 1,000,000 pending, beside the same queues, and beside a paused program
  crowd      the same backlog beside blocked lanes and a very long one
  ingest     one and two consumers, side by side with bare ones
  end-to-end from Kafka to the recorded answer through one real daemon, with TLS wherever it can be had here: events/s a core
             that are sustained, and how late at half of that
  rates      what an event costs at 20, 300 and 2,000 a second: time, processor time, transactions
  disk       bytes that a delivered intent leaves behind, table by table
  log        write-ahead log of an event with 20,000,000 members across two checkpoints, with and without wal_compression
  bill       of a million events: core-hours, log, bytes kept; calculated from end-to-end, rates, log and disk, which it runs
  doubts     what nobody knows the outcome of after kill -9 at full load, beside the queues' jobs that are done again
  retention  how fast old intents leave the database while ingest takes all it can
  idle       what a daemon costs that has nothing to do, and how soon it begins, its roles together and apart
  pods       1, 2, 4, 8 and 9 delivery processes on one database, before a partner that takes 50 ms
  consumers  1, 3 and 12 ingest processes on 24 partitions: how fast they catch up, and how long nobody consumes when one
             joins, is stopped or is killed; wants a real Kafka
  memory     one daemon's over 1,000,000 events
  lists      pages of the operators' lists at 10,000,000 intents, filter by filter; only with --only
  console    the web console in Chromium before 1,000,000 intents; only with --only
  flood      a daemon's memory, probes and deliveries while 1, 20 and 500 connections of strangers ask for all they can; only
             with --only
  readers    how late events and probes are while 8 viewers ask the worst questions of 1,000,000 audit entries and as many records
             in quarantine; only with --only
  start      until a daemon is ready, and until commands of the command line are done; only with --only
  container  memory of a daemon whose records decompress to hundreds of MiB; only with --only
  receipts   bytes that a purchase without a card leaves behind until it is forgotten; only with --only

  --quick            about five minutes: delivery, ingest and end-to-end only, with fewer rounds and smaller backlogs; the others
                     with --only, at a tenth of their size
  --json             one JSON object on standard output instead of the table
  --write            writes docs/performance.md and docs/performance.json too
  --only NAME        one of the above; may be repeated
  --rounds N         counted rounds; one more is run first, to warm up
  --profile FOLDER   writes a V8 CPU profile of each contestant into FOLDER, and reports where its time went, what our
                     statements cost the server, and how it executed them
  --help             this text

Exit code 0: everything ran, every result was checked and every bar holds. 1: not so. 2: wrong usage.`;

const isMeasureName = (name: string): name is MeasureName => measureNames.some((known) => known === name);

const readRounds = (text: string | undefined): number | null => {
  if (text === undefined) return null;
  const rounds = Number(text);
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > 100) throw new UsageError('--rounds wants 1 to 100');
  return rounds;
};

/** What it is calculated from must be of the same run. */
const partsOfBill: readonly MeasureName[] = ['end-to-end', 'rates', 'disk', 'log', 'bill'];

const readOnly = (names: readonly string[] | undefined, isQuick: boolean): readonly MeasureName[] => {
  if (names === undefined) return isQuick ? quickMeasures : fullMeasures;
  const asked = names.flatMap((name) => {
    if (!isMeasureName(name)) throw new UsageError(`--only wants one of ${measureNames.join(', ')}`);
    return name === 'bill' ? partsOfBill : [name];
  });
  return [...new Set(asked)].toSorted((one, other) => measureNames.indexOf(one) - measureNames.indexOf(other));
};

const parse = (args: readonly string[]) =>
  parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
      only: { type: 'string', multiple: true },
      rounds: { type: 'string' },
      profile: { type: 'string' },
    },
  });

/** @throws {UsageError} */
export const readOptions = (args: readonly string[]): BenchOptions => {
  let values: ReturnType<typeof parse>['values'];
  try {
    ({ values } = parse(args));
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  return {
    isQuick: values.quick,
    isJson: values.json,
    isHelp: values.help,
    isWritten: values.write,
    command: ['npm run bench --', ...args].join(' '),
    only: readOnly(values.only, values.quick),
    rounds: readRounds(values.rounds),
    profileFolder: values.profile ?? null,
  };
};
