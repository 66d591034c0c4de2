import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { KafkaEnvironment } from '#contracts';
import { readEnvironmentParts } from '#contracts';
import { waitUntil } from '#embedded';
import type { Source } from '#kafka';
import { createKafkaDriver } from '#kafka';
import { createLogger, SystemClock, SystemRandom } from '#platform';
import type { SecuredKafka } from '#test-support';
import {
  createTestAuthority,
  describeUnless,
  kafkaClient,
  securedKafkaMissing,
  startSecuredKafka,
  TokenServer,
} from '#test-support';

import { examineBy } from '../doctor/testing/doctor-fixture.js';
import type { Examined } from '../doctor/testing/doctor-fixture.js';
import { KafkaAccess } from './kafka-access.js';

const missing = await securedKafkaMissing();
const logger = createLogger({ level: 'silent', service: 'kafka-oauth-spec' });
const clock = new SystemClock();

describeUnless(missing, 'Kafka by tokens that are fetched', () => {
  let kafka: SecuredKafka;
  let tokens: TokenServer;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'loyaltyd-kafka-oauth-'));
    kafka = await startSecuredKafka();
  });

  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await kafka.stop();
  });

  beforeEach(async () => {
    tokens = await TokenServer.start(kafka.authority.issue({ hosts: ['localhost'] }));
  });

  afterEach(() => tokens.stop());

  const file = (name: string, content: string): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  const variables = (own: Record<string, string> = {}): Record<string, string> => ({
    LOYALTYD_ROLES: 'ingest',
    LOYALTYD_ENCRYPTION_KEY: Buffer.from([...Array(32).keys()]).toString('base64'),
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nowhere',
    KAFKA_BROKERS: kafka.listeners.login,
    KAFKA_SSL_CA_FILE: file('ca.pem', kafka.authority.certificate),
    KAFKA_SASL_MECHANISM: 'oauthbearer',
    KAFKA_OAUTH_TOKEN_URL: tokens.url,
    KAFKA_OAUTH_CA_FILE: file('oauth-ca.pem', kafka.authority.certificate),
    KAFKA_OAUTH_CLIENT_ID: 'loyaltyd',
    KAFKA_OAUTH_CLIENT_SECRET: tokens.secret,
    ...own,
  });
  const environmentOf = (own: Record<string, string> = {}): KafkaEnvironment => {
    const { value, errors } = readEnvironmentParts(variables(own), { readFile: () => kafka.authority.certificate });
    if (value.kafka === null || errors.length > 0) throw new Error(errors.join());
    return value.kafka;
  };
  const examine = async (own: Record<string, string> = {}): Promise<Examined> => {
    const examined = await examineBy(variables(own));
    expect(JSON.stringify(examined.report)).not.toMatch(/token-secret|hunter2|eyJ/);
    return examined;
  };

  it('lets us in, by HTTP Basic or by the form, with scope and audience', async () => {
    const more = { KAFKA_OAUTH_SCOPE: 'kafka', KAFKA_OAUTH_AUDIENCE: 'brokers' };
    for (const by of ['basic', 'form']) {
      const { check } = await examine({ ...more, KAFKA_OAUTH_CLIENT_AUTH: by });
      expect(check('kafka.token')).toMatchObject({ state: 'ok', detail: 'good for 60 min' });
      expect(check('kafka.connection')).toMatchObject({
        state: 'ok',
        detail: expect.stringContaining('login by oauthbearer') as string,
      });
    }
    const [basic, form] = tokens.asked;
    expect(basic?.form).toEqual({ grant_type: 'client_credentials', scope: 'kafka', audience: 'brokers' });
    expect(form).toMatchObject({ authorization: undefined, form: { client_id: 'loyaltyd', audience: 'brokers' } });
  });

  it('says that the client is not known, that TLS was not agreed on, that nobody answers', async () => {
    const refusals: readonly (readonly [Record<string, string>, string, string])[] = [
      [{ KAFKA_OAUTH_CLIENT_SECRET: 'hunter2' }, 'http-401', 'KAFKA_OAUTH_CLIENT_SECRET'],
      [
        { KAFKA_OAUTH_CA_FILE: file('stranger.pem', createTestAuthority('a stranger').certificate) },
        'UNABLE_TO_VERIFY',
        'KAFKA_OAUTH_CA_FILE',
      ],
      [{ KAFKA_OAUTH_TOKEN_URL: 'https://localhost:1/token' }, 'ECONNREFUSED', 'KAFKA_OAUTH_TOKEN_URL'],
    ];
    for (const [own, reason, variable] of refusals) {
      const { check } = await examine(own);
      expect(check('kafka.token')).toMatchObject({
        state: 'failed',
        detail: expect.stringContaining(reason) as string,
        remedy: expect.stringContaining(variable) as string,
      });
      expect(check('kafka.connection').state).toBe('skipped');
    }
  });

  it('says that the brokers refuse the token', async () => {
    tokens.lifetimeSeconds = -60;
    const { check } = await examine();
    expect(check('kafka.connection')).toMatchObject({
      state: 'failed',
      detail: expect.stringContaining('refused the login') as string,
      remedy: expect.stringContaining('issuer, audience and scope') as string,
    });
  });

  it('is read on and on while tokens end every few seconds, and after their server was away', async () => {
    tokens.lifetimeSeconds = 4;
    const topic = `oauth-${new SystemRandom().uuid()}`;
    const admin = kafkaClient({ brokers: kafka.listeners.plain }).admin();
    await admin.connect();
    await admin.createTopics({ topics: [{ topic, numPartitions: 1 }] });
    await admin.disconnect();
    const producer = kafkaClient({ brokers: kafka.listeners.plain }).producer();
    await producer.connect();

    const settings = environmentOf();
    const access = new KafkaAccess(createKafkaDriver(), () => settings, { clock, logger });
    const { driver } = access;
    const own = await driver.producer(access.connection(), logger);
    const read: string[] = [];
    const source: Source = driver.consumer(
      {
        connection: () => access.connection(),
        groupId: topic,
        installation: topic,
        topics: [topic],
        decompressedBytesMax: 1_000_000,
      },
      { clock, random: new SystemRandom(), logger },
    );
    source.start({
      assigned: (partitions) => {
        for (const partition of partitions) {
          source.seek(partition, read.length);
          source.resume(partition);
        }
      },
      batch: (batch, lease) => {
        for (const { value } of batch.records) read.push(Buffer.from(value ?? '').toString());
        lease.acknowledge(batch.nextOffset);
        return Promise.resolve();
      },
      skipped: () => undefined,
    });
    let sent = 0;
    const isReadOn = async (what: string): Promise<void> => {
      const value = `record ${(sent += 1)}`;
      await producer.send({ topic, messages: [{ value }] });
      await waitUntil(() => read.at(-1) === value, { what: `${value} to be read ${what}`, timeoutMs: 60_000 });
    };
    const tokensAsked = async (count: number): Promise<void> => {
      await waitUntil(() => tokens.asked.length >= count, {
        what: `token ${count} to be asked for`,
        timeoutMs: 60_000,
      });
    };
    try {
      await isReadOn('at first');
      for (let token = 2; token <= 4; token += 1) {
        await tokensAsked(token);
        await isReadOn(`with token ${token}`);
      }
      // Our producer, whose connections are idle for longer than a session, too.
      await own.send([{ topic, records: [{ key: null, headers: {}, value: Buffer.from('ours') }] }]);
      await waitUntil(() => read.includes('ours'), { what: 'ours to be read', timeoutMs: 60_000 });
      sent = read.length - 1;

      tokens.refusal = 503;
      const asked = tokens.asked.length;
      await tokensAsked(asked + 3);
      tokens.refusal = null;
      await isReadOn('after the token server was away');
      expect(new Set(read).size).toBe(read.length);
    } finally {
      await source.stop();
      await own.close();
      await producer.disconnect();
    }
  });
});
