import { holdAtGap, type SourcePartition } from '#intents';
import { sleepUnlessAborted, type Clock, type Database, type Logger, type Random } from '#platform';
import type { IngestMetrics } from '../ingest-metrics.js';
import { type Arrival, recordRetryMs } from '../loop/ingest-step.js';
import { partitionKey, type FetchedBatch, type SkippedRange, type Source, type TopicPartition } from '#kafka';
import type { StartFrom } from './decide-placement.js';
import {
  arrivalAt,
  movePlace,
  placePartitions,
  type Fingerprint,
  type Misplaced,
  type MisplacedPartition,
  type Place,
  type SettledPlacement,
} from './place-partitions.js';

interface GapWatchTools {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: IngestMetrics;
}

/** The lost records at which a partition is stopped. */
interface Gap {
  readonly source: SourcePartition;
  readonly storedOffset: number;
  readonly oldestOffset: number;
}

/**
 * Partitions that are stopped because records were lost: each gap is logged once and held until a person accepts it.
 */
class GapWatch {
  private readonly held = new Map<string, Gap>();

  constructor(private readonly tools: GapWatchTools) {}

  get gaps(): readonly Gap[] {
    return [...this.held.values()];
  }

  /**
   * @param signal the partition is not ours any more
   * @returns whether a person has accepted the gap: the partition is then to be placed anew
   */
  async hold(gap: Gap, signal: AbortSignal): Promise<boolean> {
    const { database, clock, logger, metrics } = this.tools;
    const { topic, partition } = gap.source;
    const { storedOffset, oldestOffset } = gap;
    const { isNew, isAccepted } = await holdAtGap(database, gap, clock.now());
    // Once for all processes: after a rebalance another one may hold the partition.
    if (isNew) metrics.sourceGap({ topic, partition });
    const fields = { topic, partition, storedOffset, oldestOffset };
    if (isAccepted) {
      logger.warn(fields, 'the gap was accepted; the partition goes on at the oldest record left');
      return true;
    }
    if (signal.aborted) return false;
    const isLogged = this.held.has(partitionKey(gap.source));
    this.held.set(partitionKey(gap.source), gap);
    if (!isLogged) {
      logger.error(
        fields,
        'the topic no longer holds records that were not consumed yet; this partition stays stopped until `loyaltyd accept-gap`',
      );
    }
    return false;
  }

  /** The partition goes on. */
  letGo(partition: TopicPartition): void {
    this.held.delete(partitionKey(partition));
  }

  forget(): void {
    this.held.clear();
  }
}

/** How often a partition stopped by a gap is looked at again: an operator may have accepted it. */
export const gapRecheckMs = 5_000;

interface PositionsTools {
  readonly source: Source;
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: IngestMetrics;
  readonly fingerprint: Fingerprint;
}

/** A partition whose next record cannot be read yet. */
export interface WaitingPartition extends TopicPartition {
  readonly forMs: number;
}

/** Since when a partition waits, and how long it was left alone last. */
interface Wait {
  readonly partition: TopicPartition;
  readonly since: number;
  delayMs: number;
}

/** A partition with the offset below which everything is durable. */
export interface PartitionPosition extends TopicPartition {
  readonly nextOffset: number;
}

type Resume = Extract<SettledPlacement, { kind: 'resume' }>;

/** The fetch began later, and by now nothing that was asked for is lost: so there was nothing. */
function holeAt(fetchFrom: number, seen: MisplacedPartition | undefined): Place['hole'] {
  if (seen?.fetchFrom !== fetchFrom || seen.fetchedFrom === null || seen.fetchedFrom <= fetchFrom) return null;
  return { from: fetchFrom, to: seen.fetchedFrom };
}

interface Wanted {
  readonly partitions: readonly TopicPartition[];
  readonly misplaced: Misplaced;
}

const nothingMisplaced: Misplaced = new Map();

/**
 * Where each of our partitions stands. The truth is the stored offset in Postgres; what Kafka has committed for the
 * group is only a hint. On assignment every partition is placed anew: stored offset, seek, resume.
 */
export class Positions {
  private readonly places = new Map<string, Place>();
  private readonly gaps: GapWatch;
  private assignment = new AbortController();
  private readonly looks = new Set<{ at: number }>();
  private readonly waits = new Map<string, Wait>();

  constructor(
    private readonly tools: PositionsTools,
    private readonly startFrom: StartFrom,
  ) {
    this.gaps = new GapWatch(tools);
  }

  /** These partitions are ours, and paused; whatever was ours before is not. */
  assign(partitions: readonly TopicPartition[]): void {
    this.forgetAll();
    const wanted = { partitions, misplaced: nothingMisplaced };
    if (partitions.length > 0) void this.place(wanted, this.assignment.signal);
  }

  forgetAll(): void {
    this.assignment.abort();
    this.assignment = new AbortController();
    this.places.clear();
    this.gaps.forget();
    this.waits.clear();
  }

  /** Those whose next record cannot be read yet. */
  get waiting(): readonly WaitingPartition[] {
    const now = this.tools.clock.monotonic();
    return [...this.waits.values()].map(({ partition, since }) => ({ ...partition, forMs: now - since }));
  }

  /** How long the slowest look for a place has been under way, in milliseconds; 0 without one. */
  get unmovedMs(): number {
    const now = this.tools.clock.monotonic();
    return Math.max(0, ...[...this.looks].map(({ at }) => now - at));
  }

  /** Where each of our partitions stands, those held at a gap included; those that are not placed yet are not. */
  get current(): readonly PartitionPosition[] {
    const held = this.gaps.gaps.map(({ source, storedOffset }) => ({ source, nextOffset: storedOffset }));
    return [...this.places.values(), ...held].map(({ source: { topic, partition }, nextOffset }) => ({
      topic,
      partition,
      nextOffset,
    }));
  }

  /** Null while the partition is not placed: its batches must be dropped. */
  sourceOf(partition: TopicPartition): SourcePartition | null {
    return this.places.get(partitionKey(partition))?.source ?? null;
  }

  /** What is to be made of a batch of that partition. */
  arrived(batch: FetchedBatch): Arrival {
    const place = this.places.get(partitionKey(batch));
    return place === undefined ? { kind: 'unplaced' } : arrivalAt(place, batch, this.tools.fingerprint);
  }

  /** @param storedOffset where the database has the partition now; null: there was nothing to record */
  progressed(partition: TopicPartition, nextOffset: number, storedOffset: number | null): void {
    const place = this.places.get(partitionKey(partition));
    if (place !== undefined) movePlace(place, nextOffset, storedOffset);
    if (storedOffset !== null) this.goesOn(partition);
  }

  /** Its next record cannot be read yet: it is left alone for a while, and others are read. */
  defer({ topic, partition }: TopicPartition, { failure, chance }: { failure: string; chance: number }): void {
    const { source, clock, logger } = this.tools;
    const { signal } = this.assignment;
    const own = { topic, partition };
    const known = this.waits.get(partitionKey(own));
    const wait = known ?? { partition: own, since: clock.monotonic(), delayMs: 0 };
    this.waits.set(partitionKey(own), wait);
    wait.delayMs = recordRetryMs(wait.delayMs, chance);
    if (known === undefined) {
      logger.warn(
        { ...own, failure },
        'a partition waits for what its records are read by; nothing of it is set aside',
      );
    }
    source.pause(own);
    void sleepUnlessAborted(clock, wait.delayMs, signal).then(() => {
      if (!signal.aborted) source.resume(own);
    });
  }

  private goesOn(partition: TopicPartition): void {
    const wait = this.waits.get(partitionKey(partition));
    if (wait === undefined) return;
    this.waits.delete(partitionKey(partition));
    const { clock, logger } = this.tools;
    logger.info({ ...wait.partition, forMs: clock.monotonic() - wait.since }, 'the partition that waited goes on');
  }

  skipped(range: SkippedRange): void {
    const expected = this.places.get(partitionKey(range))?.fetchFrom;
    if (expected !== undefined && range.from <= expected) this.progressed(range, range.nextOffset, null);
  }

  /** The source was found to be elsewhere: place the partition again. @param fetchedFrom where it was; null: it is not known */
  reposition(partition: TopicPartition, fetchedFrom: number | null): void {
    const key = partitionKey(partition);
    const place = this.places.get(key);
    if (place === undefined) return;
    this.places.delete(key);
    this.tools.source.pause(partition);
    const { fetchFrom, isForeign, source } = place;
    const foreignIncarnation = isForeign ? source.incarnation : null;
    const misplaced = new Map([[key, { fetchFrom, fetchedFrom, foreignIncarnation }]]);
    void this.place({ partitions: [partition], misplaced }, this.assignment.signal);
  }

  /** Repeated until everything is placed or somebody else has the partitions. Never rejects. */
  private async place(wanted: Wanted, signal: AbortSignal): Promise<void> {
    const { clock, random, logger } = this.tools;
    const look = { at: clock.monotonic() };
    this.looks.add(look);
    let left = wanted.partitions;
    for (let delayMs = 0; left.length > 0 && !signal.aborted;) {
      look.at = clock.monotonic();
      try {
        const { waiting, isSoon } = await this.placeOnce({ ...wanted, partitions: left }, signal);
        left = waiting;
        delayMs = left.length === 0 || isSoon ? 0 : gapRecheckMs;
      } catch (error) {
        delayMs = recordRetryMs(delayMs, random.unit());
        logger.warn({ error, delayMs }, 'stored offsets cannot be read; partitions stay paused');
      }
      if (left.length > 0) await sleepUnlessAborted(clock, delayMs, signal);
    }
    this.looks.delete(look);
  }

  private async placeOnce(
    { partitions, misplaced }: Wanted,
    signal: AbortSignal,
  ): Promise<{ readonly waiting: readonly TopicPartition[]; readonly isSoon: boolean }> {
    const placed = await placePartitions(this.tools, { partitions, startFrom: this.startFrom, misplaced });
    const done = new Set<string>();
    let isSoon = false;
    for (const { topic, partition, clusterId, placement } of placed) {
      if (signal.aborted) return { waiting: [], isSoon };
      const source = { clusterId, topic, partition, incarnation: placement.incarnation };
      if (placement.kind === 'gap') {
        const { storedOffset, low: oldestOffset } = placement;
        isSoon ||= await this.gaps.hold({ source, storedOffset, oldestOffset }, signal);
      } else {
        this.settle(source, placement, misplaced);
        done.add(partitionKey(source));
      }
    }
    return { waiting: partitions.filter((partition) => !done.has(partitionKey(partition))), isSoon };
  }

  private settle(source: SourcePartition, placement: Resume, misplaced: Misplaced): void {
    const { topic, partition } = source;
    this.gaps.letGo(source);
    const { incarnation, offset, proof } = placement;
    const fetchFrom = proof?.offset ?? offset;
    this.places.set(partitionKey(source), {
      source,
      fetchFrom,
      nextOffset: offset,
      storedOffset: offset,
      proof,
      hole: holeAt(fetchFrom, misplaced.get(partitionKey(source))),
      isForeign: false,
    });
    this.tools.source.seek({ topic, partition }, fetchFrom);
    this.tools.source.resume({ topic, partition });
    this.tools.logger.info({ topic, partition, incarnation, offset }, 'partition placed at its stored offset');
  }
}
