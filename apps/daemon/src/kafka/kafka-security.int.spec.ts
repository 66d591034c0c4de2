import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { DoctorCheck, KafkaEnvironment } from '#contracts';
import { readEnvironmentParts } from '#contracts';
import { waitUntil } from '#embedded';
import { createKafkaDriver } from '#kafka';
import { createLogger, SystemClock } from '#platform';
import type { SecuredKafka } from '#test-support';
import {
  createTestAuthority,
  describeUnless,
  plainPassword,
  securedKafkaMissing,
  startSecuredKafka,
} from '#test-support';

import { examineBy } from '../doctor/testing/doctor-fixture.js';
import { KafkaAccess } from './kafka-access.js';

const missing = await securedKafkaMissing();
const logger = createLogger({ level: 'silent', service: 'kafka-security-spec' });

describeUnless(missing, 'Kafka with TLS and logins', () => {
  let kafka: SecuredKafka;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'loyaltyd-kafka-tls-'));
    kafka = await startSecuredKafka();
    await kafka.setPassword('first');
  });

  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await kafka.stop();
  });

  const file = (name: string, content: string): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  const trusting = (): Record<string, string> => ({ KAFKA_SSL_CA_FILE: file('ca.pem', kafka.authority.certificate) });
  const scram = (password: string): Record<string, string> => ({
    ...trusting(),
    KAFKA_BROKERS: kafka.listeners.login,
    KAFKA_SASL_MECHANISM: 'scram-sha-512',
    KAFKA_SASL_USERNAME: 'loyaltyd',
    KAFKA_SASL_PASSWORD: password,
  });
  const base = {
    LOYALTYD_ROLES: 'ingest',
    LOYALTYD_ENCRYPTION_KEY: Buffer.from([...Array(32).keys()]).toString('base64'),
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nowhere',
  };
  const examine = async (env: Record<string, string>): Promise<DoctorCheck> => {
    const { check, report } = await examineBy({ ...base, ...env });
    expect(JSON.stringify(report)).not.toContain('hunter2');
    return check('kafka.connection');
  };
  const refused = (detail: string, remedy: string): object => ({
    state: 'failed',
    detail: expect.stringContaining(detail) as string,
    remedy: expect.stringContaining(remedy) as string,
  });

  it('is taken with the right authority and login: SCRAM-SHA-512, PLAIN, a certificate of our own', async () => {
    const plain = { KAFKA_SASL_MECHANISM: 'plain', KAFKA_SASL_PASSWORD: plainPassword };
    const own = kafka.authority.issue({ hosts: ['loyaltyd.example.org'] });
    const mutual = {
      ...trusting(),
      KAFKA_BROKERS: kafka.listeners.mutual,
      KAFKA_SSL_CERT_FILE: file('own.pem', own.cert),
      KAFKA_SSL_KEY_FILE: file('own-key.pem', own.key),
    };
    for (const env of [scram('first'), { ...scram(''), ...plain }, mutual]) {
      expect(await examine(env)).toMatchObject({ state: 'ok', detail: expect.stringContaining('with TLS') as string });
    }
  });

  it('is refused with a wrong password', async () => {
    const told = refused('refused the login', 'KAFKA_SASL_PASSWORD');
    expect(await examine(scram('hunter2'))).toMatchObject(told);
    expect(await examine({ ...scram('hunter2'), KAFKA_SASL_MECHANISM: 'plain' })).toMatchObject(told);
  });

  it('is refused with an authority that did not sign it', async () => {
    const stranger = file('stranger.pem', createTestAuthority('somebody else').certificate);
    const told = refused('signed by an authority that we do not know', 'KAFKA_SSL_CA_FILE must hold');
    expect(await examine({ ...scram('first'), KAFKA_SSL_CA_FILE: stranger })).toMatchObject(told);
  });

  it('is refused where the certificate names another host, and where it has expired', async () => {
    const { elsewhere, expired } = kafka.listeners;
    const wrongHost = refused('its certificate names another host', 'KAFKA_BROKERS');
    expect(await examine({ ...trusting(), KAFKA_BROKERS: elsewhere })).toMatchObject(wrongHost);
    const tooOld = refused('its certificate has expired', 'Renew the certificate');
    expect(await examine({ ...trusting(), KAFKA_BROKERS: expired })).toMatchObject(tooOld);
  });

  it('is refused by a listener that wants a certificate, without one and with a stranger’s', async () => {
    const told = refused('it does not take our certificate', 'KAFKA_SSL_CERT_FILE');
    const env = { ...trusting(), KAFKA_BROKERS: kafka.listeners.mutual };
    expect(await examine(env)).toMatchObject(told);
    const stranger = createTestAuthority('somebody else').issue({ hosts: ['loyaltyd.example.org'] });
    const files = {
      KAFKA_SSL_CERT_FILE: file('x.pem', stranger.cert),
      KAFKA_SSL_KEY_FILE: file('x-key.pem', stranger.key),
    };
    expect(await examine({ ...env, ...files })).toMatchObject(told);
  });

  it('says that a listener speaks no TLS', async () => {
    const { state, detail } = await examine({ ...trusting(), KAFKA_BROKERS: kafka.listeners.plain });
    expect([state, detail]).toEqual(['failed', expect.stringMatching(/does not speak TLS|hung up/)]);
  });

  it('takes new connections of a running client with the password that is in force then', async () => {
    const environmentOf = (password: string): KafkaEnvironment => {
      const readFile = (): string => kafka.authority.certificate;
      const { value } = readEnvironmentParts({ ...base, ...scram(password) }, { readFile });
      if (value.kafka === null) throw new Error('no Kafka');
      return value.kafka;
    };
    let current = environmentOf('first');
    const connection = {
      ...new KafkaAccess(createKafkaDriver(), () => current, { clock: new SystemClock(), logger }).connection(),
      brokers: [kafka.listeners.login] as const,
    };
    const driver = createKafkaDriver();
    const isLoggedIn = async (): Promise<boolean> => (await driver.tryBroker(connection, logger)) === null;
    expect(await isLoggedIn()).toBe(true);
    await kafka.setPassword('second');
    current = environmentOf('second');
    // The broker needs a moment to take the new password over.
    await waitUntil(isLoggedIn, { what: 'the new password to be taken', timeoutMs: 30_000 });
    current = environmentOf('first');
    expect(await isLoggedIn()).toBe(false);
  });
});
