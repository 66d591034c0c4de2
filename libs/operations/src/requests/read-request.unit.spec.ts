import { z } from 'zod';

import { ApiProblem } from '../problems/api-problem.js';
import { readRequest } from './read-request.js';

const schema = z.strictObject({
  reason: z.string().default('none'),
  change: z.record(z.string(), z.unknown()).optional(),
});

function refusalOf(sent: unknown): string | undefined {
  try {
    readRequest(schema, sent);
  } catch (error) {
    if (error instanceof ApiProblem) return error.options.detail;
    throw error;
  }
  throw new Error('it was not refused');
}

describe('what a request says', () => {
  it('is what an empty body says, where there is none, and nothing where it is null', () => {
    expect(readRequest(schema, undefined)).toEqual({ reason: 'none' });
    expect(refusalOf(null)).toContain('expected object, received null');
  });

  it.each([
    ['a text', { reason: 'a\u0000b' }],
    ['a name', { change: { 'a\u0000b': 1 } }],
    ['a text in a list far below', { change: { a: [{ b: ['\u0000'] }] } }],
  ])('has no U+0000 in %s', (_where, sent) => {
    expect(refusalOf(sent)).toBe('U+0000 is not allowed');
  });

  it.each([
    ['a text', { reason: 'a\ud800b' }],
    ['a name', { change: { '\udc00': 1 } }],
  ])('has no half of a surrogate pair in %s: it was answered with 500', (_where, sent) => {
    expect(refusalOf(sent)).toBe('half a surrogate pair is not allowed');
    expect(readRequest(schema, { reason: '\ud83d\ude00' })).toEqual({ reason: '\u{1f600}' });
  });

  it('may be as deep as a body can be', () => {
    const depth = 30_000;
    const deep: unknown = JSON.parse(`${'['.repeat(depth)}"\\u0000"${']'.repeat(depth)}`);
    expect(refusalOf({ change: { deep } })).toBe('U+0000 is not allowed');
  });
});
