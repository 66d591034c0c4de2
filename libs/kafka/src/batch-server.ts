import { BaseRpcContext, type CustomTransportStrategy, type MessageHandler, Server } from '@nestjs/microservices';
import { lastValueFrom } from 'rxjs';

import type { BatchLease, FetchedBatch, Source, SourceListener } from './driver.js';

/** The transport id that ties our handlers to our server, whatever else the application listens to. */
export const kafkaBatchTransport = Symbol('kafka-batch');

/** What a handler gets. */
export interface BatchDelivery {
  readonly batch: FetchedBatch;
  readonly lease: BatchLease;
}

/** Consumes fetched batches: what a topic's handler gives its batches to. */
export abstract class BatchConsumer {
  abstract consume(batch: FetchedBatch, lease: BatchLease): Promise<void>;
}

/** Decides from which offset each partition continues, and hears what happens beside batches. */
export interface PositionKeeper extends Pick<SourceListener, 'assigned' | 'skipped'> {
  /** Nothing new is begun from now on: what is in hand comes to its end. */
  closing(): void;
  /** The group has been left. */
  closed(): void;
}

interface KafkaBatchServerOptions {
  readonly source: Source;
  readonly keeper: PositionKeeper;
  /** Topic -> pattern of the handler that takes its batches. */
  readonly patternOf: (topic: string) => string;
}

/**
 * Nest's transport for batches: one `@EventPattern` handler per topic gets a whole fetched batch, and the batch is
 * done when the handler is. Nest's own Kafka server hands over record by record, appends `-server` to the group id,
 * and repeats a throwing event handler for ever (design.md section 12).
 *
 * Guards, pipes and filters run once per batch, not per record, and no error needs them: the handler reports what was
 * consumed by acknowledging it, and whatever is not acknowledged is fetched again.
 */
export class KafkaBatchServer extends Server implements CustomTransportStrategy {
  override readonly transportId = kafkaBatchTransport;
  /** A handler that fails must fail its batch, not only be logged. */
  override readonly propagatesEventHandlerErrors = true;

  /** By topic: Nest looks for one by parsing its pattern, and by failing to. */
  private readonly handlers = new Map<string, MessageHandler>();

  constructor(private readonly options: KafkaBatchServerOptions) {
    super();
  }

  /** Begins consuming and returns; the broker need not be there yet. */
  listen(callback: () => void): void {
    const { source, keeper } = this.options;
    source.start({
      assigned: (partitions) => keeper.assigned(partitions),
      skipped: (range) => keeper.skipped(range),
      batch: (batch, lease) => this.handle({ batch, lease }),
    });
    callback();
  }

  /** Ends after the open transactions: nothing acknowledged is lost, nothing unacknowledged is half done. */
  async close(): Promise<void> {
    const { source, keeper } = this.options;
    keeper.closing();
    await source.stop();
    keeper.closed();
  }

  /** There are no events to subscribe to. */
  on(): void {
    throw new Error('the batch transport has no events');
  }

  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the signature is Nest's
  unwrap<T>(): T {
    return this.options.source as T;
  }

  private async handle(delivery: BatchDelivery): Promise<void> {
    const { topic, partition } = delivery.batch;
    const handler = this.handlers.get(topic) ?? this.findHandler(topic);
    const result: unknown = await handler(delivery, new BaseRpcContext([topic, partition]));
    await lastValueFrom(this.transformToObservable(result), { defaultValue: undefined });
  }

  private findHandler(topic: string): MessageHandler {
    const handler = this.getHandlerByPattern(this.options.patternOf(topic));
    if (handler === null) throw new Error(`no handler takes batches of ${topic}`);
    this.handlers.set(topic, handler);
    return handler;
  }
}
