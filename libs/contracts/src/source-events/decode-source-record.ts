import type { DecodedRecord, SourceRecord } from './source-record.js';

/**
 * Reads one Kafka record as a CloudEvent 1.0, in structured mode (`content-type: application/cloudevents+json`) or
 * binary mode (`ce_*` headers), and checks its data. Never throws; whatever it cannot accept it names.
 */
export function decodeSourceRecord(_record: SourceRecord): DecodedRecord {
  throw new Error('not yet');
}
