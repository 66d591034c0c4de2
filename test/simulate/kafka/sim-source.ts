import type {
  BatchLease,
  FactsRequest,
  FetchedBatch,
  FetchedRecord,
  Source,
  SourceFacts,
  SourceListener,
  TopicPartition,
  Watermarks,
} from '#kafka';
import { partitionKey } from '#kafka';

import type { Chance } from '#shop';
import type { SimProcess } from '../kernel/sim-process.js';
import type { Broker, ConsumerGroup, GroupMember, PartitionLog } from './broker.js';

/** What a process' source stands in. */
interface SourceWorldContext {
  readonly broker: Broker;
  readonly group: ConsumerGroup;
  readonly process: SimProcess;
  readonly chance: Chance;
}

const fetchMsMax = 60;
const failedFetchMs = 400;
const offsetsPerFetchMax = 12;

interface PartitionTools extends SourceWorldContext {
  readonly listener: SourceListener;
  readonly source: { isMember(): boolean; fails(): boolean };
}

/** One assigned partition: fetched from batch by batch while it is not paused. */
class FetchedPartition {
  private position: number | null = null;
  private isPaused = true;
  private isRevoked = false;
  private seeks = 0;
  private isFetching = false;
  private working: Promise<void> | null = null;
  private readonly log: PartitionLog | undefined;

  constructor(
    private readonly at: TopicPartition,
    private readonly tools: PartitionTools,
  ) {
    this.log = tools.broker.logOf(at.topic, at.partition);
  }

  start(): void {
    const { chance, broker } = this.tools;
    if (!chance.happens(broker.weather.fetchesBeforeSeek)) return;
    // From what the group had committed, which is as good as any offset.
    const log = broker.logOf(this.at.topic, this.at.partition);
    if (log !== undefined) this.fetchFrom(chance.between(log.low, log.high), true);
  }

  seek(offset: number): void {
    this.position = offset;
    this.seeks += 1;
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
    this.next();
  }

  /** Somebody else's from now on; what was fetched is still worked on. */
  revoke(): void {
    this.isRevoked = true;
  }

  async close(): Promise<void> {
    this.isRevoked = true;
    await this.working;
  }

  private next(): void {
    if (this.isPaused || this.isRevoked || this.isFetching || this.working !== null || this.position === null) return;
    this.fetchFrom(this.position, false);
  }

  private fetchFrom(offset: number, isEarly: boolean): void {
    const { process, chance, broker, source } = this.tools;
    const { seeks } = this;
    this.isFetching = true;
    process.after(chance.unit() * fetchMsMax, `fetches ${this.at.topic}/${this.at.partition}`, () => {
      this.isFetching = false;
      if (this.isRevoked) return;
      if (source.fails()) {
        process.after(failedFetchMs, 'fetches again', () => this.next());
        return;
      }
      const isStale = !isEarly && (seeks !== this.seeks || this.isPaused);
      if (isStale && !chance.happens(broker.weather.handsOverStale)) this.next();
      else this.handOver(offset, this.tools.broker.logOf(this.at.topic, this.at.partition));
    });
  }

  private handOver(from: number, log: PartitionLog | undefined): void {
    const { process, source } = this.tools;
    // A topic that was created anew is another to whoever was assigned the old one, until the next join: clients learn
    // of it with their metadata. Growing beyond the position before that would go unnoticed (docs/guarantees.md).
    if (log === undefined || log !== this.log || from > log.high || from < log.low) {
      process.after(failedFetchMs, 'rejoins', () => source.isMember());
      process.after(failedFetchMs, 'fetches again', () => this.next());
    } else if (from === log.high) this.await(log, from);
    else this.give(from, log);
  }

  private await(log: PartitionLog, from: number): void {
    // A fetch from before the seek: the next one begins where we stand.
    if ((this.position ?? from) !== from) this.next();
    else log.waiting.push(() => this.tools.process.after(0, 'finds something', () => this.next()));
  }

  private give(from: number, log: PartitionLog): void {
    const { chance, broker, listener } = this.tools;
    const nextOffset = Math.min(log.high, from + chance.between(1, offsetsPerFetchMax));
    const records = recordsOf(log, from, nextOffset);
    if (records.length === 0) {
      if (from === this.position) this.position = nextOffset;
      listener.skipped({ ...this.at, from, nextOffset });
      this.next();
      return;
    }
    const batch = { ...this.at, fetchedFrom: from, nextOffset, highWatermark: log.high, records };
    this.work(batch, chance.happens(broker.weather.redelivers));
  }

  private work(batch: FetchedBatch, isRedelivered: boolean): void {
    const { seeks } = this;
    let acknowledged: number | null = null;
    const lease: BatchLease = {
      acknowledge: (nextOffset) => {
        acknowledged = nextOffset;
      },
      heartbeat: () => this.heartbeat(),
    };
    this.working = this.tools.listener.batch(batch, lease).then(() => {
      this.working = null;
      if (acknowledged !== null && seeks === this.seeks && !isRedelivered) this.position = acknowledged;
      this.tools.process.after(0, 'goes on', () => this.next());
    });
  }

  private heartbeat(): Promise<void> {
    const { process, chance, source } = this.tools;
    return new Promise((resolve, reject) => {
      process.after(chance.unit() * 5, 'heartbeat', () => {
        if (source.fails() || !source.isMember()) reject(new Error('the partition is lost'));
        else resolve();
      });
    });
  }
}

function recordsOf(log: PartitionLog, from: number, nextOffset: number): FetchedRecord[] {
  const records: FetchedRecord[] = [];
  for (let offset = from; offset < nextOffset; offset += 1) {
    const record = log.records.get(offset);
    if (record === undefined) continue;
    const key = record.key === null ? null : Buffer.from(record.key);
    const { brokerAt, value, headers } = record;
    records.push({ offset, brokerAt, isAppendTime: true, key, value, headers });
  }
  return records;
}

const heartbeatMs = 1_000;
const joinMsMax = 400;
const lateMsMax = 8_000;
const hopMsMax = 20;

/** A process' source port on the world's brokers. */
export class SimSource implements Source, GroupMember {
  readonly name: string;
  private listener: SourceListener | null = null;
  private partitions = new Map<string, FetchedPartition>();
  private isStopping = false;
  private isJoining = false;

  constructor(private readonly around: SourceWorldContext) {
    this.name = around.process.name;
  }

  start(listener: SourceListener): void {
    this.listener = listener;
    this.join();
    this.beat();
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    await Promise.all([...this.partitions.values()].map((partition) => partition.close()));
    this.around.group.leave(this);
  }

  seek(partition: TopicPartition, offset: number): void {
    this.partitions.get(partitionKey(partition))?.seek(offset);
  }

  pause(partition: TopicPartition): void {
    this.partitions.get(partitionKey(partition))?.pause();
  }

  resume(partition: TopicPartition): void {
    this.partitions.get(partitionKey(partition))?.resume();
  }

  facts({ topics, timeMs }: FactsRequest): Promise<SourceFacts> {
    if (timeMs !== null) throw new Error('these worlds begin at the earliest record');
    const { broker, chance, process } = this.around;
    return new Promise((resolve, reject) => {
      process.after(chance.unit() * hopMsMax, 'facts', () => {
        if (this.fails()) reject(new Error('the broker does not answer'));
        else resolve({ clusterId: broker.clusterId, watermarks: this.watermarks(topics), offsetsAt: new Map() });
      });
    });
  }

  lastProgressAt(): number {
    return 0;
  }

  /** Whether the group still counts on us; if not, we join again. */
  isMember(): boolean {
    if (this.around.group.hear(this)) return true;
    this.join();
    return false;
  }

  fails(): boolean {
    const { broker, chance } = this.around;
    return broker.weather.isDown || chance.happens(broker.weather.failsCalls);
  }

  private watermarks(topics: readonly string[]): Map<string, readonly Watermarks[]> {
    const { broker } = this.around;
    const marks = (topic: string): Watermarks[] =>
      broker.logsOf(topic).map(({ partition, low, high }) => ({ partition, low, high }));
    return new Map(topics.map((topic) => [topic, marks(topic)]));
  }

  private join(): void {
    if (this.isJoining || this.isStopping) return;
    this.isJoining = true;
    const { chance, process, broker } = this.around;
    const delayMs = chance.unit() * (chance.happens(broker.weather.reportsLate) ? lateMsMax : joinMsMax);
    process.after(delayMs, 'joins', () => {
      this.isJoining = false;
      if (this.isStopping) return;
      if (this.fails()) this.join();
      else this.assigned(this.around.group.join(this));
    });
  }

  private assigned(partitions: readonly TopicPartition[]): void {
    const { listener } = this;
    if (listener === null) return;
    for (const old of this.partitions.values()) old.revoke();
    const tools = { ...this.around, listener, source: this };
    this.partitions = new Map(partitions.map((at) => [partitionKey(at), new FetchedPartition(at, tools)]));
    listener.assigned(partitions);
    for (const partition of this.partitions.values()) partition.start();
  }

  /** Between the batches; a batch that takes long has its own heartbeats. */
  private beat(): void {
    this.around.process.after(heartbeatMs, 'beats', () => {
      if (this.isStopping) return;
      if (!this.isJoining && !this.fails()) this.isMember();
      this.beat();
    });
  }
}
