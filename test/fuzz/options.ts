import { parseArgs } from 'node:util';

import { UsageError } from '../support/process/program.js';

export interface FuzzOptions {
  /** In all; each target has its share. Null where `inputs` ends the run. */
  readonly minutes: number | null;
  /** Of each target. */
  readonly inputs: number | null;
  readonly seed: number;
  /** Empty: all targets. */
  readonly only: readonly string[];
  /** One input to be judged once more. */
  readonly repeat: Buffer | null;
  /** Inputs of which something new came are written into the corpus. */
  readonly isKept: boolean;
  readonly isJson: boolean;
  readonly isHelp: boolean;
}

const minutesDefault = 5;

export const helpText = `npm run fuzz -- [options]

Feeds broken inputs to whatever reads what others write: source records, tokens, files, the answers of the partner and
of other services, Kafka's record batches, and the operations API of a real daemon by its own OpenAPI document. What
must never happen is a finding, printed with the input, cut down, and the command that repeats it (test/fuzz/README.md).

  --minutes M      in all, shared among the targets (${minutesDefault})
  --inputs N       instead: so many inputs to each target
  --seed S         decides the inputs (1)
  --only TARGET    this target alone; may be repeated; a wrong one lists all
  --repeat BASE64  judges one input once more; with --only
  --keep           writes inputs of which something new came into test/fuzz/corpus
  --json           one JSON object on standard output instead of text
  --help           this text

The operations API needs Postgres and Kafka, as tests do. Exit code 0: nothing was found. 1: something was. 2: wrong usage.`;

const limits = { minutes: 1_440, inputs: 1_000_000_000, seed: 2_147_483_647 } as const;

function readNumber(name: keyof typeof limits, text: string | undefined): number | null {
  if (text === undefined) return null;
  const value = Number(text);
  const min = name === 'seed' ? 0 : 1;
  if (!Number.isInteger(value) || value < min || value > limits[name]) {
    throw new UsageError(`--${name} wants ${min} to ${limits[name]}`);
  }
  return value;
}

function parse(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string' },
      inputs: { type: 'string' },
      seed: { type: 'string' },
      only: { type: 'string', multiple: true, default: [] },
      repeat: { type: 'string' },
      keep: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
}

function parsed(args: readonly string[]): ReturnType<typeof parse>['values'] {
  try {
    return parse(args).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/**
 * @param known every target there is
 * @throws UsageError
 */
export function readOptions(args: readonly string[], known: readonly string[]): FuzzOptions {
  const values = parsed(args);
  const unknown = values.only.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new UsageError(`no target is called ${unknown}; known are ${known.join(', ')}`);
  if (values.repeat !== undefined && values.only.length !== 1) throw new UsageError('--repeat wants one --only');
  const [minutes, inputs] = [readNumber('minutes', values.minutes), readNumber('inputs', values.inputs)];
  if (minutes !== null && inputs !== null) throw new UsageError('--minutes or --inputs, not both');
  return {
    minutes: inputs === null ? (minutes ?? minutesDefault) : null,
    inputs,
    seed: readNumber('seed', values.seed) ?? 1,
    only: values.only,
    repeat: values.repeat === undefined ? null : Buffer.from(values.repeat, 'base64'),
    isKept: values.keep,
    isJson: values.json,
    isHelp: values.help,
  };
}
