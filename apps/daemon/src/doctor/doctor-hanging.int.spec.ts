import type { BlackHole } from './testing/black-hole.js';
import { openBlackHole } from './testing/black-hole.js';
import { examineBy } from './testing/doctor-house.js';

const longestMs = 15_000;
const secrets = ['hunter2-db', 'hunter2-kafka', 'hunter2-wallet'];
const key = Buffer.alloc(32, 9).toString('base64');

describe('the doctor where everything takes connections and nothing ever answers', () => {
  let hole: BlackHole;

  beforeAll(async () => {
    hole = await openBlackHole();
  });

  afterAll(() => hole.close());

  it('ends within 15 s, names everything that hangs, says what to do, and tells no secret', async () => {
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
      LOYALTYD_ENCRYPTION_KEY: key,
      LOYALTYD_PROGRAMS: '/nonexistent.yaml',
      OPS_OIDC_ISSUER: `http://${at}`,
      OPS_OIDC_AUDIENCE: 'loyaltyd',
    });
    process.stderr.write(`everything hangs: ${report.durationMs} ms\n`);
    expect(report.durationMs).toBeLessThan(longestMs);
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
    for (const secret of [...secrets, key]) expect(JSON.stringify(report)).not.toContain(secret);
  }, 30_000);
});
