import { startEmbeddedBroker } from '#embedded';

import { awaitCoordinator, localKafka, startKafka } from '../kafka/local-kafka.js';
import { hasContainerEngine } from './container-engine.js';
import type { Started, TestBroker } from './part.js';

const containerVersion = '4.1';

const nothingToStop = async (): Promise<void> => undefined;

const given = (brokers: string): Started<TestBroker> => ({
  part: { brokers, version: 'unknown', isReal: true, origin: 'KAFKA_BROKERS' },
  stop: nothingToStop,
});

/** Confluent's images number the releases of Kafka 4.x as 8.x, and those of 3.x as 7.x. */
const imageTag = (version: string): string => {
  const [major = '4', minor = '0'] = version.split('.');
  return `${Number(major) + 4}.${minor}.0`;
};

const fromContainer = async (): Promise<Started<TestBroker>> => {
  const { KafkaContainer } = await import('@testcontainers/kafka');
  const version = process.env['KAFKA_VERSION'] ?? containerVersion;
  const image = `confluentinc/cp-kafka:${imageTag(version)}`;
  const container = await new KafkaContainer(image).withKraft().start();
  const brokers = `${container.getHost()}:${container.getMappedPort(9093)}`;
  return {
    part: { brokers, version, isReal: true, origin: `container ${image}` },
    stop: async () => {
      await container.stop();
    },
  };
};

const fromMaven = async (): Promise<Started<TestBroker>> => {
  const { version, jars, java } = await localKafka();
  const { brokers, stop } = await startKafka(jars);
  await awaitCoordinator(brokers);
  return { part: { brokers, version, isReal: true, origin: `Maven Central, Java ${java}` }, stop };
};

const embedded = async (reason: string): Promise<Started<TestBroker>> => {
  if (process.env['REQUIRE_REAL_KAFKA'] === '1') throw new Error(`REQUIRE_REAL_KAFKA=1, but ${reason}`);
  const { brokers, stop } = await startEmbeddedBroker();
  return { part: { brokers, version: 'embedded', isReal: false, origin: reason }, stop };
};

/**
 * The broker for a test run: `KAFKA_BROKERS`, else a container where a Docker engine answers, else Apache Kafka from
 * Maven Central on this machine's Java, else the embedded broker. With `REQUIRE_REAL_KAFKA=1` the last one is an error.
 */
export const pickBroker = async (): Promise<Started<TestBroker>> => {
  const brokers = process.env['KAFKA_BROKERS'];
  if (brokers !== undefined && brokers !== '') return given(brokers);
  if (await hasContainerEngine()) return fromContainer();
  try {
    return await fromMaven();
  } catch (error) {
    const why = (error as Error).message.trim().split('\n')[0];
    return embedded(`no real Kafka: ${why}. Java 17 and Maven, a Docker engine or KAFKA_BROKERS give one`);
  }
};
