import { exitError, exitOk } from '../command-line/command-failure.js';
import type { House } from '../house/house.js';
import { startHouse } from '../house/house.js';
import { stopRequest } from '../house/stop-request.js';
import { whileAwake } from '../house/while-awake.js';
import { describeHouse } from './describe-house.js';
import { requireFreePort } from './require-free-port.js';

export interface DevOptions {
  readonly dataFolder: string | null;
  readonly port: number;
  readonly sandboxPort: number;
}

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** `loyaltyd dev`: the whole product on embedded parts, until Ctrl-C. @returns the exit code */
export async function runDev(options: DevOptions): Promise<number> {
  await requireFreePort('--port', options.port);
  await requireFreePort('--sandbox-port', options.sandboxPort);
  const stopping = stopRequest();
  say('loyaltyd dev: starting Postgres, a Kafka broker, the wallet sandbox and the daemon ...');
  const house = await startHouse({
    dataFolder: options.dataFolder,
    profile: {},
    operationsPort: options.port,
    sandboxPort: options.sandboxPort,
    logLevel: 'info',
  });
  for (const line of describeHouse(house)) say(line);
  return untilStopped(house, stopping);
}

/** The daemon's crash is told, and ends all: half a house would only puzzle. */
async function untilStopped(house: House, stopping: Promise<NodeJS.Signals>): Promise<number> {
  const reason = await whileAwake(Promise.race([stopping.then(() => null), house.broken]));
  if (reason === null) say('stopping: the daemon drains first, Postgres goes last; Ctrl-C again ends all at once');
  else process.stderr.write(`${reason}\n`);
  await house.stop();
  return reason === null ? exitOk : exitError;
}
