import { readFileSync } from 'node:fs';

import type { KafkaEnvironment, SaslEnvironment } from '#contracts';
import type { KafkaConnection } from '#ingest';

type Sasl = NonNullable<KafkaConnection['sasl']>;

function tlsOf({ ssl }: KafkaEnvironment): KafkaConnection['ssl'] {
  if (ssl === null) return false;
  const text = (path: string | null): string | undefined => (path === null ? undefined : readFileSync(path, 'utf8'));
  const [ca, cert, key] = [text(ssl.caFile), text(ssl.certFile), text(ssl.keyFile)];
  return { ...(ca === undefined ? {} : { ca: [ca] }), ...(cert && { cert }), ...(key && { key }) };
}

function passwordOf({ password }: SaslEnvironment): string {
  if (password === null) return '';
  return password.file === null ? password.value : readFileSync(password.file, 'utf8').trim();
}

function saslOf(sasl: SaslEnvironment): Sasl {
  const password = passwordOf(sasl);
  const username = sasl.username ?? '';
  switch (sasl.mechanism) {
    case 'plain':
      return { mechanism: 'plain', username, password };
    case 'scram-sha-256':
      return { mechanism: 'scram-sha-256', username, password };
    case 'scram-sha-512':
      return { mechanism: 'scram-sha-512', username, password };
    case 'oauthbearer':
      return { mechanism: 'oauthbearer', oauthBearerProvider: () => Promise.resolve({ value: password }) };
  }
}

/** KafkaJS' options from the environment; files and secrets are read anew at each call. */
export function kafkaConnection(kafka: KafkaEnvironment): KafkaConnection {
  return {
    brokers: [...kafka.brokers],
    clientId: kafka.clientId,
    ssl: tlsOf(kafka) ?? false,
    ...(kafka.sasl === null ? {} : { sasl: saslOf(kafka.sasl) }),
  };
}
