import type { ProgramsFile } from '#contracts';
import { parseProgramsFile } from '#contracts';

import { furtherTopics } from '../ingest/ingest.module.js';
import { testSources } from '../ingest/testing/sources.js';

const file = (patterns: readonly string[]): ProgramsFile => {
  const sources = patterns.map(
    (topic, at) => `
  shop-${at}:
    topics: ['${topic}']
    format: json
    map: '[]'
    types: [loyalty.purchase.completed.v1]
    programs: [club]`,
  );
  const parsed = parseProgramsFile(
    `programs:\n  club: { brandId: 1, programId: 2, currency: EUR }\nsources:${sources.join('')}\n`,
    {},
  );
  if (!parsed.ok) throw new Error(parsed.errors.join('\n'));
  return parsed.value;
};

describe('topics that patterns of two sources match', () => {
  it('are read by neither, which is told once for each programs file', () => {
    const told: unknown[] = [];
    const tell = (fields: object): void => void told.push(fields);
    const logger = { debug: tell, info: tell, warn: tell, error: tell };
    const topics = { members: 'm', purchases: 'p', rewards: 'r' };
    let current = file(['/^shop\\..*$/', '/^.*\\.orders$/']);
    const further = furtherTopics({
      programs: () => ({ file: current, hash: new Uint8Array(16) }),
      logger,
      sources: testSources(topics),
      kafka: { topics } as never,
    });
    const read = (): (boolean | undefined)[] =>
      ['shop.orders', 'shop.tills', 'web.orders', 'other'].map((topic) => further.matches()?.(topic));
    expect([read(), read()]).toEqual([
      [false, true, true, false],
      [false, true, true, false],
    ]);
    expect(told).toEqual([{ topic: 'shop.orders' }]);
    current = file(['/^shop\\..*$/', '/^.*\\.orders$/', 'shop.orders']);
    expect(read()[0]).toBe(true);
    current = file(['/^shop\\..*$/', '/^.*\\.orders$/']);
    expect(read()[0]).toBe(false);
    expect(told).toEqual([{ topic: 'shop.orders' }, { topic: 'shop.orders' }]);
  });
});
