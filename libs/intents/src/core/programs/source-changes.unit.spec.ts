import type { DeclaredSource } from '#contracts';
import { topicPattern } from '#contracts';

import type { TopicFacts } from './source-changes.js';
import { dangerousSourceChanges } from './source-changes.js';

const sale = 'loyalty.purchase.completed.v1';
const source = (change: Partial<DeclaredSource> = {}): DeclaredSource => ({
  ...{ topics: ['shop.orders'], format: 'json', map: '[]', types: [sale], programs: ['club'], may: [], key: 'id' },
  ...change,
});
type Sources = Readonly<Record<string, DeclaredSource>>;

const facts = (read: readonly string[], aside: readonly string[] = []): TopicFacts => ({
  ...{ read: new Set(read), aside: new Set(aside) },
});
const nothing = facts([]);
const read = facts(['shop.orders']);
const aside = facts(['shop.orders'], ['shop.orders']);

const names = (before: Sources, after: Sources, of: TopicFacts, hasMembers = true): string[] =>
  dangerousSourceChanges(
    { sources: before },
    { sources: after },
    { facts: of, isThere: () => hasMembers, meaningOf: topicPattern },
  ).map(({ name, isAcceptable }) => `${name}${isAcceptable ? '' : ' (never)'}`);

const web = { web: source() };

describe('a change of sources', () => {
  it.each<readonly [string, Sources, TopicFacts, string[]]>([
    ['another key, of a topic that was read', { web: source({ key: 'customer' }) }, read, ['sources.web.key']],
    ['another key, of a topic that nobody has read', { web: source({ key: 'customer' }) }, nothing, []],
    ['no key any more', { web: source({ key: undefined as never }) }, read, ['sources.web.key']],
    ['a type less, while records are set aside', { web: source({ types: [] }) }, aside, ['sources.web.types']],
    ['a type less, while none is', { web: source({ types: [] }) }, read, []],
    ['a program less, while records are set aside', { web: source({ programs: [] }) }, aside, ['sources.web.programs']],
    ['another format, while records are set aside', { web: source({ format: 'avro' }) }, aside, ['sources.web.format']],
    ['another map', { web: source({ map: '[1]' }) }, aside, []],
    ['a type more', { web: source({ types: [sale, 'loyalty.purchase.refunded.v1'] }) }, aside, []],
    ['a topic more', { web: source({ topics: ['shop.orders', 'shop.more'] }) }, aside, []],
    ['a topic of another source', { web: source({ topics: ['other'] }), new: source() }, read, []],
    ['the same under another name', { shop: source() }, aside, []],
    ['another one for its topic', { shop: source({ map: '[1]' }) }, read, ['sources.web.topics']],
    ['none for its topic', {}, read, ['sources.web.topics']],
    ['none for a topic that nobody has read', {}, nothing, []],
    ['a pattern in place of the name', { web: source({ topics: ['/^shop\\..*$/'] }) }, aside, []],
    ['the right to erase', { web: source({ may: ['erase'] }) }, nothing, ['sources.web.may.erase']],
    [
      'a new one with the right to merge',
      { ...web, b: source({ topics: ['b'], may: ['merge'] }) },
      nothing,
      ['sources.b.may.merge'],
    ],
  ])('that is %s', (_what, after, of, expected) => {
    expect(names(web, after, of)).toEqual(expected);
  });

  it('that gives a right does no harm where nobody is a member', () => {
    expect(names(web, { web: source({ may: ['erase'] }) }, nothing, false)).toEqual([]);
  });

  it('that takes over a topic of events of ours moves it', () => {
    expect(names({}, web, read)).toEqual(['sources.web.topics']);
    expect(names({}, web, nothing)).toEqual([]);
  });

  it('says what would happen, and what to do', () => {
    const [change] = dangerousSourceChanges(
      { sources: web },
      {},
      { facts: read, isThere: () => true, meaningOf: topicPattern },
    );
    expect(change?.problem).toMatch(/^sources\.web\.topics: shop\.orders was of web and becomes of no source: /);
  });
});
