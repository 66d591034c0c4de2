import type { Consumer } from 'kafkajs';

import { waitUntil } from '#embedded';
import type { RunningProcess } from '#test-support';
import { kafkaClient } from '#test-support';

import type { Harness } from './harness.js';
import { openHarness } from './harness.js';
import { enrolled, produce, purchased } from './traffic.js';

interface OutcomeEvent {
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

describe('a shop that listens to the outcomes', () => {
  let harness: Harness;
  let consumer: Consumer;
  let publisher: RunningProcess;
  const heard: OutcomeEvent[] = [];

  beforeAll(async () => {
    harness = await openHarness();
    consumer = kafkaClient(harness.broker).consumer({
      groupId: `${harness.topics.outcomes}.shop`,
      maxWaitTimeInMs: 100,
    });
    await consumer.connect();
    await consumer.subscribe({ topics: [harness.topics.outcomes], fromBeginning: true });
    await consumer.run({
      eachMessage: async ({ message }) => {
        heard.push(JSON.parse(String(message.value)) as OutcomeEvent);
      },
    });
  });

  afterAll(async () => {
    await consumer.disconnect();
    await harness.close();
  });

  const heardOf = (memberId: string): string[] =>
    heard.filter(({ data }) => data['memberId'] === memberId).map(({ type }) => type);

  it('learns its member\u2019s download links, and what was delivered', async () => {
    publisher = await harness.startDaemon();
    await produce(harness.broker, harness.topics, [enrolled('o-1'), purchased('o-1', 'o-1-p')]);
    await waitUntil(() => heardOf('o-1').length >= 3, { what: 'three outcomes', timeoutMs: 30_000 });
    expect(heardOf('o-1').slice(0, 2)).toEqual(['loyalty.pass.issued.v1', 'loyalty.intent.delivered.v1']);
    const pass = heard.find(({ type }) => type === 'loyalty.pass.issued.v1');
    expect(pass?.data).toMatchObject({
      program: 'coffee-club',
      memberId: 'o-1',
      serialNumber: expect.any(String) as string,
      downloadUrl: expect.stringMatching(/^http/) as string,
      downloadUrlApple: expect.stringMatching(/^http/) as string,
      downloadUrlGoogle: expect.stringMatching(/^http/) as string,
      statusCode: 'ACTIVE',
    });
    expect(heard.find(({ data }) => data['operation'] === 'transaction')?.data).toMatchObject({
      purchaseId: 'o-1-p',
      cause: { topic: harness.topics.purchases },
    });
  });

  it('hears the rest from another process when the first one is killed', async () => {
    await harness.startDaemon();
    publisher.kill('SIGKILL');
    await publisher.exited;
    await produce(harness.broker, harness.topics, [enrolled('o-2')]);
    await waitUntil(() => heardOf('o-2').length >= 2, { what: 'two outcomes', timeoutMs: 60_000 });
    expect(new Set(heard.map(({ id }) => id)).size).toBeGreaterThanOrEqual(5);
  });
});
