import { parseArgs } from 'node:util';

import { UsageError } from '../support/process/program.js';

export const services = ['kafka', 'postgres', 'wallet-sandbox', 'daemon'] as const;
export type Service = (typeof services)[number];

export interface DrillOptions {
  readonly seed: number;
  /** Events a second. */
  readonly rate: number;
  /** Traffic before, between and after the kills. */
  readonly calmSeconds: number;
  /** Images in place of those of docker-compose.yml; what is named is not built. */
  readonly images: Readonly<Partial<Record<Service, string>>>;
  /** A shell command that restarts the engine; null: that part is left out. */
  readonly restartEngine: string | null;
  readonly isJson: boolean;
  readonly isHelp: boolean;
}

export const helpText = `npm run compose:drill -- [options]

Starts the Compose stack (docker-compose.yml) as a project of its own, sends it traffic, kills the first process of each
container in turn, restarts the engine, takes the stack down and up again with its data, and lets both judges of
npm run chaos judge what has become of every event. Needs Docker Engine 25 or newer with Compose 2, and the ports of the
stack. About five minutes.

  --seed S               decides the traffic (1)
  --rate N               events a second (20)
  --calm N               seconds of traffic before, between and after the kills (10)
  --image SERVICE=NAME   another image for a service, such as one of your own mirror; may be repeated. Else what
                         docker-compose.yml names, and builds
  --restart-engine CMD   how the engine is restarted, such as "systemctl restart docker"; else that part is left out
  --json                 one JSON object on standard output instead of the table
  --help                 this text

Exit code 0: everything recovered by itself, and nothing was lost, doubled or out of order. 1: not so. 2: wrong usage.`;

interface Range {
  readonly min: number;
  readonly max: number;
}

const ranges = {
  seed: { min: 0, max: 2_147_483_647 },
  rate: { min: 1, max: 1_000 },
  calm: { min: 5, max: 3_600 },
} as const satisfies Record<string, Range>;

function readNumber(name: keyof typeof ranges, text: string): number {
  const { min, max }: Range = ranges[name];
  const value = Number(text);
  if (!Number.isInteger(value) || value < min || value > max) throw new UsageError(`--${name} wants ${min} to ${max}`);
  return value;
}

function readImages(texts: readonly string[]): DrillOptions['images'] {
  const pairs = texts.map((text) => {
    const [service = '', ...image] = text.split('=');
    if (!services.some((name) => name === service) || image.join('=') === '') {
      throw new UsageError(`--image wants one of ${services.join(', ')}, "=" and an image, not ${text}`);
    }
    return [service, image.join('=')] as const;
  });
  return Object.fromEntries(pairs);
}

function parse(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string', default: '1' },
      rate: { type: 'string', default: '20' },
      calm: { type: 'string', default: '10' },
      image: { type: 'string', multiple: true, default: [] },
      'restart-engine': { type: 'string' },
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
export function readOptions(args: readonly string[]): DrillOptions {
  const { values } = parsed(args);
  return {
    seed: readNumber('seed', values.seed),
    rate: readNumber('rate', values.rate),
    calmSeconds: readNumber('calm', values.calm),
    images: readImages(values.image),
    restartEngine: values['restart-engine'] ?? null,
    isJson: values.json,
    isHelp: values.help,
  };
}
