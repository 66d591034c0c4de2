import kafkajs from 'kafkajs';
import type { EachBatchPayload, Offsets } from 'kafkajs';

import { recordingLogger } from '../../testing/recording-log.js';
import { asKafkaError, KafkaLease } from './kafka-lease.js';

interface Told {
  readonly resolved: string[];
  readonly committed: Offsets[];
}

function leaseOn(more: Partial<EachBatchPayload> = {}): { lease: KafkaLease; told: Told } {
  const told: Told = { resolved: [], committed: [] };
  const payload = {
    batch: { topic: 'p', partition: 3 },
    resolveOffset: (offset: string) => {
      told.resolved.push(offset);
    },
    commitOffsetsIfNecessary: async (offsets: Offsets) => {
      told.committed.push(offsets);
    },
    heartbeat: async () => undefined,
    ...more,
  } as unknown as EachBatchPayload;
  return { lease: new KafkaLease(payload, recordingLogger().logger), told };
}

function failing(error: Error): () => Promise<never> {
  return () => Promise.reject(error);
}

describe('a lease on a batch', () => {
  it('resolves the last durable offset and commits the next one, once', async () => {
    const { lease, told } = leaseOn();
    lease.acknowledge(500);
    lease.acknowledge(700);
    await lease.commit();
    expect(told.resolved).toEqual(['499', '699']);
    expect(told.committed).toEqual([{ topics: [{ topic: 'p', partitions: [{ partition: 3, offset: '700' }] }] }]);
  });

  it('commits nothing when nothing is durable', async () => {
    const { lease, told } = leaseOn();
    await lease.commit();
    expect(told.committed).toEqual([]);
  });

  it('survives a commit that fails: it is only a hint', async () => {
    const { lease } = leaseOn({ commitOffsetsIfNecessary: failing(new Error('broker away')) });
    lease.acknowledge(1);
    await lease.commit();
    expect(lease.failure).toBeNull();
  });

  it('is lost when a heartbeat fails, and then commits nothing', async () => {
    const rebalance = new kafkajs.KafkaJSProtocolError(new Error('rebalancing'));
    const { lease, told } = leaseOn({ heartbeat: failing(rebalance) });
    lease.acknowledge(1);
    await expect(lease.heartbeat()).rejects.toBe(rebalance);
    await lease.commit();
    expect(lease.failure).toBe(rebalance);
    expect(told.committed).toEqual([]);
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
