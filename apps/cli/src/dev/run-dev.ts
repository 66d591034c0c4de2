import { createServer } from 'node:net';

import { exitError, exitOk } from '../command-line/command-failure.js';
import type { DevStack } from './dev-stack.js';
import { describeDevStack, startDevStack } from './dev-stack.js';
import type { OwnPaths } from './own-house.js';
import { openOwnHouse } from './own-house.js';
import { stopRequest, whileAwake } from './stop-request.js';

const host = '127.0.0.1';

/** Says before anything is started that a port is taken. 0 is always free. @throws naming the option to change */
export async function requireFreePort(option: string, port: number): Promise<void> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
  } catch (error) {
    throw new Error(`port ${port} is taken: choose another one with ${option}, or 0 for any`, { cause: error });
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

interface DevOptions {
  readonly dataFolder: string | null;
  /** Null: the two clubs of the stack. */
  readonly own: OwnPaths | null;
  readonly port: number;
  readonly sandboxPort: number;
  readonly kafkaPort: number;
}

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** `loyaltyd dev`: the whole product on embedded parts, until Ctrl-C. @returns the exit code */
export async function runDev(options: DevOptions): Promise<number> {
  const own = options.own === null ? null : await openOwnHouse(options.own);
  await requireFreePort('--port', options.port);
  await requireFreePort('--sandbox-port', options.sandboxPort);
  await requireFreePort('--kafka-port', options.kafkaPort);
  const stopping = stopRequest();
  say('loyaltyd dev: starting Postgres, a Kafka broker, the wallet sandbox and the daemon ...');
  const stack = await startDevStack({
    dataFolder: options.dataFolder,
    profile: {},
    own,
    operationsPort: options.port,
    sandboxPort: options.sandboxPort,
    kafkaPort: options.kafkaPort,
    logLevel: 'info',
  });
  for (const line of describeDevStack(stack)) say(line);
  return untilStopped(stack, stopping);
}

/** A crash of the daemon is reported and ends all: half a stack would only puzzle. */
async function untilStopped(stack: DevStack, stopping: Promise<NodeJS.Signals>): Promise<number> {
  const reason = await whileAwake(Promise.race([stopping.then(() => null), stack.broken]));
  if (reason === null) say('stopping: the daemon drains first, Postgres goes last; Ctrl-C again ends all at once');
  else process.stderr.write(`${reason}\n`);
  await stack.stop();
  return reason === null ? exitOk : exitError;
}
