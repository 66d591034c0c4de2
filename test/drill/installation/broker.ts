import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { BoundProcess } from '#embedded';
import { freeLoopbackPorts, startBoundProcess, startEmbeddedBroker, waitUntil } from '#embedded';

import {
  awaitCoordinator,
  javaVersion,
  kafkaJars,
  kafkaMetaProperties,
  kafkaProperties,
  kafkaVersions,
} from '../../support/kafka/local-kafka.js';

const javaFlags = ['-Xms256m', '-Xmx512m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xshare:auto'];
const logFlags = ['-Dorg.slf4j.simpleLogger.defaultLogLevel=warn'];
const startMsMax = 90_000;
const stopGraceMs = 15_000;

interface ChaosKafkaOptions {
  /** The folder with Apache Kafka. */
  readonly jars: string;
  /** Of the proxies: what the broker tells the clients behind each to connect to. */
  readonly proxyPorts: readonly number[];
}

interface Ports {
  readonly direct: number;
  readonly controller: number;
  /** Where the broker listens for each proxy. */
  readonly behindProxies: readonly number[];
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => socket.destroy());
    socket.once('error', () => undefined);
    socket.once('close', (hadError) => {
      resolve(!hadError);
    });
  });
}

/** Each proxy has a listener of its own, so that the broker's word for itself leads back to that proxy. */
function properties(data: string, ports: Ports, proxyPorts: readonly number[]): string {
  const listeners = ports.behindProxies.map((port, index) => `PROXY${index}://127.0.0.1:${port}`);
  const advertised = proxyPorts.map((port, index) => `PROXY${index}://127.0.0.1:${port}`);
  const names = ports.behindProxies.map((_, index) => `PROXY${index}:PLAINTEXT`);
  const direct = `PLAINTEXT://127.0.0.1:${ports.direct}`;
  return [
    kafkaProperties({ data, port: ports.direct, controllerPort: ports.controller }),
    // The last word counts.
    `listeners=${[direct, `CONTROLLER://127.0.0.1:${ports.controller}`, ...listeners].join(',')}`,
    `advertised.listeners=${[direct, ...advertised].join(',')}`,
    `listener.security.protocol.map=${['CONTROLLER:PLAINTEXT', 'PLAINTEXT:PLAINTEXT', ...names].join(',')}`,
    'inter.broker.listener.name=PLAINTEXT',
    '',
  ].join('\n');
}

/** A broker whose data outlives it, always at the same ports: it can be killed and started again. */
class ChaosKafka {
  private server: BoundProcess | null = null;

  private constructor(
    private readonly folder: string,
    private readonly jars: string,
    private readonly ports: Ports,
  ) {}

  static async create({ jars, proxyPorts }: ChaosKafkaOptions): Promise<ChaosKafka> {
    const folder = await mkdtemp(join(tmpdir(), 'loyaltyd-chaos-kafka-'));
    const data = join(folder, 'data');
    const [direct = 0, controller = 0, ...behindProxies] = await freeLoopbackPorts(2 + proxyPorts.length);
    const ports = { direct, controller, behindProxies };
    await mkdir(data);
    await writeFile(join(data, 'meta.properties'), kafkaMetaProperties());
    await writeFile(join(folder, 'server.properties'), properties(data, ports, proxyPorts));
    const kafka = new ChaosKafka(folder, jars, ports);
    await kafka.start();
    await awaitCoordinator(kafka.brokers);
    return kafka;
  }

  /** Past every proxy. */
  get brokers(): string {
    return `127.0.0.1:${this.ports.direct}`;
  }

  /** Where the proxy of that number finds it; null while it is down. */
  portBehind(proxy: number): number | null {
    return this.server === null ? null : (this.ports.behindProxies[proxy] ?? null);
  }

  async start(): Promise<void> {
    const server = await startBoundProcess({
      command: 'java',
      args: [
        ...javaFlags,
        ...logFlags,
        '-cp',
        join(this.jars, '*'),
        'kafka.Kafka',
        join(this.folder, 'server.properties'),
      ],
      cwd: this.folder,
      logFile: join(this.folder, 'kafka.log'),
      graceMs: stopGraceMs,
    });
    this.server = server;
    const isUp = async (): Promise<boolean> => {
      if (!server.isRunning()) throw new Error(`Kafka did not start:\n${server.logTail()}`);
      return accepts(this.ports.direct);
    };
    await waitUntil(isUp, { what: 'Kafka to listen', timeoutMs: startMsMax, intervalMs: 100 });
  }

  /** SIGKILL. */
  async kill(): Promise<void> {
    const running = this.server;
    this.server = null;
    if (running === null) return;
    try {
      process.kill(-running.pid, 'SIGKILL');
    } catch {
      // gone already
    }
    await running.exited;
  }

  async stop(): Promise<void> {
    const running = this.server;
    this.server = null;
    await running?.stop();
  }

  async remove(): Promise<void> {
    await this.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** The broker of a run. */
export interface Broker {
  readonly brokers: string;
  readonly version: string;
  /** For people; where it is not real: why not. */
  readonly origin: string;
  /** Null where it is the embedded one: it cannot be killed without losing everything, nor be put behind proxies. */
  readonly real: ChaosKafka | null;
  remove(): Promise<void>;
}

const javaVersionMin = 17;

async function realBroker(proxyPorts: readonly number[]): Promise<Broker> {
  const java = await javaVersion();
  if (java === undefined || java < javaVersionMin) throw new Error(`no Java ${javaVersionMin} or later on the PATH`);
  const failures: string[] = [];
  for (const version of kafkaVersions()) {
    const jars = await kafkaJars(version).catch((error: unknown) => {
      failures.push(String(error).split('\n')[0] ?? '');
      return null;
    });
    if (jars === null) continue;
    const real = await ChaosKafka.create({ jars, proxyPorts });
    return { brokers: real.brokers, version, origin: `Maven Central, Java ${java}`, real, remove: () => real.remove() };
  }
  throw new Error(failures.join('; '));
}

/** Apache Kafka on this machine's Java; the embedded broker where that does not start, unless a real one is required. */
export async function startBroker(proxyPorts: readonly number[], say: (text: string) => void): Promise<Broker> {
  try {
    return await realBroker(proxyPorts);
  } catch (error) {
    const reason = (error as Error).message.trim().split('\n')[0] ?? '';
    if (process.env['REQUIRE_REAL_KAFKA'] === '1') {
      throw new Error(`REQUIRE_REAL_KAFKA=1, but ${reason}`, { cause: error });
    }
    say(`!!! NO REAL KAFKA (${reason}): the embedded broker is used; no fault of a broker or its network happens !!!`);
    const { brokers, stop } = await startEmbeddedBroker();
    return { brokers, version: 'embedded', origin: reason, real: null, remove: stop };
  }
}
