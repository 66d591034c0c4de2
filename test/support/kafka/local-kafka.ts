import { javaVersion } from './java-version.js';
import { kafkaJars } from './kafka-jars.js';

/** Tried in this order, since a fresh release may not be complete in every mirror. `KAFKA_VERSION` names another. */
const versions = ['4.3.1', '4.2.1', '4.1.2', '4.0.2'];
/** Kafka 4 needs Java 17, Kafka 3.9 needs 11. */
const javaVersionMin = 17;

/** A Kafka that can be started on this machine. */
export interface LocalKafka {
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
  const wanted = process.env['KAFKA_VERSION'];
  return { ...(await firstJars(wanted === undefined ? versions : [wanted])), java };
};
