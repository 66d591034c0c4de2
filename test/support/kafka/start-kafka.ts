import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freeLoopbackPorts, startBoundProcess, waitUntil, type BoundProcess } from '#embedded';
import { kafkaMetaProperties, kafkaProperties } from './kafka-properties.js';

export interface KafkaServer {
  /** `127.0.0.1:PORT`. */
  readonly brokers: string;
  stop(): Promise<void>;
}

interface Launch {
  readonly server: BoundProcess;
  readonly port: number;
}

/** Further lines of server.properties, for a broker whose files lie in `folder`. The last word counts. */
export type MoreProperties = (
  folder: string,
  ports: { readonly port: number; readonly controllerPort: number },
) => Promise<readonly string[]>;

const startTimeoutMs = 60_000;
const stopGraceMs = 5_000;
const startAttemptsMax = 3;

/** Starting fast matters more than running fast: no second compiler, the simplest collector. */
const javaFlags = ['-Xms128m', '-Xmx512m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xshare:auto'];
const logFlags = ['-Dorg.slf4j.simpleLogger.defaultLogLevel=warn'];

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => socket.destroy());
    socket.once('error', () => undefined);
    socket.once('close', (hadError) => resolve(!hadError));
  });

const launch = async (folder: string, jars: string, more: MoreProperties): Promise<Launch> => {
  const data = join(folder, 'data');
  const properties = join(folder, 'server.properties');
  const [port = 0, controllerPort = 0] = await freeLoopbackPorts(2);
  await mkdir(data);
  await writeFile(join(data, 'meta.properties'), kafkaMetaProperties());
  const own = await more(folder, { port, controllerPort });
  await writeFile(properties, [kafkaProperties({ data, port, controllerPort }), ...own, ''].join('\n'));
  const server = await startBoundProcess({
    command: 'java',
    args: [...javaFlags, ...logFlags, '-cp', join(jars, '*'), 'kafka.Kafka', properties],
    cwd: folder,
    logFile: join(folder, 'kafka.log'),
    graceMs: stopGraceMs,
    removeFolder: folder,
  });
  return { server, port };
};

/** A broker opens its listener as the last step of its start. Resolves with `false` if it ended instead. */
const becomesReady = async ({ server, port }: Launch): Promise<boolean> => {
  const outcome = async (): Promise<'ready' | 'ended' | false> =>
    server.isRunning() ? (await accepts(port)) && 'ready' : 'ended';
  const what = `Kafka to listen on port ${port}`;
  try {
    return (await waitUntil(outcome, { what, timeoutMs: startTimeoutMs })) === 'ready';
  } catch (error) {
    await server.stop();
    throw error;
  }
};

/**
 * Starts Apache Kafka from the folder `jars`, as one KRaft node with a temporary data folder. It ends with this
 * process. Throws with the broker's log when it does not start.
 */
export const startKafka = async (
  jars: string,
  more: MoreProperties = () => Promise.resolve([]),
): Promise<KafkaServer> => {
  for (let attempt = 1; ; attempt += 1) {
    const folder = await mkdtemp(join(tmpdir(), 'loyaltyd-kafka-'));
    const { server, port } = await launch(folder, jars, more);
    if (await becomesReady({ server, port })) return { brokers: `127.0.0.1:${port}`, stop: () => server.stop() };
    await rm(folder, { recursive: true, force: true });
    const portTaken = server.logTail().includes('already in use') && attempt < startAttemptsMax;
    if (!portTaken) throw new Error(`Kafka did not start:\n${server.logTail()}`);
  }
};
