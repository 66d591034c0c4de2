interface Waiting<Item> {
  readonly item: Item;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Writes what callers bring while the write before is under way as one: one group at a time. */
export class GroupCommit<Item> {
  private waiting: Waiting<Item>[] = [];
  private isWriting = false;

  /** @param write resolves once the items are durable */
  constructor(private readonly write: (items: readonly Item[]) => Promise<void>) {}

  /** Resolves once the item is durable. */
  add(item: Item): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (this.isWriting) return;
      this.isWriting = true;
      // Whoever else comes in this turn of the loop goes along.
      setImmediate(() => void this.writeAll());
    });
  }

  private async writeAll(): Promise<void> {
    while (this.waiting.length > 0) {
      const group = this.waiting;
      this.waiting = [];
      try {
        await this.write(group.map(({ item }) => item));
        for (const { resolve } of group) resolve();
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.isWriting = false;
  }
}
