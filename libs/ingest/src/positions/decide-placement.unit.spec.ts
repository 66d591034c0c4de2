import type { PlacementFacts } from './decide-placement.js';
import { decidePlacement } from './decide-placement.js';

const facts: PlacementFacts = {
  stored: undefined,
  watermarks: { partition: 0, low: 100, high: 200 },
  startFrom: { kind: 'earliest' },
  offsetAt: undefined,
  hasSiblings: false,
};

const begin = (offset: number, incarnation = 1): object => ({ kind: 'begin', incarnation, offset });

describe('a partition never seen', () => {
  it.each<[string, Partial<PlacementFacts>, number]>([
    ['earliest', {}, 100],
    ['latest', { startFrom: { kind: 'latest' } }, 200],
    ['latest, added to a topic that is known', { startFrom: { kind: 'latest' }, hasSiblings: true }, 100],
    ['a time', { startFrom: { kind: 'time', timeMs: 1 }, offsetAt: 150 }, 150],
    ['a time after the last record', { startFrom: { kind: 'time', timeMs: 1 } }, 200],
    ['a time before the first record', { startFrom: { kind: 'time', timeMs: 1 }, offsetAt: 7 }, 100],
  ])('begins where KAFKA_START_FROM says: %s', (_name, more, offset) => {
    expect(decidePlacement({ ...facts, ...more })).toEqual(begin(offset));
  });
});

describe('a known partition', () => {
  const at = (nextOffset: number): PlacementFacts => ({ ...facts, stored: { incarnation: 4, nextOffset } });

  it.each([100, 150, 200])('goes on where it stood (%i)', (nextOffset) => {
    expect(decidePlacement(at(nextOffset))).toEqual({ kind: 'resume', incarnation: 4, offset: nextOffset });
  });

  it('has a gap when the oldest record left is newer', () => {
    expect(decidePlacement(at(99))).toEqual({ kind: 'gap', storedOffset: 99, low: 100 });
  });

  it('is a new incarnation when the topic ends before it', () => {
    expect(decidePlacement(at(201))).toEqual(begin(100, 5));
  });
});
