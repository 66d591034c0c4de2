import { headersText } from '#events/core';
import type { UnpackBatch, UnpackedRecord } from '#intents';
import { AnswerBudget, decodeRecordSet, type KafkaRecord, pieceLimits } from '#kafka';

function unpacked({ offset, timestamp, key, value, headers, undecoded }: KafkaRecord): UnpackedRecord {
  const place = { offset: Number(offset), brokerAt: Number(timestamp) };
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
 * Takes stored record batches apart as fetched ones are, some 16 MiB or an eighth of the limit at a time.
 * @param batchBytesMax what a batch may grow to
 */
export function batchUnpacker(batchBytesMax: number): UnpackBatch {
  return async function* unpack({ bytes, from, to }) {
    const set = Buffer.from(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength);
    for (let next = from; next <= to;) {
      const budget = new AnswerBudget(batchBytesMax, pieceLimits(batchBytesMax));
      const records = await decodeRecordSet(set, { from: next, end: to + 1 }, budget);
      const last = records.at(-1);
      // Behind its last record there may be nothing, up to its last offset.
      if (last === undefined && next > from) return;
      if (last === undefined) throw new Error('a stored record batch is not whole');
      yield records.filter(({ isControlRecord, offset }) => !isControlRecord && Number(offset) <= to).map(unpacked);
      next = Number(last.offset) + 1;
    }
  };
}
