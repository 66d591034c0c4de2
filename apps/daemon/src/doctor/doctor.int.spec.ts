import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { waitUntil } from '#embedded';
import type { Clock } from '#platform';
import { SystemClock } from '#platform';
import { openFreezingProxy, StandInRegistry, StandInVault, VirtualClock } from '#test-support';

import type { Given } from './checks.js';
import { checkOidc } from './oidc.js';
import type { DoctorFixture } from './testing/doctor-fixture.js';
import { examineBy, openDoctorFixture } from './testing/doctor-fixture.js';

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
/** All checks have ended (doctor.ts, `diagnose`). */
const endsWithinMs = 13_000;

describe('the doctor', () => {
  let fixture: DoctorFixture;

  beforeAll(async () => {
    fixture = await openDoctorFixture();
  });

  afterAll(() => fixture.close());

  it('finds nothing wrong where nothing is; only what nobody has started is missing', async () => {
    const { report, isConfigurationValid, named, check } = await fixture.examine();
    expect(named('failed')).toEqual([]);
    expect([report.ok, isConfigurationValid]).toEqual([true, true]);
    // Nothing runs yet, and a fresh cluster may not have had a group yet.
    expect(named('warning').toSorted()).toEqual(['kafka.group', 'processes.alive']);
    for (const name of ['postgres.settings', 'postgres.schema', 'postgres.role', 'installation.keys']) {
      expect(check(name).state).toBe('ok');
    }
    expect(new Set(report.checks.map(({ name }) => name)).size).toBe(report.checks.length);
    for (const { state, remedy } of report.checks) {
      expect(remedy === null).toBe(state === 'ok' || state === 'skipped');
    }
  });

  describe('on Kafka', () => {
    it('says that nobody listens at a wrong port, and skips what builds on it', async () => {
      const { check, named } = await fixture.examine({ KAFKA_BROKERS: '127.0.0.1:1' });
      expect(named('failed')).toEqual(['kafka.connection']);
      expect(check('kafka.connection').detail).toBe('127.0.0.1:1: cannot be reached (ECONNREFUSED)');
      expect(check('kafka.connection').remedy).toContain('KAFKA_BROKERS');
      expect(check('kafka.lag').state).toBe('skipped');
      expect(check('partner.token').state).toBe('ok');
    });

    it('says whether the schema registry can be used, where there is one', async () => {
      const registry = await StandInRegistry.start();
      const { url } = registry;
      const { host } = new URL(url);
      const examined = () => fixture.examine({ SCHEMA_REGISTRY_URL: url });
      expect((await examined()).check('kafka.registry')).toMatchObject({ state: 'ok', detail: `${host} answers` });
      registry.mood = 'forbidden';
      expect((await examined()).check('kafka.registry')).toMatchObject({
        ...{ state: 'failed', detail: `${host} cannot be used: http-403` },
        remedy: expect.stringContaining('others go on') as string,
      });
      await registry.stop();
      const { check, named } = await examined();
      expect(check('kafka.registry').detail).toBe(`${host} cannot be used: ECONNREFUSED`);
      expect(named('failed')).toEqual(['kafka.registry']);
    });

    it('warns of one broker among others, and goes on with these', async () => {
      const { check, named } = await fixture.examine({ KAFKA_BROKERS: `127.0.0.1:1,${fixture.broker.brokers}` });
      expect(named('failed')).toEqual([]);
      expect(check('kafka.connection')).toMatchObject({
        state: 'warning',
        detail: expect.stringContaining(`${fixture.broker.brokers} answered`) as string,
      });
    });

    it('tells a wrong port from one that wants TLS, and TLS from none', async () => {
      const overTls = await fixture.examine({ KAFKA_SSL: 'true' });
      expect(overTls.check('kafka.connection').detail).toMatch(/does not speak TLS|TLS was not agreed on|hung up/);
      const onPostgres = await fixture.examine({
        KAFKA_BROKERS: new URL(fixture.environment['DATABASE_URL'] ?? '').host,
      });
      expect(onPostgres.check('kafka.connection').state).toBe('failed');
    });

    it('names the topics that are missing, and asks for none that was turned off', async () => {
      const { check, named, report } = await fixture.examine({
        KAFKA_TOPIC_PURCHASES: 'loyalty.nowhere',
        KAFKA_TOPIC_OUTCOMES: 'none',
        KAFKA_TOPIC_DEAD_LETTER: 'loyalty.no-letters',
      });
      expect(named('failed').toSorted()).toEqual(['kafka.topics.loyalty.no-letters', 'kafka.topics.loyalty.nowhere']);
      expect(check('kafka.topics.loyalty.nowhere').remedy).toContain('--create --topic loyalty.nowhere');
      expect(check('kafka.topics.loyalty.no-letters').remedy).toContain('KAFKA_TOPIC_DEAD_LETTER=none');
      const asked = report.checks.filter(({ name }) => name.startsWith('kafka.topics.'));
      expect(asked.map(({ name }) => name)).toHaveLength(5);
      // Looking must not make a topic.
      expect((await fixture.examine({ KAFKA_TOPIC_PURCHASES: 'loyalty.nowhere' })).named('failed')).toHaveLength(1);
    });

    it('says where records were lost, by the offsets that we keep', async () => {
      const { members } = fixture.topics;
      await fixture.sql(`INSERT INTO kafka_offset (cluster_id, topic, incarnation, partition, next_offset)
        VALUES ('c', '${members}', 1, 2, 40)`);
      const { check } = await fixture.examine();
      // The topic is empty: it has been shorter than what we have read ever since.
      expect(check(`kafka.gap.${members}/2`)).toMatchObject({ state: 'warning' });
      await fixture.sql('DELETE FROM kafka_offset');
    });
  });

  it('says what the file would do to what is there, and which work nobody does', async () => {
    const { check: before } = await fixture.examine();
    expect([before('programs.changes').state, before('programs.work').state]).toEqual(['ok', 'ok']);
    const content = JSON.stringify({ programs: { tea: { brandId: '1', programId: '2' } } });
    await fixture.sql(`INSERT INTO programs_load (at, programs_hash, host, content, accepted)
      VALUES (now(), '\\xff', 'pod', '${content}', '{}')`);
    await fixture.sql(`INSERT INTO member (program_id, member_id, created_at) VALUES ('tea', 'm1', now())`);
    await fixture.sql(`INSERT INTO lane (lane_id, program_id, due_at) SELECT lane_id, program_id, now() FROM member`);
    const { check, report, isConfigurationValid } = await fixture.examine();
    expect(check('programs.changes.tea')).toMatchObject({ state: 'failed' });
    expect(check('programs.changes.tea').detail).toMatch(/^programs\.tea: it is gone, while it has members/);
    expect(check('programs.changes.tea').remedy).toContain('loyaltyd accept-programs NAME');
    expect(check('programs.work')).toMatchObject({ state: 'failed', detail: expect.stringContaining('tea') as string });
    expect([report.ok, isConfigurationValid]).toEqual([false, true]);
    await fixture.sql('DELETE FROM lane');
    await fixture.sql('DELETE FROM member');
    await fixture.sql('DELETE FROM programs_load');
  });

  describe('on Postgres', () => {
    const other = (change: (url: URL) => void): { readonly DATABASE_URL: string } => {
      const url = new URL(fixture.environment['DATABASE_URL'] ?? '');
      change(url);
      return { DATABASE_URL: url.href };
    };

    it.each<[string, (url: URL) => void, string]>([
      ['a wrong password', (url) => (url.password = 'hunter2'), 'user or password is wrong'],
      ['a wrong port', (url) => (url.port = '1'), 'nobody listens there'],
      ['a wrong host', (url) => (url.hostname = 'nowhere.invalid'), 'its host name is not known'],
      ['a wrong database', (url) => (url.pathname = '/nowhere'), 'there is no such database'],
    ])('tells %s', async (_what, change, text) => {
      const { check, named, report } = await fixture.examine(other(change));
      expect(named('failed')).toEqual(['postgres.connection']);
      expect(check('postgres.connection').detail).toContain(text);
      expect(JSON.stringify(report)).not.toContain('hunter2');
    });

    it('says that the server has no TLS', async () => {
      const { check } = await fixture.examine({ DATABASE_SSL: 'require' });
      expect(check('postgres.connection').detail).toContain('it does not speak TLS');
    });

    it('names a migration that is pending, and one of a newer release', async () => {
      await fixture.sql(`UPDATE schema_migration SET name = 'Later2999999999999' WHERE name LIKE 'Baseline%'`);
      const pending = await fixture.examine();
      expect(pending.check('postgres.schema')).toMatchObject({
        state: 'failed',
        detail: expect.stringContaining('Baseline') as string,
      });
      expect(pending.check('postgres.schema').remedy).toContain('loyaltyd migrate');
      expect(pending.check('installation.keys').state).toBe('skipped');
      await fixture.sql(`UPDATE schema_migration SET name = 'Baseline1798000000000' WHERE name LIKE 'Later%'`);
      await fixture.sql(`INSERT INTO schema_migration (timestamp, name) VALUES (2999999999999, 'Later2999999999999')`);
      const nobodyVouches = await fixture.examine();
      expect(nobodyVouches.check('postgres.schema')).toMatchObject({ state: 'failed' });
      await fixture.sql(`INSERT INTO schema_mark (migration, serves) VALUES ('Later2999999999999', 0)`);
      const added = (await fixture.examine()).check('postgres.schema');
      expect(added).toMatchObject({ state: 'ok', detail: expect.stringContaining('Later') as string });
      await fixture.sql(
        `DELETE FROM schema_migration WHERE name LIKE 'Later%'; DELETE FROM schema_mark WHERE migration LIKE 'Later%'`,
      );
    });

    it('says that a database is of an earlier build', async () => {
      await fixture.sql(`INSERT INTO schema_migration (timestamp, name) VALUES (1797200000209, 'Older1797200000209')`);
      const { check } = await fixture.examine();
      expect(check('postgres.schema')).toMatchObject({ state: 'failed', detail: 'an earlier build has made it' });
      await fixture.sql(`DELETE FROM schema_migration WHERE name LIKE 'Older%'`);
    });

    it('says that a database is empty', async () => {
      await fixture.sql('CREATE DATABASE empty OWNER loyaltyd');
      const { check } = await fixture.examine(other((url) => (url.pathname = '/empty')));
      expect(check('postgres.schema')).toMatchObject({ state: 'warning', detail: 'the database is empty' });
    });

    it('finds settings that break our promises, wherever they come from', async () => {
      await fixture.sql(`ALTER DATABASE loyaltyd SET synchronous_commit = off`);
      await fixture.sql(`ALTER DATABASE loyaltyd SET default_transaction_read_only = on`);
      const { check } = await fixture.examine();
      expect(check('postgres.settings.synchronous_commit').state).toBe('failed');
      expect(check('postgres.primary').detail).toContain('default_transaction_read_only');
      await fixture.sql(`BEGIN READ WRITE; ALTER DATABASE loyaltyd RESET ALL; COMMIT`);
    });
  });

  describe('on what the database keeps', () => {
    it('finds that it belongs to another partner', async () => {
      const { check } = await fixture.examine({ WALLET_ENVIRONMENT: 'production' });
      expect(check('installation.partner')).toMatchObject({ state: 'failed' });
      expect(check('installation.partner').remedy).toContain('--adopt-environment');
    });

    it('finds that the key does not open it, and never shows one', async () => {
      const wrong = Buffer.from([...Array(32).keys()].toReversed()).toString('base64');
      const { check, report } = await fixture.examine({ LOYALTYD_ENCRYPTION_KEY: wrong });
      expect(check('installation.keys').detail).toBe('none of the configured keys opens this database');
      expect(JSON.stringify(report)).not.toContain(wrong);
      const beside = `${wrong},${fixture.environment['LOYALTYD_ENCRYPTION_KEY'] ?? ''}`;
      expect((await fixture.examine({ LOYALTYD_ENCRYPTION_KEY: beside })).check('installation.keys').state).toBe('ok');
    });

    it('finds members whose keys no key opens', async () => {
      await fixture.sql(`INSERT INTO member (lane_id, program_id, member_id, created_at) VALUES (1, 'p', 'm', now())`);
      await fixture.sql(`INSERT INTO member_key (lane_id, wrapped_key) VALUES (1, '\\x00')`);
      expect((await fixture.examine()).check('installation.keys')).toMatchObject({
        state: 'failed',
        detail: 'they open this database, but not the keys of 1 of 1 members',
      });
      await fixture.sql('DELETE FROM member_key; DELETE FROM member');
    });
  });

  it('has the keys opened by Vault where they are wrapped, and skips what needs them where it does not', async () => {
    const vault = await StandInVault.start();
    const key = Buffer.from(fixture.environment['LOYALTYD_ENCRYPTION_KEY'] ?? '', 'base64');
    const wrapped = { LOYALTYD_ENCRYPTION_KEY: vault.wrap('loyaltyd', key), ...vault.environment };
    const well = await fixture.examine(wrapped);
    vault.mood = 'sealed';
    const sealed = await fixture.examine(wrapped);
    await vault.stop();
    expect([well.named('failed'), sealed.named('failed')]).toEqual([[], ['installation.vault']]);
    expect(well.check('installation.keys').state).toBe('ok');
    expect(sealed.check('installation.keys').state).toBe('skipped');
  });

  describe('on the partner', () => {
    it('tells a wrong secret from a partner that cannot be reached, and tells the secret to nobody', async () => {
      const refused = await fixture.examine({ WALLET_CLIENT_SECRET: 'hunter2' });
      expect(refused.named('failed')).toEqual(['partner.token']);
      expect(refused.check('partner.token').detail).toBe('the partner refuses our client (http-401)');
      expect(refused.check('partner.lookup').state).toBe('skipped');
      expect(JSON.stringify(refused.report)).not.toContain('hunter2');
      const away = await fixture.examine({ WALLET_AUTH_URL: 'http://127.0.0.1:1' });
      expect(away.named('failed')).toEqual(['partner.address.WALLET_AUTH_URL']);
      expect(away.check('partner.address.WALLET_AUTH_URL').detail).toContain('ECONNREFUSED');
    });

    it('finds a token address that is something else', async () => {
      const wrong = `${fixture.environment['WALLET_AUTH_URL'] ?? ''}/nowhere`;
      const { detail, remedy } = (await fixture.examine({ WALLET_AUTH_URL: wrong })).check('partner.token');
      expect(detail).toMatch(/^no token was to be had \(http-4\d\d\)$/);
      expect(remedy).toContain('WALLET_AUTH_URL');
    });

    it('finds a brand that the partner does not know', async () => {
      await fixture.writePrograms('programs: { tea: { brandId: "999", programId: "1" } }');
      const { check } = await fixture.examine();
      expect(check('partner.lookup.tea').state).toBe('failed');
      await fixture.writePrograms(fixture.programsText);
    });

    it('says that TLS was not agreed on', async () => {
      const url = (fixture.environment['WALLET_BASE_URL'] ?? '').replace('http:', 'https:');
      const { check } = await fixture.examine({ WALLET_BASE_URL: url });
      expect(check('partner.address.WALLET_BASE_URL').detail).toContain('TLS was not agreed on');
    });
  });

  describe('on the configuration', () => {
    it('says what is wrong with the programs file, at each path, and looks at the rest all the same', async () => {
      await fixture.writePrograms('programs: { coffee-club: { brandId: "101" } }');
      const { check, isConfigurationValid, named } = await fixture.examine();
      expect(isConfigurationValid).toBe(false);
      expect(check('programs.file')).toMatchObject({
        state: 'failed',
        detail: expect.stringContaining('programs.coffee-club.programId') as string,
      });
      expect(check('partner.token').state).toBe('ok');
      expect(named('skipped')).toContain('partner.lookup');
      await fixture.writePrograms(fixture.programsText);
    });

    it('has a line for each variable that is wrong, and uses no part that has one', async () => {
      const { check, isConfigurationValid } = await fixture.examine({ OPS_TOKENS: 'nonsense', KAFKA_SSL: 'maybe' });
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
      const { check } = await fixture.examine({}, clock);
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
    'ends within 13 s of its clock where everything freezes after %i ms, whatever was under way',
    async (delayMs) => {
      const database = new URL(fixture.environment['DATABASE_URL'] ?? '');
      const wallet = new URL(fixture.environment['WALLET_BASE_URL'] ?? '');
      const proxies = await Promise.all(
        [database, wallet].map(({ hostname: host, port }) => openFreezingProxy({ host, port: Number(port) })),
      );
      [database.port, wallet.port] = proxies.map(({ port }) => String(port)) as [string, string];
      // Time passes for the doctor from the freezing on, and only as we say.
      const clock = new VirtualClock(Date.now());
      const places = { DATABASE_URL: database.href, WALLET_BASE_URL: wallet.href, WALLET_AUTH_URL: wallet.origin };
      let isOver = false;
      const examined = fixture.examine(places, clock).finally(() => (isOver = true));
      await sleep(delayMs);
      for (const proxy of proxies) proxy.freeze();
      const passed = async (): Promise<boolean> => {
        await clock.advance(100);
        return isOver;
      };
      await waitUntil(passed, { what: 'the end', timeoutMs: 60_000, intervalMs: 5 });
      expect((await examined).report.durationMs).toBeLessThanOrEqual(endsWithinMs);
      await Promise.all(proxies.map((proxy) => proxy.close()));
    },
  );

  it('changes nothing in the database', async () => {
    const digest = async (): Promise<readonly unknown[]> =>
      fixture.query(`SELECT relname, n_tup_ins + n_tup_upd + n_tup_del AS changes FROM pg_stat_user_tables ORDER BY 1`);
    await fixture.sql('SELECT pg_stat_force_next_flush()');
    const before = await digest();
    await fixture.examine();
    expect(before.length).toBeGreaterThan(20);
    expect(await digest()).toEqual(before);
  });
});

/** A server that takes every connection and never says a word. */
interface BlackHole {
  readonly port: number;
  close(): Promise<void>;
}

async function openBlackHole(): Promise<BlackHole> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const secrets = ['hunter2-db', 'hunter2-kafka', 'hunter2-wallet'];
const encryptionKey = Buffer.from([...Array(32).keys()].toReversed()).toString('base64');

describe('the doctor where everything takes connections and nothing ever answers', () => {
  let hole: BlackHole;

  beforeAll(async () => {
    hole = await openBlackHole();
  });

  afterAll(() => hole.close());

  it('ends, names everything that hangs, says what to do, and tells no secret', async () => {
    const at = `127.0.0.1:${hole.port}`;
    const { report, check, named } = await examineBy({
      KAFKA_BROKERS: at,
      KAFKA_SASL_MECHANISM: 'plain',
      KAFKA_SASL_USERNAME: 'loyaltyd',
      KAFKA_SASL_PASSWORD: 'hunter2-kafka',
      DATABASE_URL: `postgres://loyaltyd:hunter2-db@${at}/loyaltyd`,
      WALLET_BASE_URL: `http://${at}/brands`,
      WALLET_AUTH_URL: `http://${at}`,
      WALLET_CLIENT_ID: 'client',
      WALLET_CLIENT_SECRET: 'hunter2-wallet',
      WALLET_SCOPE: 'admin',
      LOYALTYD_ENCRYPTION_KEY: encryptionKey,
      LOYALTYD_PROGRAMS: '/nonexistent.yaml',
      OPS_OIDC_ISSUER: `http://${at}`,
      OPS_OIDC_AUDIENCE: 'loyaltyd',
    });
    expect(report.ok).toBe(false);
    expect(named('failed').toSorted()).toEqual([
      'kafka.connection',
      'operations.oidc',
      'partner.token',
      'postgres.connection',
      'programs.file',
    ]);
    expect(check('postgres.connection').detail).toContain('it does not answer');
    expect(check('kafka.connection').detail).toContain('did not answer in time');
    expect(check('partner.token').detail).toContain('timeout');
    for (const name of named('failed')) expect(check(name).remedy).toMatch(/\w{3}/);
    expect(check('kafka.topics').detail).toBe('not looked at: it builds on kafka.connection');
    for (const secret of [...secrets, encryptionKey]) expect(JSON.stringify(report)).not.toContain(secret);
  });
});

describe('the check of the OIDC issuer', () => {
  let server: Server;
  let issuer: string;
  /** What is answered at each path; a number is a status. */
  let answers: Readonly<Record<string, unknown>> = {};

  beforeAll(async () => {
    server = createServer((request, response) => {
      const answer = answers[request.url ?? ''] ?? 404;
      response.statusCode = typeof answer === 'number' ? answer : 200;
      response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterAll(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });

  const client = { clientId: 'console', scope: 'openid' };
  const { signal } = new AbortController();

  const examine = async (at = issuer, console: typeof client | null = null) => {
    const oidc = { issuer: at, audience: 'loyaltyd', roleClaim: 'roles', programsClaim: null, clients: [], console };
    const [finding] = await checkOidc({ environment: { operations: { oidc } }, signal } as unknown as Given);
    return finding;
  };
  const discovery = '/.well-known/openid-configuration';

  it('is well where it answers by its own name, with keys', async () => {
    answers = { [discovery]: { issuer: `${issuer}/`, jwks_uri: `${issuer}/keys` }, '/keys': { keys: [{ kty: 'EC' }] } };
    expect(await examine()).toMatchObject({ state: 'ok', detail: `${issuer}: 1 keys` });
  });

  it('logs people in to the console only where its token endpoint is of its own origin', async () => {
    const at = { issuer, jwks_uri: `${issuer}/keys` };
    const examineAt = async (token_endpoint?: string) => {
      answers = { [discovery]: { ...at, token_endpoint }, '/keys': { keys: [{ kty: 'EC' }] } };
      return (await examine(issuer, client))?.state;
    };
    expect(await examineAt(`${issuer}/token`)).toBe('ok');
    expect(await examineAt('https://elsewhere.example/token')).toBe('warning');
    expect(await examineAt()).toBe('warning');
    expect(await examine()).toMatchObject({ state: 'ok' });
  });

  it('names what is wrong with it', async () => {
    const at = { issuer, jwks_uri: `${issuer}/keys` };
    const cases: readonly (readonly [Readonly<Record<string, unknown>>, string])[] = [
      [{}, 'answers 404'],
      [{ [discovery]: '<html>' }, 'answers no JSON'],
      [{ [discovery]: { issuer } }, 'names no issuer or no keys'],
      [{ [discovery]: { ...at, issuer: 'https://other' } }, 'calls itself by another name'],
      [{ [discovery]: at, '/keys': { keys: [] } }, 'has no keys'],
      [{ [discovery]: at, '/keys': 'x'.repeat(2_000_000) }, 'answers too much'],
    ];
    for (const [given, text] of cases) {
      answers = given;
      expect(await examine()).toMatchObject({ state: 'failed', detail: expect.stringContaining(text) as string });
    }
    expect(await examine('http://127.0.0.1:1')).toMatchObject({
      detail: expect.stringContaining('cannot be reached') as string,
    });
  });
});
