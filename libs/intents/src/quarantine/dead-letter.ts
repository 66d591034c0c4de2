/** A quarantined record that must still reach the dead-letter topic, opened. */
export interface DeadLetter {
  readonly quarantineId: number;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** Set: the value is a whole record batch, for its records from `offset` to this one. */
  readonly lastOffset: number | null;
  readonly reason: string;
  readonly detail: string;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  /** JSON text of the original headers. */
  readonly headersText: string;
  /** A part could not be opened any more: its key is gone. */
  readonly isUnreadable: boolean;
}
