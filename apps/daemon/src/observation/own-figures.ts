import type { DeliveryLoop, GateState } from '#outbox';
import type { Ingest } from '#events/ingest';
import type { PartnerFigures, ProcessFigures } from '#intents';
import type { Clock } from '#platform';

import type { ConsumerLag } from './consumer-lag.js';
import type { PartnerCalls } from './partner-calls.js';

/** What this process runs; null where it does not. */
export interface Worked {
  readonly delivery: Pick<DeliveryLoop, 'gates'> | null;
  readonly ingest: Pick<Ingest, 'partitionPositions'> | null;
}

interface FigureTools {
  readonly clock: Clock;
  readonly calls: PartnerCalls;
  readonly lag: ConsumerLag;
}

/** What this process knows of its own work. */
export class OwnFigures {
  private worked: Worked = { delivery: null, ingest: null };

  constructor(private readonly tools: FigureTools) {}

  watch(worked: Worked): void {
    this.worked = worked;
  }

  get current(): ProcessFigures {
    const { clock, calls, lag } = this.tools;
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
