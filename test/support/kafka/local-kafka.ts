import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { logLevel } from 'kafkajs';

import type { BoundProcess } from '#embedded';
import { freeLoopbackPorts, startBoundProcess, waitUntil } from '#embedded';
import { KafkaClient } from '#kafka/kafkajs';

import { cachedFolder } from './cached-folder.js';

/** Major version of the `java` on the PATH, or `undefined` if there is none. */
export const javaVersion = async (): Promise<number | undefined> => {
  try {
    const { stderr } = await promisify(execFile)('java', ['-version']);
    const match = /version "(?:1\.)?(\d+)/.exec(stderr);
    return match === null ? undefined : Number(match[1]);
  } catch {
    return undefined;
  }
};

const fetchTimeoutMs = 600_000;

/** slf4j-simple lets the broker say why it does not start; both supported lines of Kafka log through slf4j 1.7. */
const pom = (version: string): string => `<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>loyaltyd.test</groupId>
  <artifactId>kafka</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>org.apache.kafka</groupId>
      <artifactId>kafka_2.13</artifactId>
      <version>${version}</version>
    </dependency>
    <dependency>
      <groupId>org.slf4j</groupId>
      <artifactId>slf4j-simple</artifactId>
      <version>1.7.36</version>
    </dependency>
  </dependencies>
</project>
`;

const copyJars = async (folder: string, version: string): Promise<void> => {
  const file = join(folder, 'pom.xml');
  await writeFile(file, pom(version));
  const goal = ['dependency:copy-dependencies', `-DoutputDirectory=${folder}`, '-DincludeScope=runtime'];
  await promisify(execFile)('mvn', ['-q', '-B', '-f', file, ...goal], { cwd: folder, timeout: fetchTimeoutMs });
  await rm(file);
};

/** The folder with Apache Kafka and all it needs, from Maven Central, cached per version outside the checkout. */
export const kafkaJars = (version: string): Promise<string> =>
  cachedFolder({
    name: `kafka/${version}`,
    fill: async (folder) => {
      process.stderr.write(`fetching Kafka ${version} from Maven Central (45 MB, only once)\n`);
      await copyJars(folder, version);
    },
  });

/** Any valid identifier: 16 bytes, base64url. */
const newClusterId = (): string => randomBytes(16).toString('base64url');
const directoryId = 'bG95YWx0eWQtdGVzdC1kaQ';

interface KafkaPropertiesOptions {
  readonly data: string;
  readonly port: number;
  readonly controllerPort: number;
}

/** server.properties of one node that is broker and controller, with everything small and nothing delayed. */
export const kafkaProperties = ({ data, port, controllerPort }: KafkaPropertiesOptions): string =>
  [
    'process.roles=broker,controller',
    'node.id=1',
    `controller.quorum.voters=1@127.0.0.1:${controllerPort}`,
    `listeners=PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
    `advertised.listeners=PLAINTEXT://127.0.0.1:${port}`,
    'controller.listener.names=CONTROLLER',
    'listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT',
    `log.dirs=${data}`,
    'num.partitions=4',
    'num.network.threads=2',
    'num.io.threads=2',
    'offsets.topic.num.partitions=1',
    'offsets.topic.replication.factor=1',
    'transaction.state.log.num.partitions=1',
    'transaction.state.log.replication.factor=1',
    'transaction.state.log.min.isr=1',
    'group.initial.rebalance.delay.ms=0',
    'group.min.session.timeout.ms=1000',
    'log.cleaner.dedupe.buffer.size=4194304',
    '',
  ].join('\n');

/** meta.properties, all that `kafka-storage.sh format` writes for us: without it a second start of Java is saved. */
export const kafkaMetaProperties = (): string =>
  ['version=1', `cluster.id=${newClusterId()}`, 'node.id=1', `directory.id=${directoryId}`, ''].join('\n');

interface KafkaServer {
  /** `127.0.0.1:PORT`. */
  readonly brokers: string;
  stop(): Promise<void>;
}

interface Launch {
  readonly server: BoundProcess;
  readonly port: number;
}

/** Further lines of server.properties, for a broker whose files lie in `folder`. The last word counts. */
type MoreProperties = (
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

/** A loaded machine takes its time. */
const timeoutMs = 120_000;

/**
 * Waits until a fresh broker coordinates consumer groups. It makes the topic for their offsets when the first group is
 * asked for, and refuses groups meanwhile: every test that comes first would see errors in its log and wait for retries.
 */
export const awaitCoordinator = async (brokers: string): Promise<void> => {
  const kafka = new KafkaClient({ brokers: [brokers], logLevel: logLevel.NOTHING, retry: { retries: 0 } });
  const admin = kafka.admin();
  const answers = async (): Promise<boolean> => {
    await admin.connect();
    const { groups } = await admin.describeGroups(['loyaltyd-warm-up']);
    return (groups[0] as { errorCode?: number } | undefined)?.errorCode === 0; // missing in kafkajs' types
  };
  try {
    await waitUntil(() => answers().catch(() => false), { what: 'the group coordinator', timeoutMs });
  } finally {
    await admin.disconnect();
  }
};

/** Tried in this order, since a fresh release may not be complete in every mirror. `KAFKA_VERSION` names another. */
const versions = ['4.3.1', '4.2.1', '4.1.2', '4.0.2'] as const;
export const kafkaVersions = (): readonly [string, ...string[]] => {
  const wanted = process.env['KAFKA_VERSION'];
  return wanted === undefined ? versions : [wanted];
};

/** Kafka 4 needs Java 17, Kafka 3.9 needs 11. */
const javaVersionMin = 17;

/** A Kafka that can be started on this machine. */
interface LocalKafka {
  readonly version: string;
  /** The folder with Apache Kafka and all it needs. */
  readonly jars: string;
  /** Major version of the `java` on the PATH. */
  readonly java: number;
}

const firstJars = async (candidates: readonly string[]): Promise<Omit<LocalKafka, 'java'>> => {
  const failures: unknown[] = [];
  for (const version of candidates) {
    try {
      return { version, jars: await kafkaJars(version) };
    } catch (error) {
      failures.push(error);
    }
  }
  throw new AggregateError(failures, `Maven got none of Kafka ${candidates.join(', ')}: ${String(failures.at(-1))}`);
};

/** Apache Kafka from Maven Central, for this machine's Java. Throws why there is none. */
export const localKafka = async (): Promise<LocalKafka> => {
  const java = await javaVersion();
  if (java === undefined || java < javaVersionMin) throw new Error(`no Java ${javaVersionMin} or later on the PATH`);
  return { ...(await firstJars(kafkaVersions())), java };
};
