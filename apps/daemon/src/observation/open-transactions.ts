/** Where a partition ends, and up to where it can be read. */
interface Ends {
  readonly topic: string;
  readonly partition: number;
  readonly end: number;
  readonly stable: number;
}

/** A partition that has not become readable any further for longer than a transaction should take. */
export interface HiddenPartition extends Ends {
  /** Since when it was seen so. */
  readonly ageMs: number;
  /** It was not so at the look before. */
  readonly isNew: boolean;
}

/** Open for longer than any till's transaction. */
export const transactionAgeMsMax = 60_000;

interface Standing {
  readonly stable: number;
  readonly since: number;
  readonly isTold: boolean;
}

/**
 * Partitions in which a transaction stays open: consumers of committed records get nothing behind its first record, however
 * much comes, and nothing fails.
 */
export class OpenTransactionWatch {
  private standing = new Map<string, Standing>();

  /** All partitions that are ours; the others are forgotten. @param now on the monotonic clock */
  looked(partitions: readonly Ends[], now: number): readonly HiddenPartition[] {
    const before = this.standing;
    this.standing = new Map();
    const hidden: HiddenPartition[] = [];
    for (const ends of partitions.filter(({ end, stable }) => stable < end)) {
      const key = `${ends.topic}/${ends.partition}`;
      const known = before.get(key);
      const same = known?.stable === ends.stable ? known : { stable: ends.stable, since: now, isTold: false };
      const ageMs = now - same.since;
      const isOld = ageMs >= transactionAgeMsMax;
      if (isOld) hidden.push({ ...ends, ageMs, isNew: !same.isTold });
      this.standing.set(key, { ...same, isTold: isOld });
    }
    return hidden;
  }
}
