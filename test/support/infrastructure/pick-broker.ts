import { freeLoopbackPorts, startEmbeddedBroker } from '#embedded';

import { awaitCoordinator, kafkaVersions, localKafka, startKafka } from '../kafka/local-kafka.js';
import { inContainer } from './container-engine.js';
import type { Started, TestBroker } from './part.js';

const nothingToStop = async (): Promise<void> => undefined;

const given = (brokers: string): Started<TestBroker> => ({
  part: { brokers, version: 'unknown', isReal: true, origin: 'KAFKA_BROKERS' },
  stop: nothingToStop,
});

const containerPort = 9092;
const containerStartMsMax = 120_000;

/** As in docker-compose.yml; what must be small and quick as in the broker from Maven Central. */
const containerSettings = (advertised: string): Record<string, string> => ({
  CLUSTER_ID: 'bG95YWx0eWQtdGVzdC1jbA',
  KAFKA_NODE_ID: '1',
  KAFKA_PROCESS_ROLES: 'broker,controller',
  KAFKA_CONTROLLER_QUORUM_VOTERS: '1@localhost:9093',
  KAFKA_CONTROLLER_LISTENER_NAMES: 'CONTROLLER',
  KAFKA_LISTENERS: `PLAINTEXT://:${containerPort},INTERNAL://:9094,CONTROLLER://:9093`,
  // A broker speaks to itself over a network, about transactions; from within it does not reach the host's port.
  KAFKA_ADVERTISED_LISTENERS: `PLAINTEXT://${advertised},INTERNAL://localhost:9094`,
  KAFKA_INTER_BROKER_LISTENER_NAME: 'INTERNAL',
  KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: 'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,INTERNAL:PLAINTEXT',
  KAFKA_NUM_PARTITIONS: '4',
  KAFKA_OFFSETS_TOPIC_NUM_PARTITIONS: '1',
  KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: '1',
  KAFKA_TRANSACTION_STATE_LOG_NUM_PARTITIONS: '1',
  KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: '1',
  KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: '1',
  KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS: '0',
  KAFKA_GROUP_MIN_SESSION_TIMEOUT_MS: '1000',
});

/** The image of docker-compose.yml: `@testcontainers/kafka` knows another one only, and starts before the broker listens. */
const fromContainer = async (image: string, version: string): Promise<Started<TestBroker>> => {
  const { GenericContainer, getContainerRuntimeClient, Wait } = await import('testcontainers');
  const [port = 0] = await freeLoopbackPorts(1);
  const { info } = await getContainerRuntimeClient();
  const brokers = `${info.containerRuntime.host}:${port}`;
  const container = await new GenericContainer(image)
    .withEnvironment(containerSettings(brokers))
    .withExposedPorts({ container: containerPort, host: port })
    .withWaitStrategy(Wait.forListeningPorts())
    .withStartupTimeout(containerStartMsMax)
    .start();
  await awaitCoordinator(brokers);
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
 * The broker for a test run: `KAFKA_BROKERS`, else a container where a Docker engine gives one, else Apache Kafka from
 * Maven Central on this machine's Java, else the embedded broker. With `REQUIRE_REAL_KAFKA=1` the last one is an error.
 */
export const pickBroker = async (): Promise<Started<TestBroker>> => {
  const brokers = process.env['KAFKA_BROKERS'];
  if (brokers !== undefined && brokers !== '') return given(brokers);
  const [version] = kafkaVersions();
  const image = `apache/kafka:${version}`;
  const contained = await inContainer(image, () => fromContainer(image, version));
  if (contained !== null) return contained;
  try {
    return await fromMaven();
  } catch (error) {
    const why = (error as Error).message.trim().split('\n')[0];
    return embedded(`no real Kafka: ${why}. Java 17 and Maven, a Docker engine or KAFKA_BROKERS give one`);
  }
};
