import type { DeclaredSource, ProgramsFile } from '#contracts';
import { DEFAULT_TOPICS } from '#contracts';
import type { TopicSettings } from '#kafka';

import type { Finding } from './finding.js';
import { readOf, ReadTopics } from './read-topics.js';
import { judgeReplicas, judgeRights, judgeSchema, judgeSourceTopics } from './sources.js';

const source = (...topics: readonly string[]): DeclaredSource => ({
  ...{ topics, format: 'json', map: '[]', types: [], programs: ['club'], may: [] },
});
const topics = (sources: ProgramsFile['sources'] & object, ...names: readonly string[]) => ({
  wanted: new ReadTopics({ sources }, DEFAULT_TOPICS),
  found: new Map(names.map((name) => [name, { name, partitions: 6 }])),
});
const stated = (findings: readonly Finding[]): string[] => findings.map(({ name, state }) => `${name} ${state}`);

describe('the topics of sources', () => {
  it.each([
    ['there', source('shop.orders'), ['shop.orders'], ['sources.topics.shop.orders ok']],
    ['missing', source('shop.orders'), [], ['sources.topics.shop.orders failed']],
    ['matched by nothing', source('/^till\\..*$/'), [], ['sources.topics.web./^till\\..*$/ warning']],
    ['matched', source('/^till\\..*$/'), ['till.1'], ['sources.topics ok']],
  ])('are %s', (_how, web, names, expected) => {
    expect(stated(judgeSourceTopics(topics({ web }, ...names)))).toEqual(expected);
  });

  it('that patterns of two sources match are read by neither, unless one names them', () => {
    const tills = source('/^till\\..*$/');
    const sources = { tills, stores: source('/^.*\\.sales$/') };
    const [found] = judgeSourceTopics(topics(sources, 'till.sales'));
    expect(found).toMatchObject({ name: 'sources.topics.till.sales', state: 'failed' });
    expect(found?.detail).toBe('patterns of tills, stores match it: it is read by neither');
    const named = { tills, stores: source('/^.*\\.sales$/', 'till.sales') };
    expect(stated(judgeSourceTopics(topics(named, 'till.sales')))).toEqual(['sources.topics.till.sales ok']);
  });

  it('are read as ingest reads them: native ones, those that are named, and those that one pattern means', () => {
    const sources = { tills: source('/^.*\\.sales$/', 'web'), stores: source('/^store\\..*$/', '/^loyalty\\..*$/') };
    const found = topics(sources, ...['web', 'a.sales', 'store.sales', '__store.x', 'store.1', 'other']);
    const ours = topics(sources, 'loyalty.members', 'loyalty.audit');
    expect([readOf(found), readOf(ours)]).toEqual([['web', 'a.sales', 'store.1'], ['loyalty.members']]);
  });

  it('are those that our user may read, as far as the brokers say', () => {
    const rights = (may: boolean | null, group: boolean | null): string[] =>
      stated(judgeRights('loyaltyd', { topics: new Map([['shop.orders', may]]), group }));
    expect(rights(true, true)).toEqual(['sources.rights ok']);
    expect(rights(false, true)).toEqual(['sources.rights.shop.orders failed']);
    expect(rights(true, false)).toEqual(['sources.rights.group failed']);
    expect(rights(null, null)).toEqual(['sources.rights skipped']);
  });

  it('are kept by two replicas, unless the cluster has one broker', () => {
    const kept = (minInsyncReplicas: number | null): TopicSettings => ({
      ...{ name: 'shop.orders', retentionMs: null, isCompacted: false, minInsyncReplicas },
    });
    const states = [judgeReplicas([kept(1)], 3), judgeReplicas([kept(2)], 3), judgeReplicas([kept(1)], 1)];
    expect(states.map(({ state }) => state)).toEqual(['warning', 'ok', 'ok']);
    expect(states[0]?.detail).toContain('shop.orders');
  });

  it('have a schema that can be read, one that cannot, or one under another name', () => {
    expect(judgeSchema('orders', { kind: 'readable' })).toMatchObject({ state: 'ok' });
    expect(judgeSchema('orders', { kind: 'absent' })).toMatchObject({ state: 'skipped' });
    expect(judgeSchema('orders', { kind: 'unreadable', detail: 'is not AVRO' })).toMatchObject({
      ...{ state: 'failed', detail: 'the newest schema of orders-value is not AVRO' },
    });
  });
});
