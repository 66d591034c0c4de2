import type { DrillOptions } from '../options.js';
import { readDrillOptions } from '../options.js';

export const services = ['kafka', 'postgres', 'wallet-sandbox', 'daemon'] as const;
export type Service = (typeof services)[number];

export interface ComposeOptions extends DrillOptions<Service> {
  /** A shell command that restarts the engine; null: that part is left out. */
  readonly restartEngine: string | null;
}

export const helpText = `npm run drill -- compose [options]

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

/** @throws UsageError */
export function readOptions(args: readonly string[]): ComposeOptions {
  return readDrillOptions(args, services);
}
