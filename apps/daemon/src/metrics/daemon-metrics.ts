import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

import type { Observation } from '#delivery';
import type { IngestMetrics } from '#ingest';

const deliverySecondsBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 600, 3_600, 86_400];
const requestSecondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** The metrics of contracts.md section 8 that ingest and delivery fill. Labels never hold a member. */
export class DaemonMetrics {
  readonly registry = new Registry();
  private readonly registers = [this.registry];

  private readonly ingested = new Counter({
    name: 'loyaltyd_events_ingested_total',
    help: 'Source records consumed, by topic and result (recorded, quarantined, or why it was ignored)',
    labelNames: ['topic', 'result'],
    registers: this.registers,
  });
  private readonly quarantinedRecords = new Counter({
    name: 'loyaltyd_quarantined_total',
    help: 'Source records set aside, by reason',
    labelNames: ['reason'],
    registers: this.registers,
  });
  private readonly lag = new Gauge({
    name: 'loyaltyd_consumer_lag',
    help: 'Records behind the high watermark after the last batch',
    labelNames: ['topic', 'partition'],
    registers: this.registers,
  });
  private readonly gaps = new Counter({
    name: 'loyaltyd_source_gap_total',
    help: 'Partitions stopped because the topic retention overtook us',
    registers: this.registers,
  });
  private readonly deliveries = new Counter({
    name: 'loyaltyd_deliveries_total',
    help: 'Attempts by outcome (applied, rejected, not-applied, unknown)',
    labelNames: ['program', 'operation', 'outcome'],
    registers: this.registers,
  });
  private readonly deliverySeconds = new Histogram({
    name: 'loyaltyd_delivery_seconds',
    help: 'Broker timestamp to delivered',
    buckets: deliverySecondsBuckets,
    registers: this.registers,
  });
  private readonly requestSeconds = new Histogram({
    name: 'loyaltyd_partner_request_seconds',
    help: 'Calls to the partner, by operation and outcome code',
    labelNames: ['operation', 'code'],
    buckets: requestSecondsBuckets,
    registers: this.registers,
  });
  private readonly unknown = new Counter({
    name: 'loyaltyd_unknown_total',
    help: 'Unknown outcomes: open when evidence is looked for, then how each was resolved, or parked',
    labelNames: ['operation', 'resolution'],
    registers: this.registers,
  });
  private readonly outcomes = new Counter({
    name: 'loyaltyd_outcomes_published_total',
    help: 'Events published to the outcomes topic, by type',
    labelNames: ['type'],
    registers: this.registers,
  });
  private readonly replayed = new Counter({
    name: 'loyaltyd_replay_items_total',
    help: 'Items of replays that have come to an end, by what it was',
    labelNames: ['result'],
    registers: this.registers,
  });
  private readonly clockOffset = new Gauge({
    name: 'loyaltyd_clock_offset_seconds',
    help: 'How far the clock moved when it was last anchored to the database',
    registers: this.registers,
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  readonly ingest: IngestMetrics = {
    eventsIngested: (topic, result, count) => {
      this.ingested.inc({ topic, result }, count);
    },
    quarantined: (reason, count) => {
      this.quarantinedRecords.inc({ reason }, count);
    },
    consumerLag: ({ topic, partition }, records) => {
      this.lag.set({ topic, partition: String(partition) }, records);
    },
    sourceGap: () => {
      this.gaps.inc();
    },
  };

  outcomesPublished(type: string, count: number): void {
    this.outcomes.inc({ type }, count);
  }

  replayItems(result: string, count: number): void {
    this.replayed.inc({ result }, count);
  }

  clockMoved(ms: number): void {
    this.clockOffset.set(ms / 1_000);
  }

  observe(observation: Observation): void {
    const resolution = unknownResolution(observation);
    if (resolution !== null) this.unknown.inc(resolution);
    if (observation.kind !== 'attempt') return;
    const { program, operation, outcome, code, durationMs, sinceBrokerMs } = observation;
    this.deliveries.inc({ program, operation, outcome });
    this.requestSeconds.observe({ operation, code }, durationMs / 1_000);
    if (outcome === 'applied') this.deliverySeconds.observe(sinceBrokerMs / 1_000);
  }
}

/** What an observation says about an unknown outcome; null when it says nothing. */
function unknownResolution(
  observation: Observation,
): { readonly operation: string; readonly resolution: string } | null {
  switch (observation.kind) {
    case 'fenced':
    case 'auto-paused':
      return null;
    case 'resolved':
      return { operation: observation.operation, resolution: observation.resolution };
    case 'parked':
      return observation.reason === 'unknown-outcome'
        ? { operation: observation.operation, resolution: 'parked' }
        : null;
    case 'attempt': {
      const { operation, resolution, outcome, status } = observation;
      if (resolution !== null) return { operation, resolution };
      return outcome === 'unknown' ? { operation, resolution: status === 'parked' ? 'parked' : 'open' } : null;
    }
  }
}
