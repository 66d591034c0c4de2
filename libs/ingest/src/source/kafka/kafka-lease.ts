import kafkajs from 'kafkajs';
import type { EachBatchPayload } from 'kafkajs';

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

  constructor(private readonly payload: EachBatchPayload) {}

  /** Why the partition was lost: to be thrown to KafkaJS, which then joins the group again. */
  get failure(): Error | null {
    return this.lostBy;
  }

  /** Everything below is durable; null while nothing is, and once the partition was lost. */
  get nextOffset(): number | null {
    return this.lostBy === null ? this.acknowledged : null;
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
}
