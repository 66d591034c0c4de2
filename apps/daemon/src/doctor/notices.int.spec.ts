import { readEnvironmentParts } from '#contracts';
import { PostgresConnection } from '#platform';
import type { TestDatabase } from '#test-support';
import { queryOnce, testDatabase, WebhookReceiver } from '#test-support';

import type { Given } from './checks.js';
import type { Finding } from './finding.js';
import { checkNoticeAddresses, checkNoticeDeliveries } from './notices.js';

describe('the checks of notices', () => {
  let test: TestDatabase;
  let connection: PostgresConnection;
  let hooks: WebhookReceiver;

  beforeAll(async () => {
    [test, hooks] = await Promise.all([testDatabase(), WebhookReceiver.open()]);
    const settings = { poolSize: 2, ssl: false, applicationName: 'notices-spec', migrations: [] } as const;
    connection = new PostgresConnection({ url: test.url, ...settings, onPoolError: () => undefined });
    await connection.connect();
  });

  afterAll(async () => {
    await Promise.all([connection.close(), hooks.close()]);
    await test.dispose();
  });

  const given = (variables: Readonly<Record<string, string>>): Given<'store'> => {
    const { value: environment } = readEnvironmentParts(variables, { roles: [], readFile: () => '' });
    const store = { database: connection.database, now: () => Date.now() };
    return { environment, store } as unknown as Given<'store'>;
  };

  const webhook = (url = hooks.url): Given<'store'> =>
    given({
      NOTICE_WEBHOOK_URL: url,
      NOTICE_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32).toString('base64')}`,
      NOTICE_CONSOLE_URL: 'https://loyaltyd.example.org',
      ...{ NOTICE_SMTP_URL: 'smtp://127.0.0.1:1', NOTICE_MAIL_FROM: 'a@b.c', NOTICE_MAIL_TO: 'a@b.c' },
    });

  const told = (findings: readonly Finding[]): string[] => findings.map(({ name, detail }) => `${name}: ${detail}`);

  it('find nothing where nobody is told', async () => {
    expect([await checkNoticeAddresses(given({})), await checkNoticeDeliveries(given({}))]).toEqual([[], []]);
  });

  it('say whether those can be reached who are told, and send them nothing', async () => {
    const { host } = new URL(hooks.url);
    expect(told(await checkNoticeAddresses(webhook()))).toEqual([
      `notices.address.webhook: ${host} takes connections`,
      'notices.address.mail: 127.0.0.1:1 cannot be reached (ECONNREFUSED)',
    ]);
    expect(told(await checkNoticeAddresses(webhook(hooks.url.replace('http:', 'https:'))))).toContainEqual(
      expect.stringMatching(/^notices\.address\.webhook: .* cannot be reached \(/),
    );
    expect(hooks.received).toEqual([]);
  });

  it('say what was not taken, for how long and why, until something is', async () => {
    const add = (state: string): Promise<unknown> =>
      queryOnce(
        test.ownerUrl,
        `INSERT INTO notice (notice_id, channel, is_trial, made_at, content, attempts, due_at, problem)
         VALUES (gen_random_uuid(), 'webhook', false, now() - interval '3 hours', '{}', 2, ${state}, 'http-500')`,
      );
    expect(told(await checkNoticeDeliveries(webhook()))).toEqual(['notices.delivery: none is undelivered']);
    await add('now()');
    expect(await checkNoticeDeliveries(webhook())).toMatchObject([
      {
        ...{ name: 'notices.delivery.webhook', state: 'warning' },
        detail: 'the webhook has not taken what it was sent for 3 h (1, http-500)',
        remedy: expect.stringContaining('loyaltyd notices test') as string,
      },
    ]);
    await queryOnce(test.ownerUrl, 'UPDATE notice SET due_at = NULL');
    expect(await checkNoticeDeliveries(webhook())).toMatchObject([{ state: 'failed' }]);
    await queryOnce(test.ownerUrl, 'UPDATE notice SET delivered_at = now(), problem = NULL');
    expect(told(await checkNoticeDeliveries(webhook()))).toEqual(['notices.delivery: none is undelivered']);
  });
});
