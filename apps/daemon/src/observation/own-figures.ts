import type { DeliveryLoop, GateState } from '#delivery';
import type { Ingest } from '#ingest';
import type { PartnerFigures, ProcessFigures } from '#intents';
import { sumFigures } from '#intents';
import type { Clock } from '#platform';

import type { WorkerPool } from '../workers/worker-pool.js';
import type { ConsumerLag } from './consumer-lag.js';
import type { PartnerCalls } from './partner-calls.js';

/** What this thread runs; null where it does not. */
export interface Worked {
  readonly delivery: Pick<DeliveryLoop, 'gates'> | null;
  readonly ingest: Pick<Ingest, 'partitionPositions'> | null;
  readonly workers: Pick<WorkerPool, 'figures'> | null;
}

interface FigureTools {
  readonly clock: Clock;
  readonly calls: PartnerCalls;
  readonly lag: ConsumerLag;
}

/** What this thread knows of its own work, and of that of its workers. */
export class OwnFigures {
  private worked: Worked = { delivery: null, ingest: null, workers: null };

  constructor(private readonly tools: FigureTools) {}

  watch(worked: Worked): void {
    this.worked = worked;
  }

  get current(): ProcessFigures {
    const { workers } = this.worked;
    return sumFigures([this.ofThread(), ...(workers?.figures ?? [])]);
  }

  private ofThread(): ProcessFigures {
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
