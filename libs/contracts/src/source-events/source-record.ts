import type { SourceEvent } from './source-event.js';

/** Header values as Kafka clients hand them over: bytes, text, or several under one name (the last one counts). */
export type HeaderValue = Uint8Array | string | readonly (Uint8Array | string)[] | undefined;

/** The parts of a Kafka record that decide what it says. */
export interface SourceRecord {
  readonly value: Uint8Array | null;
  readonly headers?: Readonly<Record<string, HeaderValue>> | undefined;
  /** Epoch milliseconds, to refuse events from the future. */
  readonly now: number;
}

/**
 * What a record is. `detail` of a quarantine names paths and rules, never a value, so that it may be logged.
 * The reasons are those of contracts.md section 1; routing and identity add theirs later.
 */
export type DecodedRecord =
  | { readonly kind: 'event'; readonly event: SourceEvent }
  | { readonly kind: 'tombstone' }
  | {
      readonly kind: 'quarantine';
      readonly reason: 'unreadable' | 'invalid' | 'unsupported-type';
      readonly detail: string;
    };
