import type { Message } from 'kafkajs';

import type { TestTopics } from '#test-support';
import { kafkaClient } from '#test-support';

type TopicName = 'members' | 'purchases' | 'rewards';

/** One event to be produced. */
export interface Emission {
  readonly topic: TopicName;
  readonly message: Message;
}

const headers = { 'content-type': 'application/cloudevents+json' };

/** A structured CloudEvent about a member of `coffee-club`. */
export function emission(
  topic: TopicName,
  type: string,
  data: { readonly memberId: string; readonly id: string } & Record<string, unknown>,
): Emission {
  const { id, ...rest } = data;
  const event = {
    specversion: '1.0',
    id,
    source: '/pos/test/till-1',
    type: `loyalty.${type}.v1`,
    time: '2026-11-20T10:00:00Z',
    data: { program: 'coffee-club', ...rest },
  };
  return { topic, message: { key: data.memberId, value: JSON.stringify(event), headers } };
}

export function enrolled(memberId: string): Emission {
  const person = { firstName: 'Ada', email: `${memberId}@example.org` };
  return emission('members', 'member.enrolled', { id: `e-${memberId}`, memberId, person, pass: { points: 0 } });
}

export function purchased(memberId: string, purchaseId: string, storeId = 'berlin-07'): Emission {
  const total = { minor: 1_250, currency: 'EUR', digits: 2 };
  return emission('purchases', 'purchase.completed', {
    id: `p-${purchaseId}`,
    memberId,
    purchaseId,
    channel: 'pos',
    storeId,
    total,
    lines: [],
  });
}

export function refunded(memberId: string, purchaseId: string, refundId: string): Emission {
  const total = { minor: 250, currency: 'EUR', digits: 2 };
  const data = { id: `r-${refundId}`, memberId, refundId, purchaseId, storeId: 'berlin-07', total, reason: 'return' };
  return emission('purchases', 'purchase.refunded', data);
}

export function voided(memberId: string, purchaseId: string): Emission {
  const total = { minor: 1_250, currency: 'EUR', digits: 2 };
  const data = { id: `v-${purchaseId}`, memberId, purchaseId, storeId: 'berlin-07', total, reason: 'cashier void' };
  return emission('purchases', 'purchase.voided', data);
}

export function granted(memberId: string, grantId: string): Emission {
  return emission('rewards', 'reward.granted', { id: `g-${grantId}`, memberId, grantId, reward: 'free-coffee' });
}

const sendBatchSize = 500;

/** Produces the emissions, in order per topic. */
export async function produce(
  broker: Parameters<typeof kafkaClient>[0],
  topics: Pick<TestTopics, TopicName>,
  emissions: readonly Emission[],
): Promise<void> {
  const producer = kafkaClient(broker).producer();
  await producer.connect();
  try {
    for (let from = 0; from < emissions.length; from += sendBatchSize) {
      const groups = Map.groupBy(emissions.slice(from, from + sendBatchSize), ({ topic }) => topic);
      await producer.sendBatch({
        topicMessages: [...groups].map(([topic, items]) => ({
          topic: topics[topic],
          messages: items.map(({ message }) => message),
        })),
      });
    }
  } finally {
    await producer.disconnect();
  }
}
