import { Chance } from '#shop';

import { Deck } from './deck.js';
import { allFaults, type Fault } from './faults.js';
import { shareOf } from './nemesis.js';

const any = (): boolean => true;
const deckOf = (cards: readonly string[], first: readonly string[] = []): Deck<string> =>
  new Deck(cards, { chance: new Chance(17), first });

function dealt(deck: Deck<string>, times: number, isPossible: (card: string) => boolean = any): (string | null)[] {
  return Array.from({ length: times }, () => deck.deal(isPossible));
}

describe('a deck', () => {
  it('deals every card before any a second time', () => {
    const deck = deckOf(['a', 'b', 'c']);
    expect(new Set(dealt(deck, 3))).toEqual(new Set(['a', 'b', 'c']));
    expect(new Set(dealt(deck, 3))).toEqual(new Set(['a', 'b', 'c']));
  });

  it('deals first what must come first', () => {
    expect(dealt(deckOf(['a', 'b', 'c', 'd'], ['c', 'd']), 2).toSorted()).toEqual(['c', 'd']);
  });

  it('keeps the place of what cannot be dealt now, and goes on with others', () => {
    const deck = deckOf(['a', 'b', 'c'], ['c']);
    const others = dealt(deck, 4, (card) => card !== 'c');
    expect(others.filter((card) => card === 'a')).toHaveLength(2);
    expect(deck.deal(any)).toBe('c');
  });

  it('deals nothing where nothing is possible', () => {
    expect(deckOf(['a']).deal(() => false)).toBeNull();
    expect(deckOf([]).deal(any)).toBeNull();
  });
});

/** All that the mixes of a full run may have: the kills before them took their whole share. */
const mixedMs = 0.12 * 600_000;
const lines = 3;
const pauseMs = 1_600;

/** What a full run gives to each fault alone; to begin and to end one takes so long, and longer where a daemon starts. */
const aloneMs = 0.34 * 600_000;
const betweenMs = 1_200;

describe('each fault alone', () => {
  it.each([17, 3, 23, 1, 2])('has its turn in a full run, with seed %i', (seed) => {
    const chance = new Chance(seed);
    const faults = chance.shuffled(allFaults);
    let leftMs = aloneMs;
    for (const [index, { lastsMs }] of faults.entries()) {
      const lengthMs = shareOf(chance.between(...lastsMs), faults.slice(index), leftMs);
      expect(lengthMs).toBeGreaterThanOrEqual(lastsMs[0]);
      leftMs -= lengthMs + betweenMs;
    }
    expect(leftMs).toBeGreaterThan(-1);
  });
});

describe('the mixes of a full run', () => {
  const faults = allFaults.filter(({ isAloneOnly }) => isAloneOnly !== true);

  it.each([17, 3, 23, 1, 2])('have a turn for whatever found none alone, be it half of all, with seed %i', (seed) => {
    const unbegun = faults.filter((_, index) => index % 2 === seed % 2);
    expect(begun(faults, unbegun, seed)).toEqual(expect.arrayContaining(unbegun.map(({ kind }) => kind)));
  });
});

/** Three lines with a clock that only goes on when all have something to do. */
function begun(faults: readonly Fault[], first: readonly Fault[], seed: number): string[] {
  const chance = new Chance(seed);
  const deck = new Deck(faults, { chance, first });
  const busy: { readonly untilMs: number; readonly seat: string | null }[] = [];
  const kinds: string[] = [];
  for (let nowMs = 0; nowMs < mixedMs; nowMs += 100) {
    const on = busy.filter(({ untilMs }) => untilMs > nowMs);
    busy.splice(0, busy.length, ...on);
    while (busy.length < lines) {
      const taken = new Set(busy.map(({ seat }) => seat));
      const fault = deck.deal(({ seat }) => !taken.has(seat));
      if (fault === null) break;
      kinds.push(fault.kind);
      busy.push({ untilMs: nowMs + chance.between(...fault.lastsMs) + pauseMs, seat: fault.seat });
    }
  }
  return kinds;
}
