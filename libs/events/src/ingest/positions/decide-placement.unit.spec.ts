import type { PlacementFacts } from './decide-placement.js';
import { decidePlacement } from './decide-placement.js';

const facts: PlacementFacts = {
  stored: undefined,
  watermarks: { partition: 0, low: 100, high: 200 },
  startFrom: { kind: 'earliest' },
  offsetAt: undefined,
  hasSiblings: false,
  wasMissed: false,
  foreignIncarnation: null,
};

const begin = (offset: number, incarnation = 1): object => ({ kind: 'begin', incarnation, offset });

describe('a partition never seen', () => {
  it.each<[string, Partial<PlacementFacts>, number]>([
    ['earliest', {}, 100],
    ['latest', { startFrom: { kind: 'latest' } }, 200],
    ['latest, added to a topic that is known', { startFrom: { kind: 'latest' }, hasSiblings: true }, 100],
    ['latest, of a topic that was missed', { startFrom: { kind: 'latest' }, wasMissed: true, offsetAt: 130 }, 130],
    ['latest, of one without a record since it was missed', { startFrom: { kind: 'latest' }, wasMissed: true }, 200],
    ['a time', { startFrom: { kind: 'time', timeMs: 1 }, offsetAt: 150 }, 150],
    ['a time after the last record', { startFrom: { kind: 'time', timeMs: 1 } }, 200],
    ['a time before the first record', { startFrom: { kind: 'time', timeMs: 1 }, offsetAt: 7 }, 100],
  ])('begins where KAFKA_START_FROM says: %s', (_name, more, offset) => {
    expect(decidePlacement({ ...facts, ...more })).toEqual(begin(offset));
  });
});

describe('a known partition', () => {
  const fingerprint = new Uint8Array(16);
  const at = (nextOffset: number, last: number | null = null): PlacementFacts => ({
    ...facts,
    stored: { incarnation: 4, nextOffset, last: last === null ? null : { offset: last, fingerprint } },
  });

  it.each([100, 150, 200])('goes on where it stood (%i)', (nextOffset) => {
    expect(decidePlacement(at(nextOffset))).toEqual({
      ...{ kind: 'resume', incarnation: 4, offset: nextOffset, proof: null },
    });
  });

  it('has a gap when the oldest record left is newer', () => {
    expect(decidePlacement(at(99))).toEqual({ kind: 'gap', incarnation: 4, storedOffset: 99, low: 100 });
  });

  it.each<[number, object | null]>([
    [100, { offset: 100, fingerprint }],
    [99, null],
  ])('is proven by the last record consumed where that is still there (%i)', (last, proof) => {
    expect(decidePlacement(at(150, last))).toMatchObject({ kind: 'resume', offset: 150, proof });
  });

  it('is a new incarnation when it was found to be another topic; a later incarnation is not', () => {
    expect(decidePlacement({ ...at(150, 120), foreignIncarnation: 4 })).toEqual(begin(100, 5));
    expect(decidePlacement({ ...at(150, 120), foreignIncarnation: 3 })).toMatchObject({ kind: 'resume', offset: 150 });
  });

  it('is a new incarnation when the topic ends before it', () => {
    expect(decidePlacement(at(201))).toEqual(begin(100, 5));
  });
});
