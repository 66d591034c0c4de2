/**
 * Statements of one transaction whose answers nobody needs before the commit: they share a round trip. What follows them
 * sees what they wrote, for the server runs them in order.
 */
export class PendingWrites {
  private readonly writes: Promise<void>[] = [];

  add(write: Promise<void>): void {
    // Whoever gives up on the transaction asks `failure`; until then nobody may be listening.
    write.catch(() => undefined);
    this.writes.push(write);
  }

  /** Resolves once all are answered. @throws what the first one failed with */
  async answered(): Promise<void> {
    for (const write of this.writes) await write;
  }

  /** What the first failed one failed with, once all are answered; null: none failed. */
  async failure(): Promise<unknown> {
    const settled = await Promise.allSettled(this.writes);
    return settled.find((result) => result.status === 'rejected')?.reason ?? null;
  }
}

/**
 * Does the work of a transaction, the answers of its pending writes included.
 * @throws what failed first: after a failed statement the server refuses all that follow, and the first one tells why
 */
export async function withPendingWrites<T>(work: (writes: PendingWrites) => Promise<T>): Promise<T> {
  const writes = new PendingWrites();
  try {
    const result = await work(writes);
    await writes.answered();
    return result;
  } catch (error) {
    throw (await writes.failure()) ?? error;
  }
}
