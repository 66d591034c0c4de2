import type {
  FactsRequest,
  Source,
  SourceFacts,
  SourceListener,
  TopicPartition,
  Watermarks,
} from '../source/source.js';
import { partitionKey } from '../source/source.js';

/** A source that only notes what it was told. */
export class FakeSource implements Source {
  /** Such as `seek p/0 5`. */
  readonly told: string[] = [];
  watermarks: Watermarks[] = [{ partition: 0, low: 0, high: 100 }];

  start(_listener: SourceListener): void {
    this.told.push('start');
  }

  async stop(): Promise<void> {
    this.told.push('stop');
  }

  seek(partition: TopicPartition, offset: number): void {
    this.told.push(`seek ${partitionKey(partition)} ${offset}`);
  }

  pause(partition: TopicPartition): void {
    this.told.push(`pause ${partitionKey(partition)}`);
  }

  resume(partition: TopicPartition): void {
    this.told.push(`resume ${partitionKey(partition)}`);
  }

  async facts({ topics }: FactsRequest): Promise<SourceFacts> {
    const watermarks = new Map(topics.map((topic) => [topic, this.watermarks]));
    return { clusterId: 'c', watermarks, offsetsAt: new Map() };
  }

  lastProgressAt(): number {
    return 0;
  }
}
