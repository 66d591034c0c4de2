import { compileDialect } from '../dialect/dialect-registry.js';
import { parseDialect } from '../dialect/parse-dialect.js';
import { keptHeaders } from './kept-headers.js';

const production = {
  'content-type': 'application/json; charset=utf-8',
  'content-encoding': 'br',
  date: 'Tue, 01 Dec 2026 07:00:00 GMT',
  'retry-after': '3',
  'x-request-id': 'a-1',
  'x-ratelimit-remaining': '17',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'strict-transport-security': 'max-age=63072000; includeSubDomains; preload',
  'x-powered-by': 'Express',
  'x-trail': 'b-2',
};

const keptBy = (headers?: readonly string[]): readonly string[] => {
  const compiled = compileDialect(parseDialect('test', headers === undefined ? {} : { evidence: { headers } }));
  return Object.keys(keptHeaders(production, compiled));
};

describe('what is kept of the headers of an answer', () => {
  it('is what says what the answer is, when it may be asked again, and how the partner finds it in its own logs', () => {
    expect(keptBy()).toEqual([
      'content-type',
      'content-encoding',
      'date',
      'retry-after',
      'x-request-id',
      'x-ratelimit-remaining',
    ]);
  });

  it('is what the dialect names, in any case, and by how it begins; what a later reading needs is kept besides', () => {
    expect(keptBy(['X-Trail', 'x-p*'])).toEqual(['content-type', 'content-encoding', 'x-powered-by', 'x-trail']);
    expect(keptBy([])).toEqual(['content-type', 'content-encoding']);
    expect(keptBy(['*'])).toEqual(Object.keys(production));
  });

  it('is named by names of headers only', () => {
    expect(() => keptBy(['a b'])).toThrow('evidence.headers');
    expect(() => keptBy(['a*b'])).toThrow('evidence.headers');
  });
});
