import { keyedDigest } from '#platform';

/** What tells a record from any other at the same offset. */
export interface FingerprintedRecord {
  readonly offset: number;
  readonly brokerAt: number;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
}

function text(bytes: Uint8Array | null): string {
  return bytes === null ? '-' : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/**
 * A record's fingerprint: a topic that was created anew holds another record at the offset of the last one consumed.
 * Keyed, because a plain hash of personal data could be guessed after an erasure.
 */
export function recordFingerprint({ offset, brokerAt, key, value }: FingerprintedRecord, macKey: Uint8Array): Buffer {
  return keyedDigest(macKey, `record ${offset} ${brokerAt} ${text(key)} ${text(value)}`);
}
