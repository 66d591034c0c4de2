import kafkajs from 'kafkajs';
import type { EachBatchPayload } from 'kafkajs';
import { asKafkaError, KafkaLease } from './consumer-life.js';

function leaseOn(more: Partial<EachBatchPayload> = {}): { lease: KafkaLease; resolved: string[] } {
  const resolved: string[] = [];
  const payload = {
    batch: { topic: 'p', partition: 3 },
    resolveOffset: (offset: string) => {
      resolved.push(offset);
    },
    heartbeat: async () => undefined,
    ...more,
  } as unknown as EachBatchPayload;
  return { lease: new KafkaLease(payload), resolved };
}

function failing(error: Error): () => Promise<never> {
  return () => Promise.reject(error);
}

describe('a lease on a batch', () => {
  it('resolves the last durable offset and knows the next one', () => {
    const { lease, resolved } = leaseOn();
    expect(lease.nextOffset).toBeNull();
    lease.acknowledge(500);
    lease.acknowledge(700);
    expect(resolved).toEqual(['499', '699']);
    expect(lease.nextOffset).toBe(700);
  });

  it('is lost when a heartbeat fails, and then knows nothing to tell', async () => {
    const rebalance = new kafkajs.KafkaJSProtocolError(new Error('rebalancing'));
    const { lease } = leaseOn({ heartbeat: failing(rebalance) });
    lease.acknowledge(1);
    await expect(lease.heartbeat()).rejects.toBe(rebalance);
    expect(lease.failure).toBe(rebalance);
    expect(lease.nextOffset).toBeNull();
  });

  it('is lost when KafkaJS no longer knows the partition', () => {
    const unknown = (): void => {
      throw new TypeError("Cannot set properties of undefined (setting '3')");
    };
    const { lease } = leaseOn({ resolveOffset: unknown });
    lease.acknowledge(1);
    expect(lease.failure).toBeInstanceOf(kafkajs.KafkaJSError);
  });
});

describe('what escapes to KafkaJS', () => {
  it.each([new TypeError('x'), new RangeError('x'), new Error('x'), 'text', null])(
    'is an error that it retries, whatever was thrown: %p',
    (thrown) => {
      const error = asKafkaError(thrown);
      expect(error).toBeInstanceOf(kafkajs.KafkaJSError);
      expect(error).toHaveProperty('retriable', true);
    },
  );

  it('is its own error unchanged', () => {
    const own = new kafkajs.KafkaJSNonRetriableError('own');
    expect(asKafkaError(own)).toBe(own);
  });
});
