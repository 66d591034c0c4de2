import type { AbortedTransaction } from './aborted-transactions.js';
import { withoutAborted } from './aborted-transactions.js';
import type { KafkaRecord } from './record-reader.js';
import { nothingAt } from './record-reader.js';

const text = (record: KafkaRecord): string => (record.isControlRecord ? '-' : (record.value?.toString() ?? ''));

function recordAt(offset: number, producerId: string, more: Partial<KafkaRecord> = {}): KafkaRecord {
  const batchContext = { producerId, inTransaction: producerId !== '-1' };
  const value = Buffer.from(`${producerId}${offset}`);
  return { ...nothingAt(offset), isControlRecord: false, value, batchContext, ...more };
}

const marker = (offset: number, producerId: string, kind: 'abort' | 'commit'): KafkaRecord =>
  recordAt(offset, producerId, { isControlRecord: true, key: Buffer.from([0, 0, 0, kind === 'abort' ? 0 : 1]) });

const taken = (records: readonly KafkaRecord[], aborted: readonly AbortedTransaction[]): string[] =>
  withoutAborted(records, aborted).map(text);

describe('records of transactions that were given up', () => {
  const ofA = { producerId: 'A', firstOffset: 90 };
  const ofB = { producerId: 'B', firstOffset: 91 };
  const interleaved = [
    ...[recordAt(90, 'A'), recordAt(91, 'B'), recordAt(92, 'A'), recordAt(93, 'B')],
    ...[marker(94, 'B', 'abort'), marker(95, 'A', 'abort'), recordAt(96, 'A'), recordAt(97, '-1')],
  ];
  const none = ['-', '-', '-', '-', '-', '-', 'A96', '-197'];

  it('regression: are not taken, in whichever order the broker tells of them', () => {
    expect(taken(interleaved, [ofA, ofB])).toEqual(none);
    expect(taken(interleaved, [ofB, ofA])).toEqual(none);
  });

  it('regression: are not taken where the answer begins within several of them', () => {
    expect(taken(interleaved.slice(2), [ofA, ofB])).toEqual(none.slice(2));
  });

  it('leave their offsets behind', () => {
    const offsets = withoutAborted(interleaved, [ofA, ofB]).map(({ offset }) => Number(offset));
    expect(offsets).toEqual([90, 91, 92, 93, 94, 95, 96, 97]);
  });

  it('are told from those of the same producer that were kept, and from a record with the key of a marker', () => {
    const kept = [
      ...[recordAt(90, 'A'), marker(91, 'A', 'abort'), recordAt(92, 'A'), marker(93, 'A', 'commit'), recordAt(94, 'A')],
      ...[recordAt(95, 'A', { key: Buffer.from([0, 0, 0, 0]) }), recordAt(96, 'A'), marker(97, 'A', 'abort')],
    ];
    const again = { producerId: 'A', firstOffset: 94 };
    expect(taken(kept, [ofA, again])).toEqual(['-', '-', 'A92', '-', '-', '-', '-', '-']);
  });

  it('are none where the broker tells of none', () => {
    expect(withoutAborted(interleaved, [])).toBe(interleaved);
  });
});
