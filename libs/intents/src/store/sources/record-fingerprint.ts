import { keyedDigestOf } from '#platform';

/** What tells a record from any other at the same offset. */
export interface FingerprintedRecord {
  readonly offset: number;
  readonly brokerAt: number;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
}

/** A multiple of three: the base64 of the pieces is that of the whole. */
const pieceBytes = 48 * 1024;

/** In pieces: no text can be as long as a value can be large. */
function* text(bytes: Uint8Array | null): Generator<string> {
  if (bytes === null) {
    yield '-';
    return;
  }
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < whole.length; at += pieceBytes) yield whole.toString('base64', at, at + pieceBytes);
}

function* parts({ offset, brokerAt, key, value }: FingerprintedRecord): Generator<string> {
  yield `record ${offset} ${brokerAt} `;
  yield* text(key);
  yield ' ';
  yield* text(value);
}

/**
 * A record's fingerprint: a topic that was created anew holds another record at the offset of the last one consumed.
 * Keyed, because a plain hash of personal data could be guessed after an erasure.
 */
export function recordFingerprint(record: FingerprintedRecord, macKey: Uint8Array): Buffer {
  return keyedDigestOf(macKey, parts(record));
}
