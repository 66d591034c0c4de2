import type { DynamicModule, OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Inject, Injectable, Module } from '@nestjs/common';

import { createIngest, type Ingest, type IngestPorts } from './create-ingest.js';
import type { IngestSettings } from './ingest-settings.js';
import { IngestLoop } from './loop/ingest-loop.js';
import { IngestController } from './transport/ingest.controller.js';
import { KafkaBatchServer } from './transport/kafka-batch-server.js';

/** Injection token of `Ingest`. */
export const INGEST = Symbol('ingest');

/** Starts and ends what ingest does beside consuming, with the application. */
@Injectable()
class BackgroundLife implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(@Inject(INGEST) private readonly ingest: Ingest) {}

  onApplicationBootstrap(): void {
    this.ingest.deadLetters?.start();
    this.ingest.erasures.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.ingest.deadLetters?.stop(), this.ingest.erasures.stop()]);
  }
}

/**
 * Ingest as a Nest module. It consumes once its server is connected as a microservice:
 * `app.connectMicroservice({ strategy: app.get(KafkaBatchServer) }); await app.startAllMicroservices();`
 */
@Module({})
export class IngestModule {
  /** @param ports where the records come from and the dead letters go; by default Kafka */
  static forRoot(settings: IngestSettings, ports?: IngestPorts): DynamicModule {
    return {
      module: IngestModule,
      controllers: [IngestController],
      providers: [
        { provide: INGEST, useFactory: () => createIngest(settings, ports) },
        { provide: IngestLoop, useFactory: (ingest: Ingest) => ingest.loop, inject: [INGEST] },
        { provide: KafkaBatchServer, useFactory: (ingest: Ingest) => ingest.server, inject: [INGEST] },
        BackgroundLife,
      ],
      exports: [INGEST, KafkaBatchServer],
    };
  }
}
