import type { Notice, PauseList } from '#contracts';
import { waitUntil } from '#embedded';
import type { RunningProcess } from '#test-support';
import { isSignedBy, WebhookReceiver } from '#test-support';

import { ApiClient, apiTokens } from './api-client.js';
import type { Harness } from './harness.js';
import { openHarness, programsFile } from './harness.js';
import { compileLoyaltyd, Loyaltyd } from './loyaltyd.js';
import { enrolled, produce, purchased } from './traffic.js';
import { numbered } from './many-incident.js';

const refusals = 5;
const programs = `${programsFile.replace(
  'receipt: purchaseId }, uniqueAttribute',
  'receipt: purchaseId, campaign: attributes.campaign }, uniqueAttribute',
)}    autoPause: { sameRefusals: ${refusals} }\n`;

const secret = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;
const consoleUrl = 'https://loyaltyd.example.org';
const soon = { timeoutMs: 120_000 };
const well = Array.from({ length: 20 }, (_, place) => `b-${place}`);
const wrong = Array.from({ length: refusals }, (_, place) => `l-${place}`);

describe('operators who do not look', () => {
  let harness: Harness;
  let hooks: WebhookReceiver;
  let daemons: readonly RunningProcess[];
  let api: ApiClient;

  beforeAll(async () => {
    [harness, hooks] = await Promise.all([openHarness(programs), WebhookReceiver.open()]);
    const environment = {
      ...{ OPS_TOKENS: apiTokens, NOTICE_WEBHOOK_URL: hooks.url, NOTICE_WEBHOOK_SECRET: secret },
      ...{ NOTICE_CONSOLE_URL: consoleUrl, NOTICE_EVERY_MINUTES: '1' },
    };
    const watching = { ...environment, LOYALTYD_ROLES: 'operations' };
    daemons = [await harness.startDaemon(environment), await harness.startDaemon(watching)];
    api = new ApiClient(daemons[0]!, 'operator');
    await compileLoyaltyd();
  }, 300_000);

  afterAll(async () => {
    await harness.close();
    await hooks.close();
  });

  async function awaitCount(search: string, count: number): Promise<void> {
    const isThere = async (): Promise<boolean> => {
      const counted = (await api.get(`/intents/count?${search}`)).body as { readonly count: number };
      return counted.count === count;
    };
    await waitUntil(isThere, { what: `${count} of ${search}`, ...soon });
  }

  const told = (count: number): Promise<Notice[]> =>
    waitUntil(
      () => {
        const notices = hooks.received.map(({ body }) => JSON.parse(body) as Notice);
        return Promise.resolve(notices.length >= count ? notices : undefined);
      },
      { what: `${count} notices`, ...soon },
    );

  it('are told of the store that the partner refuses, once, and that it is over when somebody lifts that', async () => {
    const emit = (...emissions: Parameters<typeof produce>[2]): Promise<void> =>
      produce(harness.broker, harness.topics, emissions);
    expect(await new Loyaltyd(daemons[1]!, 'operator').run('notices', 'test')).toMatchObject({
      ...{ code: 0, stdout: 'webhook: taken\n' },
    });
    await emit(...[...well, ...wrong].map(enrolled), ...well.map((member) => purchased(member, `${member}-p`)));
    await awaitCount('status=delivered&operation=transaction', well.length);
    await emit(...wrong.map(numbered));
    await awaitCount('status=parked&operation=transaction', wrong.length);
    const factor = 'store:lisboa-colombo';
    const pauses = await waitUntil(
      async () => {
        const { items } = (await api.get('/pauses')).body as PauseList;
        return items.length > 0 ? items : undefined;
      },
      { what: 'delivery to pause the store', ...soon },
    );
    expect(pauses).toMatchObject([{ program: 'coffee-club', operation: 'transaction', factor, automatic: true }]);
    const [trial, begun] = await told(2);
    expect(trial).toMatchObject({ type: 'loyaltyd.trial' });
    expect(begun).toMatchObject({
      type: 'loyaltyd.notice',
      data: {
        begun: [{ kind: 'automatic-pause', program: 'coffee-club', factor, link: `${consoleUrl}/pauses` }],
        ...{ over: [], more: 0 },
      },
    });
    expect(JSON.stringify(begun)).not.toMatch(/l-\d|Ada|@example/);
    await new Loyaltyd(daemons[0]!, 'operator').run(
      ...['resume', '--program', 'coffee-club', '--operation', 'transaction', '--factor', factor],
      ...['--reason', 'the till was mended'],
    );
    const [, , over] = await told(3);
    expect(over).toMatchObject({ data: { begun: [], over: [{ kind: 'automatic-pause', factor }] } });
    expect(hooks.received.every((hook) => isSignedBy(hook, secret))).toBe(true);
    expect(hooks.received).toHaveLength(3);
  });
});
