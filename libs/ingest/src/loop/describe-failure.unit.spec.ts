import { DatabaseError, MasterKeyMissingError, SealBrokenError } from '#platform';

import { describeFailure } from './describe-failure.js';

function failed(kind: 'unavailable' | 'contention' | 'failed', sqlState: string | null): DatabaseError {
  return new DatabaseError('insert_intents', kind, { sqlState, cause: null });
}

describe('a recording that failed', () => {
  it.each<[string, unknown, string]>([
    ['the database is away', failed('unavailable', '57P01'), 'unavailable'],
    ['a deadlock that outlived its retries', failed('contention', '40P01'), 'unavailable'],
    ['a table is missing', failed('failed', '42P01'), 'unavailable'],
    ['a right is missing', failed('failed', '42501'), 'unavailable'],
    ['another batch was faster again and again', Object.assign(new Error(), { name: 'BatchRaceError' }), 'unavailable'],
    ['an encryption key is missing here', new MasterKeyMissingError(), 'unavailable'],
    ['the key of one member is damaged', new SealBrokenError(), 'content'],
    ['a value out of range', failed('failed', '22003'), 'content'],
    ['a violated constraint', failed('failed', '23514'), 'content'],
    ['the driver cannot send it', failed('failed', null), 'content'],
    ['our own code fails', new TypeError('x is not a function'), 'content'],
  ])('%s: the records are %s to blame', (_what, error, cause) => {
    expect(describeFailure(error).cause).toBe(cause);
  });

  it('is named by stage and code', () => {
    expect(describeFailure(failed('failed', '23514')).failure).toBe('record: insert_intents failed (23514)');
  });
});
