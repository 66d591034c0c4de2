import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

import type { Environment } from '#contracts';
import type { AttemptObservation, Observation } from '#outbox';
import { isUnprovenCode } from '#intents/core';
import type { Ingest, IngestMetrics } from '#events/ingest';
import type { TopicPartition } from '#kafka';
import { unreadReasons } from '#kafka';

import { closedLabel, codeLabel, labelSets, otherLabel } from './label-sets.js';

type LabelValues = Readonly<Record<string, readonly string[]>>;

function combinations(values: LabelValues): Record<string, string>[] {
  let all: Record<string, string>[] = [{}];
  for (const [label, options] of Object.entries(values)) {
    all = all.flatMap((labels) => options.map((option) => ({ ...labels, [label]: option })));
  }
  return all;
}

/** Every series of a counter exists from the start: a rate does not see one that begins at 1. */
function beginAtZero(counter: Counter, values: LabelValues): void {
  for (const labels of combinations(values)) counter.inc(labels, 0);
}

/** The labels of `loyaltyd_unknown_total`. */
type Resolution = Readonly<Record<'operation' | 'resolution', string>>;

/** What an observation says about an unknown outcome; null when it says nothing. */
function unknownResolution(observation: Observation): Resolution | null {
  const labels = resolutionOf(observation);
  return labels === null ? null : { ...labels, resolution: closedLabel(labelSets.resolution, labels.resolution) };
}

function resolutionOf(observation: Observation): Resolution | null {
  switch (observation.kind) {
    case 'fenced':
    case 'auto-paused':
    case 'auto-resumed':
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

const deliverySecondsBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 600, 3_600, 86_400];
const requestSecondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** How often it is looked whether the event loop turns: that wakes a process with nothing to do. */
const lagPrecisionMs = 100;

/** How many records of a partition are still to be consumed. */
export interface PartitionLag {
  readonly topic: string;
  readonly partition: number;
  readonly records: number;
}

/**
 * The metrics of contracts.md section 8 that ingest and delivery fill. Every label is of a closed set: whatever a partner or
 * a producer says makes no series. Counters begin at 0, so that a rate sees the first one, too.
 */
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
  private readonly recordKeys = new Counter({
    name: 'loyaltyd_record_keys_total',
    help: 'Source records recorded although their key is not their member, by topic and key (other, none)',
    labelNames: ['topic', 'key'],
    registers: this.registers,
  });
  private readonly lag = new Gauge({
    name: 'loyaltyd_consumer_lag',
    help: 'Records behind the end of the partition',
    labelNames: ['topic', 'partition'],
    registers: this.registers,
  });
  private readonly transactions = new Gauge({
    name: 'loyaltyd_open_transaction_seconds',
    help: 'For how long a transaction of a producer has hidden all later records of the partition; 0: below a minute',
    labelNames: ['topic', 'partition'],
    aggregator: 'max',
    registers: this.registers,
  });
  private readonly waits = new Gauge({
    name: 'loyaltyd_source_waiting_seconds',
    help: 'For how long a partition has waited for what its records are read by, such as a schema registry; absent: it does not',
    labelNames: ['topic', 'partition'],
    aggregator: 'max',
    registers: this.registers,
    collect: () => this.collectWaits(),
  });
  private readonly twoPartitions = new Counter({
    name: 'loyaltyd_members_in_two_partitions_total',
    help: 'Members whose records were found in two partitions of a topic: their order is not kept',
    labelNames: ['topic'],
    registers: this.registers,
  });
  private readonly unread = new Gauge({
    name: 'loyaltyd_unread_partitions',
    help: 'Partitions that nobody reads, of the group of shards that this process leads',
    labelNames: ['reason'],
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
  private readonly unproven = new Counter({
    name: 'loyaltyd_unproven_answers_total',
    help: 'Answers with a 2xx that proved nothing, or showed something else than was asked, by program and operation',
    labelNames: ['program', 'operation'],
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
  private readonly ended = new Counter({
    name: 'loyaltyd_job_items_total',
    help: 'Items of jobs that have come to an end, by what it was',
    labelNames: ['result'],
    registers: this.registers,
  });
  private readonly clockOffset = new Gauge({
    name: 'loyaltyd_clock_offset_seconds',
    help: 'How far our clock was behind the database when it was last measured',
    registers: this.registers,
  });
  private readonly clockJumps = new Counter({
    name: 'loyaltyd_clock_jumps_total',
    help: 'How often our clock and the clock of the database were found apart by more than drift',
    registers: this.registers,
  });
  private readonly atDoor = new Counter({
    name: 'loyaltyd_door_events_total',
    help: 'Events and webhooks that came by HTTP, by source and result',
    labelNames: ['source', 'result'],
    registers: this.registers,
  });
  private readonly waitingAtDoor = new Gauge({
    name: 'loyaltyd_door_requests_under_way',
    help: 'Requests of the door that wait for Kafka',
    registers: this.registers,
  });
  private readonly programs = new Set<string>();
  private readonly sources = new Set<string>();

  private isSource: (topic: string) => boolean = () => false;
  private waiting: Ingest['waitingPartitions'] = () => [];

  /** @param topics those that are consumed in any case */
  constructor(private readonly topics: readonly string[]) {
    collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: lagPrecisionMs });
    const { operation, result, reason, key, resolution, ended, published } = labelSets;
    beginAtZero(this.ingested, { topic: topics, result });
    this.ingest.unreadPartitions([]);
    beginAtZero(this.recordKeys, { topic: topics, key });
    beginAtZero(this.twoPartitions, { topic: topics });
    beginAtZero(this.quarantinedRecords, { reason });
    beginAtZero(this.unknown, { operation, resolution });
    beginAtZero(this.ended, { result: ended });
    beginAtZero(this.outcomes, { type: published });
  }

  /** @param isSource whether the programs file in force has a topic read */
  knowTopics(isSource: (topic: string) => boolean): void {
    this.isSource = isSource;
  }

  /** @param waiting those of our partitions whose next record cannot be read yet */
  knowWaiting(waiting: Ingest['waitingPartitions']): void {
    this.waiting = waiting;
  }

  /** These are in the programs file. One that leaves it may still have calls under way. */
  knowPrograms(names: readonly string[]): void {
    const fresh = names.filter((name) => !this.programs.has(name));
    for (const name of fresh) this.programs.add(name);
    const perOperation = { program: fresh, operation: labelSets.operation };
    beginAtZero(this.deliveries, { ...perOperation, outcome: labelSets.outcome });
    beginAtZero(this.unproven, perOperation);
  }

  /** A program that a programs file has named, else `other`. */
  programLabel(name: string): string {
    return this.programs.has(name) ? name : otherLabel;
  }

  /** By these events may come by HTTP. */
  knowSources(names: readonly string[]): void {
    const fresh = names.filter((name) => !this.sources.has(name));
    for (const name of fresh) this.sources.add(name);
    beginAtZero(this.atDoor, { source: fresh, result: labelSets.door });
  }

  /** @param source null: none that is known */
  doorCounted(source: string | null, result: string, events: number): void {
    const label = source !== null && this.sources.has(source) ? source : otherLabel;
    this.atDoor.inc({ source: label, result: closedLabel(labelSets.door, result) }, events);
  }

  doorUnderWay(requests: number): void {
    this.waitingAtDoor.set(requests);
  }

  readonly ingest: IngestMetrics = {
    eventsIngested: (topic, result, count) => {
      const labels = { topic: this.topicLabel(topic), result: closedLabel(labelSets.result, result) };
      this.ingested.inc(labels, count);
    },
    quarantined: (reason, count) => {
      this.quarantinedRecords.inc({ reason: closedLabel(labelSets.reason, reason) }, count);
    },
    recordKeys: (topic, key, count) => {
      this.recordKeys.inc({ topic: this.topicLabel(topic), key: closedLabel(labelSets.key, key) }, count);
    },
    consumerLag: ({ topic, partition }, records) => {
      this.lag.set({ topic: this.topicLabel(topic), partition: String(partition) }, records);
    },
    memberInTwoPartitions: (topic) => this.twoPartitions.inc({ topic: this.topicLabel(topic) }),
    sourceGap: () => this.gaps.inc(),
    unreadPartitions: (partitions) => {
      for (const reason of unreadReasons) {
        this.unread.set({ reason }, partitions.filter((each) => each.reason === reason).length);
      }
    },
  };

  /** Of all partitions that are ours now; the others are forgotten. */
  consumerLags(lags: readonly PartitionLag[]): void {
    this.lag.reset();
    for (const { records, ...partition } of lags) this.ingest.consumerLag(partition, records);
  }

  /** Of all partitions that are ours now: for how long an open transaction hides what follows; 0: none, or shorter than a minute. */
  openTransactions(partitions: readonly (TopicPartition & { readonly ageMs: number })[]): void {
    this.transactions.reset();
    for (const { topic, partition, ageMs } of partitions) {
      const labels = { topic: this.topicLabel(topic), partition: String(partition) };
      this.transactions.set(labels, ageMs / 1_000);
    }
  }

  private collectWaits(): void {
    this.waits.reset();
    for (const { topic, partition, forMs } of this.waiting()) {
      this.waits.set({ topic: this.topicLabel(topic), partition: String(partition) }, forMs / 1_000);
    }
  }

  outcomesPublished(type: string, count: number): void {
    this.outcomes.inc({ type: closedLabel(labelSets.published, type) }, count);
  }

  jobItems(result: string, count: number): void {
    this.ended.inc({ result: closedLabel(labelSets.ended, result) }, count);
  }

  clockMoved(ms: number): void {
    this.clockOffset.set(ms / 1_000);
  }

  readonly clockJumped = (): void => this.clockJumps.inc();

  observe(observation: Observation): void {
    const resolution = unknownResolution(observation);
    if (resolution !== null) this.unknown.inc(resolution);
    if (observation.kind !== 'attempt' && observation.kind !== 'resolved') return;
    // Whether the partner said so or evidence was found later, a refusal of a duplicate included.
    if (observation.status === 'delivered') this.deliverySeconds.observe(observation.sinceBrokerMs / 1_000);
    if (observation.kind === 'attempt') this.countAttempt(observation);
  }

  private topicLabel(topic: string): string {
    return this.topics.includes(topic) || this.isSource(topic) ? topic : otherLabel;
  }

  private countAttempt({ program: name, operation, outcome, code, durationMs }: AttemptObservation): void {
    const program = this.programLabel(name);
    this.deliveries.inc({ program, operation, outcome });
    if (outcome === 'unknown' && isUnprovenCode(code)) this.unproven.inc({ program, operation });
    const label = codeLabel(code);
    if (label !== null) this.requestSeconds.observe({ operation, code: label }, durationMs / 1_000);
  }
}

export function createMetrics({ kafka }: Pick<Environment, 'kafka'>): DaemonMetrics {
  const { members, purchases, rewards } = kafka?.topics ?? {};
  return new DaemonMetrics([members, purchases, rewards].filter((topic) => topic !== undefined));
}
