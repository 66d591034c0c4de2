import type { KafkaEnvironment, SaslEnvironment } from '#contracts';
import type { KafkaConnection } from '#kafka';

type Sasl = NonNullable<KafkaConnection['sasl']>;
type Ssl = NonNullable<KafkaConnection['ssl']>;

/** TLS and login are read again for each connection: accessors let them follow their files. */
function tlsOf(kafka: KafkaEnvironment, current: () => KafkaEnvironment): Ssl {
  if (kafka.ssl === null) return false;
  const text = (part: 'ca' | 'cert' | 'key'): string | undefined => current().ssl?.[part]?.value;
  const client = {
    get cert() {
      return text('cert');
    },
    get key() {
      return text('key');
    },
  };
  if (kafka.ssl.ca === null) return kafka.ssl.cert === null ? true : client;
  return Object.defineProperty(client, 'ca', { enumerable: true, get: () => text('ca') });
}

function saslOf(sasl: SaslEnvironment, current: () => KafkaEnvironment): Sasl {
  const password = (): string => (current().sasl ?? sasl).password.value;
  if (sasl.mechanism === 'oauthbearer') {
    return {
      mechanism: sasl.mechanism,
      get token() {
        return password();
      },
    };
  }
  return {
    mechanism: sasl.mechanism,
    username: sasl.username ?? '',
    get password() {
      return password();
    },
  };
}

/** As brokers show us in logs and quotas; logins and the consumer group tell installations apart. */
const clientId = 'loyaltyd';

/**
 * How to reach Kafka, from the environment.
 * @param current what is in force whenever a connection is made; by default what is given
 */
export function kafkaConnection(kafka: KafkaEnvironment, current = (): KafkaEnvironment => kafka): KafkaConnection {
  return {
    brokers: [...kafka.brokers],
    clientId,
    ssl: tlsOf(kafka, current),
    ...(kafka.sasl === null ? {} : { sasl: saslOf(kafka.sasl, current) }),
  };
}
