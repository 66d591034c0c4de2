import kafkajs from 'kafkajs';
import type { EachBatchPayload } from 'kafkajs';

import type { Logger } from '#platform';
import type { BatchLease } from '../source.js';

/** A KafkaJS error passes; any other would stop the consumer for good or be taken for a defect of the handler. */
export function asKafkaError(error: unknown): Error {
  if (error instanceof kafkajs.KafkaJSError) return error;
  return new kafkajs.KafkaJSError(error instanceof Error ? error : String(error), { retriable: true });
}

/** The hold on one batch, on top of what `eachBatch` hands over. */
export class KafkaLease implements BatchLease {
  private acknowledged: number | null = null;
  private lostBy: Error | null = null;

  constructor(
    private readonly payload: EachBatchPayload,
    private readonly logger: Logger,
  ) {}

  /** Why the partition was lost: to be thrown to KafkaJS, which then joins the group again. */
  get failure(): Error | null {
    return this.lostBy;
  }

  acknowledge(nextOffset: number): void {
    try {
      this.payload.resolveOffset(String(nextOffset - 1));
      this.acknowledged = nextOffset;
    } catch (error) {
      // After a rejoin KafkaJS may no longer know the topic. The stored offset is the truth; nothing is lost.
      this.lostBy ??= asKafkaError(error);
    }
  }

  async heartbeat(): Promise<void> {
    try {
      await this.payload.heartbeat();
    } catch (error) {
      this.lostBy ??= asKafkaError(error);
      throw this.lostBy;
    }
  }

  /** Tells the broker how far we are. Only a hint for tools that watch the group: a failure costs nothing. */
  async commit(): Promise<void> {
    if (this.acknowledged === null || this.lostBy !== null) return;
    const { topic, partition } = this.payload.batch;
    const partitions = [{ partition, offset: String(this.acknowledged) }];
    try {
      await this.payload.commitOffsetsIfNecessary({ topics: [{ topic, partitions }] });
    } catch (error) {
      const { message } = asKafkaError(error);
      this.logger.debug({ topic, partition, error: message }, 'the offset was not committed to Kafka');
    }
  }
}
