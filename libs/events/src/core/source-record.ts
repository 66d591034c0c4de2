/** One value of a header as Kafka clients hand it over; null is a header without a value, which counts as absent. */
export type HeaderItem = Uint8Array | string | null;

/** The value of a header, or several under one name: the last one counts. */
export type HeaderValue = HeaderItem | readonly HeaderItem[] | undefined;

/** The parts of a Kafka record that decide what it says. */
export interface SourceRecord {
  readonly value: Uint8Array | null;
  readonly headers?: Readonly<Record<string, HeaderValue>> | undefined;
  /** Epoch milliseconds, to refuse events from the future. */
  readonly now: number;
}
