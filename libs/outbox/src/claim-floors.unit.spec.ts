import { claimFloorMarginMs, ClaimFloors, fullScanMs } from './claim-floors.js';

const start = Date.parse('2026-11-21T09:00:00.000Z');

class Clock {
  at = start;
  up = 0;
  now = (): number => this.at;
  monotonic = (): number => this.up;

  pass(ms: number): void {
    this.at += ms;
    this.up += ms;
  }
}

describe('where a claim begins to look', () => {
  let clock: Clock;
  let floors: ClaimFloors;

  beforeEach(() => {
    clock = new Clock();
    floors = new ClaimFloors(clock);
  });

  /** Claims what was first due then. @returns the floor it was claimed with */
  function claim(firstDueAt: number | null, program = 'a'): number | null {
    const range = floors.next(program);
    floors.claimed(program, range, new Map([[0, firstDueAt]]));
    return range.floors[0];
  }

  it('is everything at first, then a little before the first lane that the last claim took', () => {
    expect(claim(start - 60_000)).toBeNull();
    expect(claim(start - 30_000)).toBe(start - 60_000 - claimFloorMarginMs);
    expect(claim(start)).toBe(start - 30_000 - claimFloorMarginMs);
  });

  it('stays where nothing was found, and follows the time where nothing was found at all', () => {
    claim(null);
    clock.pass(100);
    expect(claim(null)).toBe(start - claimFloorMarginMs);
    clock.pass(100);
    expect(claim(null)).toBe(start - claimFloorMarginMs);
  });

  it('is everything again in time, and once only', () => {
    claim(start);
    clock.pass(fullScanMs - 1);
    expect(claim(clock.at)).not.toBeNull();
    clock.pass(1);
    expect(claim(clock.at)).toBeNull();
    expect(claim(clock.at)).not.toBeNull();
  });

  it('is everything until a full look has been answered', () => {
    floors.next('a');
    expect(floors.next('a').floors).toEqual([null, null, null]);
  });

  it('goes back to what a full look finds before it', () => {
    claim(start);
    clock.pass(fullScanMs);
    expect(claim(start - 600_000)).toBeNull();
    expect(claim(start)).toBe(start - 600_000 - claimFloorMarginMs);
  });

  it('is everything after the time was set back', () => {
    claim(start);
    clock.at -= 1;
    expect(claim(null)).toBeNull();
  });

  it('is each priority\u2019s own: where there was no room to look, everything stays to be looked at', () => {
    floors.claimed('a', floors.next('a'), new Map([[0, start]]));
    expect(floors.next('a').floors).toEqual([start - claimFloorMarginMs, null, null]);
    floors.foundNone('a', floors.next('a'));
    expect(floors.next('a').floors).toEqual([start, start, start].map((at) => at - claimFloorMarginMs));
  });

  it('is each program\u2019s own', () => {
    claim(start);
    expect(claim(start - 5_000, 'b')).toBeNull();
    expect(claim(start)).toBe(start - claimFloorMarginMs);
  });
});
