import type { KafkaEnvironment } from '#contracts';
import type { KafkaConnection, KafkaTrouble } from '#ingest';
import { tryBroker } from '#ingest';
import type { Logger } from '#platform';

import { kafkaConnection } from '../../kafka/kafka-connection.js';
import type { Examination, Examined, Step } from '../examination.js';
import type { Finding } from '../finding.js';
import { failed, ok, warning } from '../finding.js';
import { brokersTriedMax, connectMs } from '../limits.js';
import { nameList } from '../name-list.js';
import { troubleRemedy, troubleText } from './describe-trouble.js';

const name = 'kafka.connection';

interface TriedBroker {
  readonly broker: string;
  readonly trouble: KafkaTrouble | null;
}

function securityText({ ssl, sasl }: KafkaEnvironment): string {
  return `${ssl === null ? 'without TLS' : 'with TLS'}, ${sasl === null ? 'without a login' : `login by ${sasl.mechanism}`}`;
}

function judge(tried: readonly TriedBroker[], kafka: KafkaEnvironment): Finding {
  const broken = tried.flatMap(({ broker, trouble }) => (trouble === null ? [] : [{ broker, trouble }]));
  const [first] = broken;
  const good = tried.filter(({ trouble }) => trouble === null).map(({ broker }) => broker);
  if (first === undefined) return ok(name, `${nameList(good)} (${securityText(kafka)})`);
  const detail = nameList(broken.map(({ broker, trouble }) => troubleText(trouble, broker)));
  const trouble = { detail, remedy: troubleRemedy(first.trouble) };
  if (good.length === 0) return failed(name, trouble);
  return warning(name, { ...trouble, detail: `${detail}; ${nameList(good)} answered` });
}

async function examine(kafka: KafkaEnvironment, logger: Logger): Promise<Examined<KafkaConnection>> {
  const connection = kafkaConnection(kafka);
  const asked = kafka.brokers.slice(0, brokersTriedMax);
  const tried = await Promise.all(
    asked.map(async (broker) => ({
      broker,
      trouble: await tryBroker({ ...connection, brokers: [broker] }, logger),
    })),
  );
  const good = tried.filter(({ trouble }) => trouble === null).map(({ broker }) => broker);
  return { findings: [judge(tried, kafka)], value: good.length === 0 ? null : { ...connection, brokers: good } };
}

/** Every broker of `KAFKA_BROKERS`: reached, TLS agreed on, logged in. Builds the way to those that answered. */
export function checkBrokers(examination: Examination, kafka: KafkaEnvironment, logger: Logger): Step<KafkaConnection> {
  const remedy = 'Brokers that take a connection and never answer are overloaded, or are no Kafka. Look at their logs.';
  return examination.check({ name, timeoutMs: connectMs, remedy }, () => examine(kafka, logger));
}
