import type { Upcaster } from '#contracts';
import { UPCASTERS } from '#contracts';
import { testDatabase } from '#test-support';
import { createTopics, kafkaClient, testBroker, testTopics } from '#test-support';
import { MemberKeys } from '#intents';
import { SystemRandom } from '#platform';

import { eventMessage, purchase } from '../testing/events.js';
import { IngestHarness } from '../testing/ingest-harness.js';

const broker = await testBroker();
const kafka = kafkaClient(broker);

const older = 'loyalty.purchase.completed.v0';
const newest = 'loyalty.purchase.completed.v1';

interface OlderPurchase {
  readonly card: string;
  readonly total: string;
}

/** In the older version a total was text in euros and the member was a card. */
const toNewest: Upcaster = {
  to: newest,
  upcast: (data) => {
    const { card, total, ...rest } = data as OlderPurchase;
    const minor = Math.round(Number(total) * 100);
    return { ...rest, memberId: card, total: { minor, currency: 'EUR', digits: 2 } };
  },
};

/** The registry as it is when a type has an older version. */
const registry = UPCASTERS as Map<string, Upcaster>;

describe('an event of an older version', () => {
  const topics = testTopics();
  let harness: IngestHarness;
  let dispose: () => Promise<void>;

  beforeAll(async () => {
    registry.set(older, toNewest);
    const database = await testDatabase();
    dispose = () => database.dispose();
    await createTopics(broker, topics.all, 1);
    const { groupId } = topics;
    harness = await IngestHarness.open({ kafka, brokers: broker.brokers, databaseUrl: database.url, topics, groupId });
    await harness.start();
  });

  afterAll(async () => {
    registry.delete(older);
    await harness.close();
    await dispose();
  });

  const sale = (id: string, total = '59.99') => {
    const { value } = eventMessage({ id, name: newest, frame: { type: older } });
    const event = JSON.parse(value) as { data: Record<string, unknown> };
    const { memberId: _memberId, ...rest } = event.data;
    const data = { ...rest, purchaseId: 'old-1', card: 'm_old', total };
    return {
      key: 'm_old',
      value: JSON.stringify({ ...event, data }),
      headers: { 'content-type': 'application/cloudevents+json' },
    };
  };

  it('becomes the intent of the newest one; what is stored is what was sent', async () => {
    const sent = sale('1');
    await harness.send(topics.purchases, sent);
    await harness.hasCounted('recorded', 1);
    const [row] = await harness.rows<{
      lane_id: string;
      payload: Buffer;
      wrapped_key: Buffer;
      amount: string;
      type: string;
    }>(
      `SELECT i.lane_id::text, payload, wrapped_key, amount::text, event_type AS type
       FROM intent i JOIN member_key USING (lane_id)`,
    );
    expect(row).toMatchObject({ amount: '59.99', type: newest });
    const keys = new MemberKeys(harness.keys.keyring, new SystemRandom());
    const laneId = Number(row!.lane_id);
    const text = keys.openFor({ laneId, seq: 1, key: keys.learn(laneId, row!.wrapped_key) }, row!.payload);
    const [command, source] = text.split('\n') as [string, string];
    expect(JSON.parse(command)).toMatchObject({ operation: 'transaction', uniqueId: 'm_old', amount: '59.99' });
    expect((JSON.parse(source) as { value: string }).value).toBe(sent.value);
  });

  it('is known again by what was sent, and conflicts with what was sent otherwise', async () => {
    await harness.send(topics.purchases, sale('1'), sale('1', '1.00'));
    await harness.hasCounted('duplicate-event', 1);
    await harness.hasCounted('quarantine:conflict', 1);
  });

  it('shares its business key with the newest version', async () => {
    await harness.send(
      topics.purchases,
      purchase('2', 'm_old', { purchaseId: 'old-1', total: { minor: 1, currency: 'EUR' } }),
    );
    await harness.hasCounted('quarantine:conflict', 2);
  });

  it('that no upcaster can lead further is set aside, and blocks nobody', async () => {
    registry.set(older, { ...toNewest, upcast: (data) => (data as { missing: { deep: unknown } }).missing.deep });
    await harness.send(topics.purchases, sale('3'), purchase('4', 'm_new'));
    await harness.hasCounted('quarantine:invalid', 1);
    await harness.hasCounted('recorded', 2);
    const [row] = await harness.rows(`SELECT detail FROM quarantine WHERE reason = 'invalid'`);
    expect(row).toEqual({ detail: 'prepare: TypeError' });
  });
});
