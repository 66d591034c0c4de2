import { startEmbeddedBroker } from '#embedded';

import { javaVersion } from '../../support/kafka/java-version.js';
import { kafkaJars } from '../../support/kafka/kafka-jars.js';
import { ChaosKafka } from './chaos-kafka.js';

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

const versions = ['4.3.1', '4.2.1', '4.1.2', '4.0.2'];
const javaVersionMin = 17;

async function realBroker(proxyPorts: readonly number[]): Promise<Broker> {
  const java = await javaVersion();
  if (java === undefined || java < javaVersionMin) throw new Error(`no Java ${javaVersionMin} or later on the PATH`);
  const wanted = process.env['KAFKA_VERSION'];
  const failures: string[] = [];
  for (const version of wanted === undefined ? versions : [wanted]) {
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
