import type { Injection } from '../rounds.js';
import { strangersOf } from './leftovers.js';

const start = Date.parse('2026-11-22T10:00:00Z');
const error: Injection = { kind: 'error', process: null, from: start, to: start + 3_000 };
const restart: Injection = { ...error, kind: 'restart' };

const unknown = { at: start + 1_000, code: 'http-503', operation: 'reward' };
const missing = { reason: 'missing-pass', operation: 'transaction', program: 'tea-club', hasLeft: false, code: null };
const refused = { ...missing, reason: 'rejected', operation: 'update-via-workflow', hasLeft: true, code: 'http-404' };
const taken = { ...missing, reason: 'rejected', code: 'duplicate' };
const doubtful = { ...missing, reason: 'unknown-outcome' };

describe('what went wrong by itself', () => {
  it('is nothing where the partner was told to fail, and where tills bring it about', () => {
    // A purchase that comes after a void which says otherwise of it.
    const disagreeing = { ...missing, reason: 'conflict' };
    const parked = [missing, disagreeing, refused, taken, doubtful];
    expect(strangersOf({ unknowns: [unknown], parked }, [error])).toEqual({ unknowns: [], parked: {} });
  });

  it('is what is in doubt while the partner was well', () => {
    const late = { ...unknown, at: start + 60_000 };
    expect(strangersOf({ unknowns: [late], parked: [] }, [error]).unknowns).toEqual([
      '2026-11-22T10:01:00.000Z reward http-503',
    ]);
    expect(strangersOf({ unknowns: [unknown], parked: [] }, [restart]).unknowns).toHaveLength(1);
  });

  it('regression: begins with the trouble by either clock, no earlier', () => {
    const at = (ms: number): number =>
      strangersOf({ unknowns: [{ ...unknown, at: start + ms }], parked: [] }, [error]).unknowns.length;
    expect([at(-100), at(-1_000)]).toEqual([0, 1]);
  });

  it.each([
    ['in doubt, and nobody failed', doubtful, [restart]],
    ['given up', { ...missing, reason: 'exhausted' }, [error]],
    ['refused', { ...missing, reason: 'rejected', code: 'http-400' }, [error]],
    ['refused as a duplicate of what has no number', { ...taken, operation: 'reward' }, [error]],
    ['refused as an update, of somebody who has a pass', { ...refused, hasLeft: false }, [error]],
  ])('is what was parked because it was %s', (_name, parked, injections) => {
    const name = `${parked.reason} ${parked.operation} tea-club`;
    expect(strangersOf({ unknowns: [], parked: [parked, parked] }, injections).parked).toEqual({ [name]: 2 });
  });
});
