import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';

import type { DeliveryLoop } from '#delivery';
import { DeliveryLoop as DeliveryLoopToken } from '#delivery';
import type { Gateway } from '#gateway';
import { PARTNER } from '#gateway';
import type { IngestSettings } from '#ingest';
import { IngestModule } from '#ingest';
import type { ApiSettings, ProbeSource } from '#operations';
import { OperationsModule } from '#operations';

/** The parts of this process; null where it lacks the role. */
export interface DaemonParts {
  readonly probes: ProbeSource;
  readonly api: ApiSettings | null;
  readonly ingest: IngestSettings | null;
  readonly gateway: Gateway | null;
  readonly delivery: DeliveryLoop | null;
}

/** The only place that puts ingest, delivery, gateway and operations together. */
@Module({})
export class DaemonModule {
  static forRoot({ probes, api, ingest, gateway, delivery }: DaemonParts): DynamicModule {
    return {
      module: DaemonModule,
      imports: [OperationsModule.forRoot(probes, api), ...(ingest === null ? [] : [IngestModule.forRoot(ingest)])],
      providers: [
        { provide: PARTNER, useValue: gateway?.partner ?? null },
        { provide: DeliveryLoopToken, useValue: delivery },
      ],
    };
  }
}
