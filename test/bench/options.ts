import { parseArgs } from 'node:util';

export const measureNames = ['delivery', 'crowd', 'ingest'] as const;
export type MeasureName = (typeof measureNames)[number];

export interface BenchOptions {
  readonly isQuick: boolean;
  readonly isJson: boolean;
  readonly isHelp: boolean;
  readonly only: readonly MeasureName[];
  readonly rounds: number | null;
  /** Folder for V8 profiles of the contestants, or null. */
  readonly profileFolder: string | null;
}

export const helpText = `npm run bench -- [options]

Measures delivery (alone, and beside blocked and very long lanes) and ingest side by side with others, in alternating
rounds, on this machine: Postgres (DATABASE_URL,
else embedded, with fsync and synchronous_commit on), a partner stub in a process of its own, Kafka as for the tests.

  --quick            about two minutes: smaller backlogs, three rounds
  --json             one JSON object on standard output instead of the table
  --only NAME        delivery, crowd or ingest; may be repeated
  --rounds N         counted rounds (one more is run first, to warm up)
  --profile FOLDER   writes a V8 CPU profile of each contestant into FOLDER
  --help             this text

Exit code 0: everything ran, every result was checked and every bar that decides holds. 1: not so. 2: wrong usage.`;

/** What is wrong with the command line. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const isMeasureName = (name: string): name is MeasureName => measureNames.some((known) => known === name);

const readRounds = (text: string | undefined): number | null => {
  if (text === undefined) return null;
  const rounds = Number(text);
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > 100) throw new UsageError('--rounds wants 1 to 100');
  return rounds;
};

const readOnly = (names: readonly string[] | undefined): readonly MeasureName[] => {
  if (names === undefined) return measureNames;
  return names.map((name) => {
    if (!isMeasureName(name)) throw new UsageError(`--only wants one of ${measureNames.join(', ')}`);
    return name;
  });
};

const parse = (args: readonly string[]) =>
  parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
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
    only: readOnly(values.only),
    rounds: readRounds(values.rounds),
    profileFolder: values.profile ?? null,
  };
};
