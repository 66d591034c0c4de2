import type { Beat } from '../watch/pulse.js';
import { longestStall } from './longest-stall.js';

/** One a second; `effects` of each, and whether there was work. */
function beats(effects: readonly number[], hasWork = true): Beat[] {
  return effects.map((count, index) => {
    const at = index * 1_000;
    return { at, seconds: index, acknowledged: 9, ingested: 9, effects: count, pending: 1, hasWork };
  });
}

describe('the longest stall', () => {
  it('is the longest time without an effect while there was work', () => {
    expect(longestStall(beats([1, 2, 2, 2, 3, 3, 4]), [])).toBe(2);
    expect(longestStall(beats([1, 2, 3]), [])).toBe(0);
  });

  it('is none where nothing was to be done', () => {
    expect(longestStall(beats([1, 1, 1, 1], false), [])).toBe(0);
  });

  it('counts records that wait for ingest as work', () => {
    const waiting = beats([1, 1, 1, 1], false).map((beat) => ({ ...beat, ingested: 8 }));
    expect(longestStall(waiting, [])).toBe(3);
  });

  it('does not count what the partner was told to do, nor the breaker after it', () => {
    const trouble = { kind: 'error', process: null, from: 1_000, to: 3_000 } as const;
    expect(longestStall(beats(Array.from({ length: 40 }, () => 1)), [trouble])).toBe(0);
    expect(longestStall(beats(Array.from({ length: 60 }, () => 1)), [trouble])).toBe(11);
    expect(longestStall(beats([1, 1, 1]), [{ ...trouble, kind: 'restart' }])).toBe(2);
  });
});
