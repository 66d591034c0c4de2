import { DatabaseError, toDatabaseError } from './database-error.js';

function withCode(code: unknown): Error {
  return Object.assign(new Error('value of a parameter'), { code });
}

describe('a failed database call', () => {
  it.each([
    ['40P01', 'contention'],
    ['40001', 'contention'],
    ['08006', 'unavailable'],
    ['08001', 'unavailable'],
    ['53300', 'unavailable'],
    ['57P01', 'unavailable'],
    ['25006', 'unavailable'],
    ['25P02', 'failed'],
    ['58030', 'unavailable'],
    ['57P03', 'unavailable'],
    ['57014', 'unavailable'],
    ['23505', 'failed'],
    ['22021', 'failed'],
    ['42P01', 'failed'],
    ['28P01', 'unavailable'],
    ['XX000', 'failed'],
    ['P0001', 'failed'],
  ] as const)('with SQLSTATE %s is %s', (sqlState, kind) => {
    expect(toDatabaseError('claim', withCode(sqlState))).toMatchObject({ kind, sqlState, operation: 'claim' });
  });

  it.each(['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'EPERM'])(
    'with %s is unavailable',
    (code) => {
      expect(toDatabaseError('claim', withCode(code))).toMatchObject({ kind: 'unavailable', sqlState: null });
    },
  );

  it('without any code comes from the driver or the pool: unavailable', () => {
    for (const error of [new Error('timeout exceeded when trying to connect'), 'text', null, withCode(42)]) {
      expect(toDatabaseError('claim', error)).toMatchObject({ kind: 'unavailable', sqlState: null });
    }
  });

  it('that is a mistake of ours will not mend itself: failed', () => {
    expect(toDatabaseError('claim', new TypeError('x'))).toMatchObject({ kind: 'failed' });
    expect(toDatabaseError('claim', new RangeError('int8 value beyond 2^53'))).toMatchObject({ kind: 'failed' });
  });

  it('says operation, kind and SQLSTATE, never what the server quoted; that is the cause', () => {
    const cause = withCode('23505');
    const error = toDatabaseError('insert_members', cause);
    expect(error.message).toBe('database operation insert_members failed (failed, 23505)');
    expect(error.cause).toBe(cause);
    expect(toDatabaseError('claim', withCode('EPIPE')).message).toBe('database operation claim failed (unavailable)');
  });

  it('keeps the name that it got first', () => {
    const error = new DatabaseError('inner', 'failed', { sqlState: null, cause: null });
    expect(toDatabaseError('outer', error)).toBe(error);
  });
});
