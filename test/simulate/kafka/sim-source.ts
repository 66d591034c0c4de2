import type { FactsRequest, Source, SourceFacts, SourceListener, TopicPartition, Watermarks } from '#ingest';
import { partitionKey } from '#ingest';

import type { GroupMember } from './consumer-group.js';
import { FetchedPartition } from './fetched-partition.js';
import type { SourceSurroundings } from './source-surroundings.js';

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

  constructor(private readonly around: SourceSurroundings) {
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
    const delayMs = chance.unit() * (chance.happens(broker.weather.tellsLate) ? lateMsMax : joinMsMax);
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
