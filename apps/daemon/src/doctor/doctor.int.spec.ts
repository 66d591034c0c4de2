import type { Clock } from '#platform';
import { SystemClock } from '#platform';
import { createTopics, deleteTopics, openFreezingProxy } from '#test-support';

import type { DoctorHouse } from './testing/doctor-house.js';
import { openDoctorHouse } from './testing/doctor-house.js';

/** This machine's clock, set wrong. */
class WrongClock extends SystemClock {
  constructor(private readonly aheadMs: number) {
    super();
  }

  override now(): number {
    return super.now() + this.aheadMs;
  }
}

const hour = 3_600_000;

describe('the doctor', () => {
  let house: DoctorHouse;

  beforeAll(async () => {
    house = await openDoctorHouse();
  }, 180_000);

  afterAll(() => house.close(), 60_000);

  it('finds nothing wrong where nothing is; only what nobody has started is missing', async () => {
    const { report, isConfigurationValid, named, check } = await house.examine();
    expect(named('failed')).toEqual([]);
    expect([report.ok, isConfigurationValid]).toEqual([true, true]);
    // Nothing runs yet, and a fresh cluster may not have had a group yet.
    expect(named('warning').toSorted()).toEqual(['kafka.group', 'processes.alive']);
    for (const name of ['postgres.settings', 'postgres.schema', 'postgres.objects', 'installation.keys']) {
      expect(check(name).state).toBe('ok');
    }
    expect(check('partner.configuration.coffee-club')).toMatchObject({
      state: 'skipped',
      detail: expect.stringContaining('cannot be read: transaction types and their attributes 31') as string,
    });
    expect(new Set(report.checks.map(({ name }) => name)).size).toBe(report.checks.length);
    for (const { state, remedy } of report.checks) {
      expect(remedy === null).toBe(state === 'ok' || state === 'skipped');
    }
  });

  describe('on Kafka', () => {
    it('says that nobody listens at a wrong port, and skips what builds on it', async () => {
      const { check, named } = await house.examine({ KAFKA_BROKERS: '127.0.0.1:1' });
      expect(named('failed')).toEqual(['kafka.connection']);
      expect(check('kafka.connection').detail).toBe('127.0.0.1:1: cannot be reached (ECONNREFUSED)');
      expect(check('kafka.connection').remedy).toContain('KAFKA_BROKERS');
      expect(check('kafka.lag').state).toBe('skipped');
      expect(check('partner.token').state).toBe('ok');
    });

    it('warns of one broker among others, and goes on with these', async () => {
      const { check, named } = await house.examine({ KAFKA_BROKERS: `127.0.0.1:1,${house.broker.brokers}` });
      expect(named('failed')).toEqual([]);
      expect(check('kafka.connection')).toMatchObject({
        state: 'warning',
        detail: expect.stringContaining(`${house.broker.brokers} answered`) as string,
      });
    });

    it('tells a wrong port from one that wants TLS, and TLS from none', async () => {
      const overTls = await house.examine({ KAFKA_SSL: 'true' });
      expect(overTls.check('kafka.connection').detail).toMatch(/does not speak TLS|TLS was not agreed on|hung up/);
      const onPostgres = await house.examine({ KAFKA_BROKERS: new URL(house.environment['DATABASE_URL'] ?? '').host });
      expect(onPostgres.check('kafka.connection').state).toBe('failed');
    });

    it('names the topics that are missing, and those that were turned off', async () => {
      const { check, named } = await house.examine({
        KAFKA_TOPIC_PURCHASES: 'loyalty.nowhere',
        KAFKA_TOPIC_OUTCOMES: 'none',
        KAFKA_TOPIC_DEAD_LETTER: 'loyalty.no-letters',
      });
      expect(named('failed').toSorted()).toEqual(['kafka.topics.loyalty.no-letters', 'kafka.topics.loyalty.nowhere']);
      expect(check('kafka.topics.loyalty.nowhere').remedy).toContain('--create --topic loyalty.nowhere');
      expect(check('kafka.topics.loyalty.no-letters').remedy).toContain('KAFKA_TOPIC_DEAD_LETTER=none');
      expect(check('kafka.topics.outcomes').state).toBe('skipped');
      // Looking must not make a topic.
      expect((await house.examine({ KAFKA_TOPIC_PURCHASES: 'loyalty.nowhere' })).named('failed')).toHaveLength(1);
    });

    it('warns where the topics that come in have different numbers of partitions', async () => {
      const topic = `${house.topics.rewards}.few`;
      await createTopics(house.broker, [topic], 1);
      const { check } = await house.examine({ KAFKA_TOPIC_REWARDS: topic });
      expect(check('kafka.partitions')).toMatchObject({
        state: 'warning',
        detail: expect.stringContaining(`${topic} 1`) as string,
      });
      await deleteTopics(house.broker, [topic]);
    });

    it('says where records were lost, by the offsets that we keep', async () => {
      const { members } = house.topics;
      await house.sql(`INSERT INTO kafka_offset (cluster_id, topic, incarnation, partition, next_offset)
        VALUES ('c', '${members}', 1, 2, 40)`);
      const { check } = await house.examine();
      // The topic is empty: it has been shorter than what we have read ever since.
      expect(check(`kafka.gap.${members}/2`)).toMatchObject({ state: 'warning' });
      await house.sql('DELETE FROM kafka_offset');
    });
  });

  describe('on Postgres', () => {
    const other = (change: (url: URL) => void): { readonly DATABASE_URL: string } => {
      const url = new URL(house.environment['DATABASE_URL'] ?? '');
      change(url);
      return { DATABASE_URL: url.href };
    };

    it.each<[string, (url: URL) => void, string]>([
      ['a wrong password', (url) => (url.password = 'hunter2'), 'user or password is wrong'],
      ['a wrong port', (url) => (url.port = '1'), 'nobody listens there'],
      ['a wrong host', (url) => (url.hostname = 'nowhere.invalid'), 'its host name is not known'],
      ['a wrong database', (url) => (url.pathname = '/nowhere'), 'there is no such database'],
    ])('tells %s', async (_what, change, text) => {
      const { check, named, report } = await house.examine(other(change));
      expect(named('failed')).toEqual(['postgres.connection']);
      expect(check('postgres.connection').detail).toContain(text);
      expect(JSON.stringify(report)).not.toContain('hunter2');
    });

    it('says that the server has no TLS', async () => {
      const { check } = await house.examine({ DATABASE_SSL: 'require' });
      expect(check('postgres.connection').detail).toContain('it does not speak TLS');
    });

    it('names a migration that is pending, and one of a newer release', async () => {
      await house.sql(`UPDATE schema_migration SET name = 'Later2999999999999' WHERE name LIKE 'Processes%'`);
      const pending = await house.examine();
      expect(pending.check('postgres.schema')).toMatchObject({
        state: 'failed',
        detail: expect.stringContaining('Processes') as string,
      });
      expect(pending.check('postgres.schema').remedy).toContain('loyaltyd migrate');
      expect(pending.check('installation.keys').state).toBe('skipped');
      await house.sql(`UPDATE schema_migration SET name = 'Processes1764000000050' WHERE name LIKE 'Later%'`);
      await house.sql(`INSERT INTO schema_migration (timestamp, name) VALUES (2999999999999, 'Later2999999999999')`);
      const nobodyVouches = await house.examine();
      expect(nobodyVouches.check('postgres.schema')).toMatchObject({ state: 'failed' });
      await house.sql(`INSERT INTO schema_mark (migration, serves) VALUES ('Later2999999999999', 0)`);
      const added = (await house.examine()).check('postgres.schema');
      expect(added).toMatchObject({ state: 'ok', detail: expect.stringContaining('Later') as string });
      await house.sql(
        `DELETE FROM schema_migration WHERE name LIKE 'Later%'; DELETE FROM schema_mark WHERE serves = 0`,
      );
    });

    it('says that a database is empty', async () => {
      await house.sql('CREATE DATABASE empty OWNER loyaltyd');
      const { check } = await house.examine(other((url) => (url.pathname = '/empty')));
      expect(check('postgres.schema')).toMatchObject({ state: 'warning', detail: 'the database is empty' });
    });

    it('finds settings that break our promises, wherever they come from', async () => {
      await house.sql(`ALTER DATABASE loyaltyd SET synchronous_commit = off`);
      await house.sql(`ALTER DATABASE loyaltyd SET default_transaction_read_only = on`);
      const { check } = await house.examine();
      expect(check('postgres.settings.synchronous_commit').state).toBe('failed');
      expect(check('postgres.primary').detail).toContain('default_transaction_read_only');
      await house.sql(`BEGIN READ WRITE; ALTER DATABASE loyaltyd RESET ALL; COMMIT`);
    });

    it('finds an index that is not valid, a trigger that is off, and events where no partition was made', async () => {
      await house.sql(`UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'lane_due'::regclass`);
      await house.sql('ALTER TABLE intent DISABLE TRIGGER intent_append_only');
      const { check } = await house.examine();
      expect(check('postgres.objects.lane_due').remedy).toBe('REINDEX INDEX CONCURRENTLY lane_due;');
      expect(check('postgres.objects.intent_append_only').remedy).toContain('ENABLE TRIGGER intent_append_only');
      await house.sql(`UPDATE pg_index SET indisvalid = true WHERE indexrelid = 'lane_due'::regclass`);
      await house.sql('ALTER TABLE intent ENABLE TRIGGER intent_append_only');
    });

    it('finds a slot that holds rows for nobody', async () => {
      await house.sql(`SELECT pg_create_physical_replication_slot('forgotten', true)`);
      const { check } = await house.examine();
      // A physical slot that nobody has read from yet holds WAL, little as it is.
      expect(check('postgres.slots')).toMatchObject({ state: 'ok' });
      await house.sql(`SELECT pg_drop_replication_slot('forgotten')`);
    });
  });

  describe('on what the database keeps', () => {
    it('finds that it belongs to another partner', async () => {
      const { check } = await house.examine({ WALLET_ENVIRONMENT: 'production' });
      expect(check('installation.partner')).toMatchObject({ state: 'failed' });
      expect(check('installation.partner').remedy).toContain('--adopt-environment');
    });

    it('finds that it belongs to another cell', async () => {
      expect((await house.examine({ LOYALTYD_CELL: '1/2' })).check('installation.cell').state).toBe('failed');
    });

    it('finds that the key does not open it, and never shows one', async () => {
      const wrong = Buffer.alloc(32, 8).toString('base64');
      const { check, report } = await house.examine({ LOYALTYD_ENCRYPTION_KEY: wrong });
      expect(check('installation.keys').detail).toBe('none of the configured keys opens this database');
      expect(JSON.stringify(report)).not.toContain(wrong);
      const beside = `${wrong},${house.environment['LOYALTYD_ENCRYPTION_KEY'] ?? ''}`;
      expect((await house.examine({ LOYALTYD_ENCRYPTION_KEY: beside })).check('installation.keys').state).toBe('ok');
    });

    it('finds members whose keys no key opens', async () => {
      await house.sql(`INSERT INTO member (lane_id, program_id, member_id, created_at) VALUES (1, 'p', 'm', now())`);
      await house.sql(`INSERT INTO member_key (lane_id, wrapped_key) VALUES (1, '\\x00')`);
      expect((await house.examine()).check('installation.keys')).toMatchObject({
        state: 'failed',
        detail: 'they open this database, but not the keys of 1 of 1 members',
      });
      await house.sql('DELETE FROM member_key; DELETE FROM member');
    });
  });

  describe('on the partner', () => {
    it('tells a wrong secret from a partner that cannot be reached, and tells the secret to nobody', async () => {
      const refused = await house.examine({ WALLET_CLIENT_SECRET: 'hunter2' });
      expect(refused.named('failed')).toEqual(['partner.token']);
      expect(refused.check('partner.token').detail).toBe('the partner refuses our client (http-401)');
      expect(refused.check('partner.lookup').state).toBe('skipped');
      expect(JSON.stringify(refused.report)).not.toContain('hunter2');
      const away = await house.examine({ WALLET_AUTH_URL: 'http://127.0.0.1:1' });
      expect(away.named('failed')).toEqual(['partner.address.WALLET_AUTH_URL']);
      expect(away.check('partner.address.WALLET_AUTH_URL').detail).toContain('ECONNREFUSED');
    });

    it('finds a token address that is something else', async () => {
      const wrong = `${house.environment['WALLET_AUTH_URL'] ?? ''}/nowhere`;
      const { detail, remedy } = (await house.examine({ WALLET_AUTH_URL: wrong })).check('partner.token');
      expect(detail).toMatch(/^no token was to be had \(http-4\d\d\)$/);
      expect(remedy).toContain('WALLET_AUTH_URL');
    });

    it('finds a brand that the partner does not know', async () => {
      await house.writePrograms('programs: { tea: { brandId: "999", programId: "1" } }');
      const { check } = await house.examine();
      expect(check('partner.listing.tea').state).toBe('failed');
      expect(check('partner.lookup.tea').state).toBe('failed');
      await house.writePrograms(house.programsText);
    });

    it('says that TLS was not agreed on', async () => {
      const url = (house.environment['WALLET_BASE_URL'] ?? '').replace('http:', 'https:');
      const { check } = await house.examine({ WALLET_BASE_URL: url });
      expect(check('partner.address.WALLET_BASE_URL').detail).toContain('TLS was not agreed on');
    });
  });

  describe('on the configuration', () => {
    it('says what is wrong with the programs file, at each path, and looks at the rest all the same', async () => {
      await house.writePrograms('programs: { coffee-club: { brandId: "101" } }');
      const { check, isConfigurationValid, named } = await house.examine();
      expect(isConfigurationValid).toBe(false);
      expect(check('programs.file')).toMatchObject({
        state: 'failed',
        detail: expect.stringContaining('programs.coffee-club.programId') as string,
      });
      expect(check('partner.token').state).toBe('ok');
      expect(named('skipped')).toContain('partner.lookup');
      await house.writePrograms(house.programsText);
    });

    it('has a line for each variable that is wrong, and uses no part that has one', async () => {
      const { check, isConfigurationValid } = await house.examine({ OPS_TOKENS: 'nonsense', KAFKA_SSL: 'maybe' });
      expect(isConfigurationValid).toBe(false);
      expect(check('environment.OPS_TOKENS').state).toBe('failed');
      expect(check('environment.KAFKA_SSL').detail).toBe('must be one of true, false, 1, 0');
      // Read as "off", it would send the password in the clear.
      expect(check('kafka.connection').state).toBe('skipped');
      expect(check('postgres.connection').state).toBe('ok');
    });
  });

  describe('on clocks', () => {
    const skewed = async (aheadMs: number): Promise<readonly string[]> => {
      const clock: Clock = new WrongClock(aheadMs);
      const { check } = await house.examine({}, clock);
      return [check('clock.postgres').state, check('clock.partner').state];
    };

    it.each([
      [0, ['ok', 'ok']],
      [5_000, ['warning', 'warning']],
      [-5_000, ['warning', 'warning']],
      [hour, ['failed', 'failed']],
    ])('that are %i ms wrong says %j', async (aheadMs, states) => {
      expect(await skewed(aheadMs)).toEqual(states);
    });
  });

  it.each([20, 60, 120])(
    'ends in time where everything freezes after %i ms, whatever was under way',
    async (delayMs) => {
      const database = new URL(house.environment['DATABASE_URL'] ?? '');
      const wallet = new URL(house.environment['WALLET_BASE_URL'] ?? '');
      const proxies = await Promise.all(
        [database, wallet].map(({ hostname: host, port }) => openFreezingProxy({ host, port: Number(port) })),
      );
      [database.port, wallet.port] = proxies.map(({ port }) => String(port)) as [string, string];
      const freezing = setTimeout(() => {
        for (const proxy of proxies) proxy.freeze();
      }, delayMs);
      const { report } = await house.examine({
        DATABASE_URL: database.href,
        WALLET_BASE_URL: wallet.href,
        WALLET_AUTH_URL: wallet.origin,
      });
      clearTimeout(freezing);
      process.stderr.write(`frozen after ${delayMs} ms: ${report.durationMs} ms\n`);
      expect(report.durationMs).toBeLessThan(15_000);
      await Promise.all(proxies.map((proxy) => proxy.close()));
    },
    60_000,
  );

  it('changes nothing in the database', async () => {
    const digest = async (): Promise<readonly unknown[]> =>
      house.query(`SELECT relname, n_tup_ins + n_tup_upd + n_tup_del AS changes FROM pg_stat_user_tables ORDER BY 1`);
    await house.sql('SELECT pg_stat_force_next_flush()');
    const before = await digest();
    await house.examine();
    expect(before.length).toBeGreaterThan(20);
    expect(await digest()).toEqual(before);
  });
});
