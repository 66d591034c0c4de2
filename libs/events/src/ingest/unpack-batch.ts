import { headersText } from '#events/core';
import type { UnpackBatch, UnpackedRecord } from '#intents';
import { type FetchedRecord, recordsOf } from '#kafka';

function unpacked({ offset, brokerAt, key, value, headers, undecoded }: FetchedRecord): UnpackedRecord {
  const place = { offset, brokerAt };
  if (undecoded === undefined) {
    return { original: { ...place, key, value, headersText: headersText(headers) }, refused: null };
  }
  const { reason, detail, firstOffset, bytes } = undecoded;
  return {
    original: { ...place, key: null, value: bytes, headersText: '{}', batch: { firstOffset } },
    refused: { reason, detail },
  };
}

/**
 * Takes stored record batches apart as fetched ones are.
 * @param batchBytesMax what a batch may grow to
 */
export function batchUnpacker(batchBytesMax: number): UnpackBatch {
  return async function* unpack(stored) {
    for await (const records of recordsOf(stored, batchBytesMax)) yield records.map(unpacked);
  };
}
