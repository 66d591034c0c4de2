import { holdsOf } from './job-holds.js';

const purchases = { program: 'coffee-club', operation: 'transaction', factor: null } as const;
const store = { ...purchases, factor: 'store:hamburg' } as const;
const everything = { program: null, operation: null, factor: null } as const;
const all = [purchases, store, everything];

const replayOf = (query: object, state = 'running' as const) =>
  ({ kind: 'replay', state, program: null, request: { query } }) as const;

describe('what holds a job', () => {
  it.each([
    ['all of its program and operation', { program: 'coffee-club', operation: 'transaction' }, all],
    ['a part of it, where it says less', {}, all],
    ['not what is of another program', { program: 'tea-club' }, [everything]],
    ['not what is of another operation', { program: 'coffee-club', operation: 'reward' }, [everything]],
    ['not what is of another store', { program: 'coffee-club', store: 'berlin' }, [purchases, everything]],
  ])('of a replay is %s', (_what, query, held) => {
    expect(holdsOf(replayOf(query), all)).toEqual(held);
  });

  it('also holds a dry run, which says so before it is started, and nothing that has ended', () => {
    const query = { program: 'coffee-club' };
    expect(holdsOf({ ...replayOf(query), state: 'planned' }, [purchases])).toEqual([purchases]);
    for (const state of ['done', 'paused', 'stopped', 'failed', 'cancelled'] as const) {
      expect(holdsOf({ ...replayOf(query), state }, [purchases])).toEqual([]);
    }
  });

  it('of what asks the partner is a pause of its whole program', () => {
    const job = { kind: 'reconcile', state: 'running', program: 'coffee-club', request: {} } as const;
    expect(holdsOf(job, all)).toEqual([everything]);
    expect(holdsOf({ ...job, kind: 'export' }, all)).toEqual([]);
    expect(holdsOf(job, [{ program: 'tea-club', operation: null, factor: null }])).toEqual([]);
  });
});
