import type { DrillOptions } from '../options.js';
import { readDrillOptions } from '../options.js';
import { UsageError } from '../../support/process/program.js';

export const parts = ['daemon', 'wallet-sandbox', 'kafka', 'postgres'] as const;
export type Part = (typeof parts)[number];
/** The daemon of the release before. */
const before = 'before';

export interface ClusterOptions extends DrillOptions<Part> {
  /** As the nodes know or pull them. */
  readonly images: Readonly<Record<Part, string> & Partial<Record<typeof before, string>>>;
}

const imagesDefault: ClusterOptions['images'] = {
  daemon: 'loyaltyd:local',
  'wallet-sandbox': 'loyaltyd-wallet-sandbox:local',
  kafka: 'apache/kafka:4.3.1',
  postgres: 'postgres:18.6',
};

export const helpText = `npm run drill -- cluster [options]

Installs the chart on a Kubernetes cluster as docs/kubernetes.md says, with Kafka, Postgres and the wallet sandbox beside it, and
plays under traffic what befalls a release: rollouts, rollback, forced deletes, evictions, rotated secrets, another programs
file, outages. Both judges of npm run chaos judge what has become of every event. About ten minutes.

Takes kubectl and the cluster that KUBECONFIG leads to: one for drills. Two namespaces are made there and removed
(loyaltyd-drill, loyaltyd-drill-infra), and the ports 4010, 25432 and 29092 of this machine's loopback are used meanwhile.

  --seed S               decides the traffic (1)
  --rate N               events a second (20)
  --calm N               seconds of traffic before, between and after the stories (10)
  --image PART=NAME      image of ${parts.join(', ')}; may be repeated
                         (${Object.values(imagesDefault).join(', ')});
                         ${before}: the daemon of the newest tag before this commit, whose chart is installed first then, and upgraded
  --json                 one JSON object on standard output instead of the table
  --help                 this text

Exit code 0: everything recovered, and nothing was lost, doubled or out of order. 1: not so. 2: wrong usage.`;

/** @throws UsageError */
export function readOptions(args: readonly string[]): ClusterOptions {
  const { restartEngine, ...options } = readDrillOptions(args, [...parts, before]);
  if (restartEngine !== null) throw new UsageError('a cluster has no --restart-engine');
  return { ...options, images: { ...imagesDefault, ...options.images } };
}
