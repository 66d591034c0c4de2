import type { SourceRecord } from '../core/source-record.js';

/** What the record of a source says besides its value. */
export interface RecordToMap extends Omit<SourceRecord, 'now'> {
  readonly topic: string;
  readonly key: Uint8Array | null;
  /** Epoch ms. */
  readonly brokerAt: number;
}
