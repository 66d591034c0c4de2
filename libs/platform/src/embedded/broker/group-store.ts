import { ConsumerGroup } from './consumer-group.js';

export interface CommittedOffset {
  readonly offset: number;
  readonly metadata: string | null;
}

/** A group with what it has committed; offsets outlive its members. */
export interface StoredGroup {
  readonly id: string;
  readonly group: ConsumerGroup;
  /** By topic, then partition. */
  readonly offsets: Map<string, Map<number, CommittedOffset>>;
}

/** All consumer groups of the broker. */
export class GroupStore {
  private readonly groups = new Map<string, StoredGroup>();

  all(): StoredGroup[] {
    return [...this.groups.values()];
  }

  find(id: string): StoredGroup | undefined {
    return this.groups.get(id);
  }

  provide(id: string): StoredGroup {
    const found = this.groups.get(id);
    if (found !== undefined) return found;
    const created = { id, group: new ConsumerGroup(), offsets: new Map<string, Map<number, CommittedOffset>>() };
    this.groups.set(id, created);
    return created;
  }

  delete(id: string): void {
    this.groups.get(id)?.group.close();
    this.groups.delete(id);
  }

  close(): void {
    for (const { group } of this.groups.values()) group.close();
  }
}
