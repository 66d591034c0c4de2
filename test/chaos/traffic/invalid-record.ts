import type { Chance } from '../chance.js';
import { type Emission, eventBytes, structured } from './emission.js';

const time = '2026-11-20T10:00:00Z';
const total = { minor: 100, currency: 'EUR', digits: 2 };
const nestingDepth = 200;

/** What tills send that nobody can use; none may hold up what comes behind it. */
const mistakes: Readonly<Record<string, (id: string) => Buffer | null>> = {
  'not JSON': () => Buffer.from('{"specversion": "1.0", '),
  'invalid UTF-8': () => Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]),
  'no CloudEvent': () => Buffer.from('[1, 2, 3]'),
  'nested too deep': () => Buffer.from(`${'['.repeat(nestingDepth)}${']'.repeat(nestingDepth)}`),
  tombstone: () => null,
  'no member': (id) =>
    eventBytes({ id, type: 'reward.granted', time, data: { program: 'coffee-club', grantId: id, reward: 'sticker' } }),
  'unknown type': (id) =>
    eventBytes({ id, type: 'purchase.dreamt', time, data: { program: 'coffee-club', memberId: 'c-1' } }),
  'unknown program': (id) =>
    eventBytes({
      id,
      type: 'reward.granted',
      time,
      data: { program: 'milk-club', memberId: 'm-1', grantId: id, reward: 'x' },
    }),
  'unknown reward': (id) =>
    eventBytes({
      id,
      type: 'reward.granted',
      time,
      data: { program: 'coffee-club', memberId: 'c-1', grantId: id, reward: 'yacht' },
    }),
  'foreign currency': (id) =>
    eventBytes({
      id,
      type: 'purchase.completed',
      time,
      data: {
        program: 'coffee-club',
        memberId: 'c-1',
        purchaseId: id,
        channel: 'pos',
        storeId: 's',
        total: { ...total, currency: 'USD' },
        lines: [],
      },
    }),
  'negative amount': (id) =>
    eventBytes({
      id,
      type: 'purchase.completed',
      time,
      data: {
        program: 'coffee-club',
        memberId: 'c-1',
        purchaseId: id,
        channel: 'pos',
        storeId: 's',
        total: { ...total, minor: -1 },
        lines: [],
      },
    }),
};

export function invalidRecord(chance: Chance, id: string): Emission {
  const mistake = chance.pick(Object.keys(mistakes));
  const value = mistakes[mistake]?.(id) ?? null;
  const topic = chance.pick(['members', 'purchases', 'rewards'] as const);
  // Some have no key: they go anywhere.
  const key = chance.isLucky(0.5) ? 'c-1' : null;
  return { what: 'invalid', topic, key, value, headers: structured, owed: null };
}
