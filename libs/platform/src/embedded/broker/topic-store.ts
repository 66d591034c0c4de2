import { PartitionLog } from './partition-log.js';

export const partitionsDefault = 4;
const validName = /^[a-zA-Z0-9._-]{1,249}$/;

export const isValidTopicName = (name: string): boolean => validName.test(name) && name !== '.' && name !== '..';

/** All topics of the broker, and a bell that rings when records arrive. */
export class TopicStore {
  private readonly topics = new Map<string, PartitionLog[]>();
  private listeners = new Set<() => void>();

  names(): string[] {
    return [...this.topics.keys()];
  }

  partitions(topic: string): readonly PartitionLog[] | undefined {
    return this.topics.get(topic);
  }

  log(topic: string, partition: number): PartitionLog | undefined {
    return this.topics.get(topic)?.[partition];
  }

  create(topic: string, partitions: number): void {
    const logs = Array.from({ length: partitions }, () => new PartitionLog());
    this.topics.set(topic, logs);
  }

  /** Creates it with the default number of partitions unless it exists; false for a name that no topic can have. */
  provide(topic: string): boolean {
    if (!isValidTopicName(topic)) return false;
    if (!this.topics.has(topic)) this.create(topic, partitionsDefault);
    return true;
  }

  delete(topic: string): boolean {
    return this.topics.delete(topic);
  }

  /** Tells those who wait that some log has grown. */
  ring(): void {
    const waiting = this.listeners;
    this.listeners = new Set();
    for (const listener of waiting) listener();
  }

  /** Resolves with the next ring, or after `timeoutMs`. */
  nextRing(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const listener = (): void => {
        clearTimeout(timer);
        this.listeners.delete(listener);
        resolve();
      };
      const timer = setTimeout(listener, Math.max(0, timeoutMs));
      timer.unref();
      this.listeners.add(listener);
    });
  }
}
