import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { TestBroker } from '#test-support';
import { loopbackCertificate, plainPassword, securedKafkaMissing, startSecuredKafka, testBroker } from '#test-support';

import type { Undo } from '../../support/process/program.js';
import type { BenchPostgres } from './bench-postgres.js';

/** How a daemon reaches what is around it. */
export interface Ways {
  /** As the benchmark itself reaches it: producers are not what is measured. */
  readonly broker: TestBroker;
  /** For the daemon, beside its addresses. */
  readonly environment: Readonly<Record<string, string>>;
  readonly isPartnerSecured: boolean;
}

/** As tests have it: everything is on this machine, nothing is encrypted. */
export const openWays = async (): Promise<Ways> => {
  const broker = await testBroker();
  return { broker, environment: { KAFKA_BROKERS: broker.brokers }, isPartnerSecured: false };
};

const securedKafka = async (folder: string, undo: Undo): Promise<Pick<Ways, 'broker' | 'environment'>> => {
  const kafka = await startSecuredKafka();
  undo.add(() => kafka.stop());
  const path = join(folder, 'kafka.pem');
  await writeFile(path, kafka.authority.certificate);
  return {
    broker: { brokers: kafka.listeners.plain, version: '', isReal: true, origin: 'TLS' },
    environment: {
      KAFKA_BROKERS: kafka.listeners.login,
      KAFKA_SSL_CA_FILE: path,
      KAFKA_SASL_MECHANISM: 'plain',
      KAFKA_SASL_USERNAME: 'loyaltyd',
      KAFKA_SASL_PASSWORD: plainPassword,
    },
  };
};

/**
 * As in production: TLS to Kafka with a login, to Postgres (`verify-full`) and to the partner.
 * @returns `told`: what is encrypted here, for the reader; a Kafka of our own takes Java and Maven, a Postgres is ours to
 * change unless it was given
 */
export const openSecuredWays = async (
  postgres: BenchPostgres,
  undo: Undo,
): Promise<Ways & { readonly told: string }> => {
  const folder = await mkdtemp(join(tmpdir(), 'loyaltyd-bench-'));
  undo.add(() => rm(folder, { recursive: true, force: true }));
  const authority = join(folder, 'loopback.pem');
  await writeFile(authority, loopbackCertificate.cert);
  const missing = await securedKafkaMissing();
  const kafka = missing === null ? await securedKafka(folder, undo) : await openWays();
  const isPostgresSecured = await postgres.offerTls(loopbackCertificate);
  const database = isPostgresSecured ? { DATABASE_SSL: 'verify-full', DATABASE_SSL_CA_FILE: authority } : {};
  const environment = { ...kafka.environment, ...database, WALLET_CA_FILE: authority };
  const told = [
    `Kafka: ${missing === null ? 'TLS, SASL PLAIN' : `no TLS (${missing})`}`,
    `Postgres: ${isPostgresSecured ? 'TLS' : 'as it was given'}`,
    'partner: TLS',
  ];
  return { broker: kafka.broker, environment, isPartnerSecured: true, told: `${told.join('; ')}.` };
};
