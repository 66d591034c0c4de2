import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startBoundProcess, type BoundProcess } from './bound-process.js';
import { embeddedBrokerModule } from './embedded-broker-package.js';
import { touchTopics } from './kafka-metadata.js';
import { waitUntil } from './wait-until.js';

export interface EmbeddedBrokerOptions {
  /** Topics that exist from the start; others appear on first use. All have 4 partitions. */
  readonly topics?: readonly string[];
}

export interface EmbeddedBroker {
  /** `127.0.0.1:PORT`, for `KAFKA_BROKERS`; no TLS, no authentication. */
  readonly brokers: string;
  /** Resolves when the broker is gone, and all its records with it. */
  stop(): Promise<void>;
}

const startTimeoutMs = 15_000;
const stopGraceMs = 2_000;

/** Compiled and as a source, the host lies beside this file with the same ending. */
const hostProgram = (): string =>
  fileURLToPath(new URL(`./embedded-broker-host${extname(import.meta.url)}`, import.meta.url));

const reportedBrokers = async (logFile: string): Promise<string | undefined> => {
  const line = (await readFile(logFile, 'utf8').catch(() => ''))
    .split('\n')
    .find((each) => each.startsWith('{"brokers"'));
  return line === undefined ? undefined : (JSON.parse(line) as { brokers: string }).brokers;
};

const awaitBrokers = async (host: BoundProcess, logFile: string): Promise<string> => {
  const outcome = async (): Promise<string | undefined> =>
    (await reportedBrokers(logFile)) ?? (host.isRunning() ? undefined : 'ended');
  const brokers = await waitUntil(outcome, { what: 'the embedded broker', timeoutMs: startTimeoutMs });
  if (brokers === 'ended') throw new Error(`the embedded broker did not start:\n${host.logTail()}`);
  return brokers;
};

/**
 * Starts a broker that speaks the Kafka protocol, for `loyaltyd dev` and the demo only: the mock cluster of librdkafka
 * (by npm's kafka-crab-js, fetched on first use), in a process of its own that ends with this one. It knows produce,
 * fetch, consumer groups and offsets; it has no CreateTopics and no ListGroups, keeps everything in memory and at most
 * about 5 MB a partition (older records are dropped), and forgets it at its end.
 */
export const startEmbeddedBroker = async ({ topics = [] }: EmbeddedBrokerOptions = {}): Promise<EmbeddedBroker> => {
  const module = await embeddedBrokerModule();
  const folder = await mkdtemp(join(tmpdir(), 'loyaltyd-broker-'));
  const logFile = join(folder, 'log');
  try {
    const host = await startBoundProcess({
      command: process.execPath,
      args: [hostProgram(), module],
      cwd: folder,
      logFile,
      environment: { PATH: process.env['PATH'] },
      graceMs: stopGraceMs,
      removeFolder: folder,
    });
    try {
      const brokers = await awaitBrokers(host, logFile);
      if (topics.length > 0) await touchTopics(brokers, topics);
      return { brokers, stop: () => host.stop() };
    } catch (error) {
      await host.stop();
      throw error;
    }
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
};
