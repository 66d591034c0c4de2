import type {
  BeforeApplicationShutdown,
  OnApplicationBootstrap,
  OnApplicationShutdown,
  OnModuleDestroy,
} from '@nestjs/common';
import { ConfigurableModuleBuilder, Inject, Module } from '@nestjs/common';

import { createIngest, createKafkaPorts, type Ingest } from './create-ingest.js';
import type { IngestSettings } from './ingest-settings.js';
import { IngestLoop } from './loop/ingest-loop.js';
import { IngestController } from './transport/ingest.controller.js';
import { KafkaBatchServer } from './transport/kafka-batch-server.js';

/** Injection token of `Ingest`. */
export const INGEST = Symbol('Ingest');

/** Injection token of `IngestPorts`: where the records come from and the dead letters go; Kafka, unless overridden. */
export const INGEST_PORTS = Symbol('IngestPorts');

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<IngestSettings>()
  .setClassMethodName('forRoot')
  .build();

/**
 * Ingest as a Nest module, by `forRoot(IngestSettings)` or `forRootAsync({ imports, inject, useFactory })`. It consumes once
 * its server is connected as a microservice:
 * `app.connectMicroservice({ strategy: app.get(KafkaBatchServer) }); await app.startAllMicroservices();`
 *
 * As the application ends it fetches no more at once, and the open transactions end before the application shuts down; what it
 * does beside consuming (dead letters, erasures) goes on until then.
 */
@Module({
  controllers: [IngestController],
  providers: [
    { provide: INGEST_PORTS, inject: [MODULE_OPTIONS_TOKEN], useFactory: createKafkaPorts },
    { provide: INGEST, inject: [MODULE_OPTIONS_TOKEN, INGEST_PORTS], useFactory: createIngest },
    { provide: IngestLoop, inject: [INGEST], useFactory: (ingest: Ingest) => ingest.loop },
    { provide: KafkaBatchServer, inject: [INGEST], useFactory: (ingest: Ingest) => ingest.server },
  ],
  exports: [INGEST, KafkaBatchServer],
})
export class IngestModule
  extends ConfigurableModuleClass
  implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown, OnApplicationShutdown
{
  private consumed: Promise<void> | null = null;

  constructor(@Inject(INGEST) private readonly ingest: Ingest) {
    super();
  }

  onApplicationBootstrap(): void {
    this.ingest.deadLetters?.start();
    this.ingest.erasures.start();
  }

  onModuleDestroy(): void {
    this.consumed = this.ingest.server.close();
    // Awaited below, when all intake has been stopped.
    this.consumed.catch(() => undefined);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.consumed;
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.ingest.deadLetters?.stop(), this.ingest.erasures.stop()]);
  }
}
