/** What the log's record must become, as a checker wants to know it. */
export interface RecordFacts {
  readonly program: string | null;
  readonly memberId: string | null;
  /** As it would stand in `dedup`, hex; null: it has none. */
  readonly eventKey: string | null;
  readonly businessKey: string | null;
  readonly owes: 'intent' | 'quarantine' | 'anything' | 'nothing';
}

/** A record on its way to the broker. */
export interface ProducedRecord {
  readonly topic: string;
  readonly key: string | null;
  readonly value: Uint8Array | null;
  readonly headers: Readonly<Record<string, Uint8Array>>;
  /** For the trace. */
  readonly label: string;
  readonly facts: RecordFacts;
}

export interface StoredRecord extends ProducedRecord {
  readonly offset: number;
  readonly brokerAt: number;
}
