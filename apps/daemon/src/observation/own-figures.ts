import { Inject, Injectable } from '@nestjs/common';

import type { DeliveryLoop, GateState } from '#outbox';
import type { Ingest } from '#events/ingest';
import type { PartnerFigures, ProcessFigures } from '#intents';
import { Clock } from '#platform';

import { Platform } from '../platform.module.js';

/** What this process runs; null where it does not. */
export interface Worked {
  readonly delivery: Pick<DeliveryLoop, 'gates'> | null;
  readonly ingest: Pick<Ingest, 'partitionPositions'> | null;
}

/** What this process knows of its own work. */
@Injectable()
export class OwnFigures {
  private worked: Worked = { delivery: null, ingest: null };

  constructor(
    private readonly clock: Clock,
    @Inject(Platform) private readonly platform: Pick<Platform, 'calls' | 'lag'>,
  ) {}

  watch(worked: Worked): void {
    this.worked = worked;
  }

  get current(): ProcessFigures {
    const { clock } = this;
    const { calls, lag } = this.platform;
    const { delivery, ingest } = this.worked;
    const counts = calls.countsAt(clock.monotonic());
    const partnerOf = ([program, gate]: [string, GateState]): [string, PartnerFigures] => [
      program,
      { ...gate, calls: counts.get(program) ?? {} },
    ];
    return {
      partner: Object.fromEntries([...(delivery?.gates ?? [])].map(partnerOf)),
      lag: ingest === null ? {} : lag.figuresAt(clock.now(), ingest.partitionPositions()),
    };
  }
}
