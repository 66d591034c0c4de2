import { SafeError } from '#platform';

import { errorText } from './exits.js';

function postgresError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

describe('an error told to whoever runs a command', () => {
  it.each<readonly [unknown, string]>([
    [new SafeError('the schema is behind'), 'the schema is behind'],
    [
      postgresError('28P01', 'password authentication failed for user "u"'),
      'password authentication failed for user "u"',
    ],
    [postgresError('42P07', 'relation "intent" already exists'), 'relation "intent" already exists'],
    [postgresError('22P02', 'invalid input syntax for type integer: "Ada"'), 'Error (22P02)'],
    [postgresError('23505', 'Key (email)=(ada@example.org) already exists'), 'Error (23505)'],
    [postgresError('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:5432'), 'Error (ECONNREFUSED)'],
    [new SyntaxError('Unexpected token in "Ada"'), 'SyntaxError'],
    ['Ada', 'string'],
  ])('%s', (error, told) => {
    expect(errorText(error)).toBe(told);
  });
});
