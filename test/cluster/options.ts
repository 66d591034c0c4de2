import { parseArgs } from 'node:util';

import { UsageError } from '../support/process/program.js';

export const parts = ['daemon', 'wallet-sandbox', 'kafka', 'postgres'] as const;
export type Part = (typeof parts)[number];

export interface ClusterOptions {
  readonly seed: number;
  /** Events a second. */
  readonly rate: number;
  /** Traffic before, between and after the stories. */
  readonly calmSeconds: number;
  /** As the nodes know or pull them. */
  readonly images: Readonly<Record<Part, string>>;
  readonly isJson: boolean;
  readonly isHelp: boolean;
}

const imagesDefault: ClusterOptions['images'] = {
  daemon: 'loyaltyd:local',
  'wallet-sandbox': 'loyaltyd-wallet-sandbox:local',
  kafka: 'apache/kafka:4.3.1',
  postgres: 'postgres:18.6',
};

export const helpText = `npm run cluster -- [options]

Installs the chart on a Kubernetes cluster as docs/kubernetes.md says, with Kafka, Postgres and the wallet sandbox beside it, and
plays under traffic what befalls a release: rollouts, rollback, forced deletes, evictions, rotated secrets, another programs
file, outages. Both judges of npm run chaos judge what has become of every event. About ten minutes.

Takes kubectl and the cluster that KUBECONFIG leads to: one for drills. Two namespaces are made there and removed
(loyaltyd-drill, loyaltyd-drill-infra), and the ports 4010, 25432 and 29092 of this machine's loopback are used meanwhile.

  --seed S               decides the traffic (1)
  --rate N               events a second (20)
  --calm N               seconds of traffic before, between and after the stories (10)
  --image PART=NAME      image of ${parts.join(', ')}; may be repeated
                         (${Object.values(imagesDefault).join(', ')})
  --json                 one JSON object on standard output instead of the table
  --help                 this text

Exit code 0: everything recovered, and nothing was lost, doubled or out of order. 1: not so. 2: wrong usage.`;

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

function readImages(texts: readonly string[]): ClusterOptions['images'] {
  const pairs = texts.map((text) => {
    const [part = '', ...image] = text.split('=');
    if (!parts.some((name) => name === part) || image.join('=') === '') {
      throw new UsageError(`--image wants one of ${parts.join(', ')}, "=" and an image, not ${text}`);
    }
    return [part, image.join('=')] as const;
  });
  return { ...imagesDefault, ...Object.fromEntries(pairs) };
}

function parse(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string', default: '1' },
      rate: { type: 'string', default: '20' },
      calm: { type: 'string', default: '10' },
      image: { type: 'string', multiple: true, default: [] },
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
export function readOptions(args: readonly string[]): ClusterOptions {
  const { values } = parsed(args);
  return {
    seed: readNumber('seed', values.seed),
    rate: readNumber('rate', values.rate),
    calmSeconds: readNumber('calm', values.calm),
    images: readImages(values.image),
    isJson: values.json,
    isHelp: values.help,
  };
}
