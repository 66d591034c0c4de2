import type { IntentPage } from '#contracts';
import { waitUntil } from '#embedded';
import { createTopics, kafkaClient, type RunningProcess } from '#test-support';

import { ApiClient, apiTokens } from './api-client.js';
import type { Harness } from './harness.js';
import { openHarness, programsFile } from './harness.js';
import { readLedger } from './partner.js';

/** Names of topics are those of the whole run's broker. */
const shop = `shop-${process.pid}`;

/** An order, whose customer is enrolled with it. */
const map = `
[
  customer.new = true ? { "id": "c-" & order, "source": "/shop", "type": "loyalty.member.enrolled.v1", "time": at,
    "data": { "program": "coffee-club", "memberId": customer.card, "person": { "firstName": customer.name } } } : [],
  { "id": "o-" & order, "source": "/shop", "type": "loyalty.purchase.completed.v1", "time": at,
    "data": { "program": "coffee-club", "memberId": customer.card, "purchaseId": order, "storeId": "web",
      "total": { "minor": $minor(total, "EUR"), "currency": "EUR" } } }
]`;

const sourceOf = (topics: readonly string[]): string => `
sources:
  web-orders:
    topics: ${JSON.stringify(topics)}
    format: json
    map: ${JSON.stringify(map)}
    types: [loyalty.member.enrolled.v1, loyalty.purchase.completed.v1]
    programs: [coffee-club]
`;

describe("a shop's own orders in JSON", () => {
  let harness: Harness;
  let daemon: RunningProcess;
  let operator: ApiClient;

  beforeAll(async () => {
    harness = await openHarness(programsFile + sourceOf([`${shop}.orders`]));
    await createTopics(harness.broker, [`${shop}.orders`, `${shop}.till.1`]);
    daemon = await harness.startDaemon({ OPS_TOKENS: apiTokens });
    operator = new ApiClient(daemon, 'operator');
  });

  afterAll(() => harness.close());

  /** What is of one customer comes by one partition: else nothing says which of two orders was first. */
  async function sends(topic: string, ...orders: readonly ReturnType<typeof order>[]): Promise<void> {
    const producer = kafkaClient(harness.broker).producer();
    await producer.connect();
    await producer.send({
      topic,
      messages: orders.map((each) => ({ key: each.customer.card, value: JSON.stringify(each) })),
    });
    await producer.disconnect();
  }

  const order = (number: string, card: string, total: string, more: object = {}) => ({
    ...{ order: number, at: new Date(Date.now() - 60_000).toISOString(), total, customer: { card, ...more } },
  });

  /** What the partner has done, in its order. */
  const done = async (): Promise<string[]> =>
    (await readLedger(harness.sandboxUrl)).map(({ operation, uniqueId, body }) =>
      [operation, uniqueId, (body as { readonly amount?: number } | null)?.amount].join(' ').trim(),
    );

  async function awaitDone(count: number): Promise<string[]> {
    await waitUntil(async () => (await done()).length >= count, { what: `${count} effects`, timeoutMs: 60_000 });
    return done();
  }

  it('become calls of the partner, in the order of their events, and are known when they come again', async () => {
    const first = order('A-1', 'ada', '59.99', { new: true, name: 'Ada' });
    await sends(`${shop}.orders`, first, first, order('A-2', 'ada', '10.5'));
    expect(await awaitDone(3)).toEqual(['issue ada', 'transaction ada 59.99', 'transaction ada 10.5']);
  });

  it('show the event that each intent is of in its timeline', async () => {
    const { items } = (await operator.get('/intents?program=coffee-club&memberId=ada&limit=10')).body as IntentPage;
    const shown = await operator.get(`/intents/${items[0]?.id}`);
    expect(JSON.stringify(shown.body)).toContain('loyalty.');
  });

  it('that say what they may not are set aside as a whole', async () => {
    await harness.writePrograms(
      programsFile + sourceOf([`${shop}.orders`]).replace('loyalty.member.enrolled.v1, ', ''),
    );
    const admin = new ApiClient(daemon, 'admin');
    expect((await admin.post('/reload', { reason: 'less' })).status).toBe(200);
    await sends(`${shop}.orders`, order('A-3', 'bob', '1.00', { new: true, name: 'Bob' }));
    const aside = async (): Promise<readonly { readonly detail: string }[]> =>
      ((await operator.get('/quarantine?reason=not-allowed')).body as { items: { detail: string }[] }).items;
    await waitUntil(async () => (await aside()).length === 1, { what: 'a record set aside', timeoutMs: 60_000 });
    expect((await aside())[0]?.detail).toContain('event 1 of 2: type: source web-orders may not say');
    expect(await done()).toHaveLength(3);
  });

  it('come by the topics of a reloaded file, also by one that a pattern matches', async () => {
    await sends(`${shop}.till.1`, order('T-1', 'ada', '2.00'));
    await harness.writePrograms(programsFile + sourceOf([`/${shop}\\.till\\.[0-9]+/`]));
    const admin = new ApiClient(daemon, 'admin');
    // The orders' topic was read, and is nobody's then.
    const accept = ['sources.web-orders.topics'];
    expect((await admin.post('/reload', { reason: 'the tills' })).status).toBe(422);
    expect((await admin.post('/reload', { reason: 'the tills', accept })).status).toBe(200);
    expect((await awaitDone(4)).at(-1)).toBe('transaction ada 2');
  });
});
