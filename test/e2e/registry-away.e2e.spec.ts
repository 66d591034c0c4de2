import type { DoctorReport } from '#contracts';
import { waitUntil } from '#embedded';
import { createTopics, kafkaClient, queryOnce, type RunningProcess, StandInRegistry } from '#test-support';

import { ApiClient, apiTokens } from './api-client.js';
import { type Harness, openHarness, programsFile } from './harness.js';
import { awaitEffects, readLedger } from './partner.js';
import { enrolled, purchased } from './traffic.js';

const topic = `orders-away-${process.pid}`;
const map = `{ "id": order, "source": "/shop", "type": "loyalty.purchase.completed.v1", "time": "2026-11-20T10:00:00Z",
  "data": { "program": "coffee-club", "memberId": "ada", "purchaseId": order, "storeId": "web",
    "total": { "minor": 1000, "currency": "EUR" } } }`;
const types = ['loyalty.purchase.completed.v1'];
const sources = { orders: { topics: [topic], format: 'avro', map, types, programs: ['coffee-club'] } };
const schema = JSON.stringify({ type: 'record', name: 'Order', fields: [{ name: 'order', type: 'string' }] });
/** Behind its schema's id an order in Avro: one text, led by its length. */
const order = (number: string): Buffer =>
  Buffer.concat([Buffer.from([0, 0, 0, 0, 1, 2 * number.length]), Buffer.from(number)]);

describe('a daemon whose schema registry is away', () => {
  let registry: StandInRegistry;
  let harness: Harness;
  let daemon: RunningProcess;
  let operator: ApiClient;

  beforeAll(async () => {
    registry = await StandInRegistry.start();
    registry.schemas.push({ id: 1, guid: '', subject: 's', version: 1, answer: { schema } });
    registry.mood = 'unavailable';
    harness = await openHarness(`${programsFile}sources: ${JSON.stringify(sources)}\n`);
    await createTopics(harness.broker, [topic], 1);
    daemon = await harness.startDaemon({ OPS_TOKENS: apiTokens, SCHEMA_REGISTRY_URL: registry.url });
    operator = new ApiClient(daemon, 'operator');
  });

  afterAll(async () => {
    await harness.close();
    await registry.stop();
  });

  const ask = (path: string): Promise<Response> => fetch(`${String(daemon.ready['operations'])}${path}`);
  const waits = async (): Promise<readonly string[]> =>
    (await (await ask('/metrics')).text()).split('\n').filter((line) => line.startsWith('loyaltyd_source_waiting'));

  async function sends(
    ...sent: readonly (readonly [string, { key: string; value: Buffer | string }])[]
  ): Promise<void> {
    const producer = kafkaClient(harness.broker).producer();
    await producer.connect();
    for (const [to, message] of sent) await producer.send({ topic: to, messages: [message] });
    await producer.disconnect();
  }

  it('delivers everything else, and says in metrics and doctor what waits', async () => {
    await sends([topic, { key: 'ada', value: order('web-1') }]);
    await waitUntil(async () => (await waits()).length > 0, { what: 'the partition to wait', timeoutMs: 60_000 });
    const own = [enrolled('ada'), purchased('ada', 'till-1')];
    await sends(...own.map(({ topic: name, message }) => [harness.topics[name], message as never] as const));
    await awaitEffects(harness.sandboxUrl, 2);
    expect(await waits()).toEqual([expect.stringMatching(`{topic="${topic}",partition="0"} [0-9.]+$`)]);
    const { checks } = (await operator.get('/doctor')).body as DoctorReport;
    expect(checks.find(({ name }) => name === 'kafka.registry')).toMatchObject({
      ...{ state: 'failed', detail: expect.stringContaining('http-503') as string },
    });
    expect((await ask('/health/ready')).status).toBe(200);
  });

  it('goes on where it stood once it is back, and has set nothing aside', async () => {
    registry.mood = 'well';
    await awaitEffects(harness.sandboxUrl, 3);
    expect((await readLedger(harness.sandboxUrl)).at(-1)).toMatchObject({ operation: 'transaction', key: 'web-1' });
    await waitUntil(async () => (await waits()).length === 0, { what: 'nothing to wait', timeoutMs: 30_000 });
    expect(await queryOnce(harness.database.url, 'SELECT reason FROM quarantine')).toEqual([]);
  });
});
